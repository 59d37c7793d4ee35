"""Facts from files of a machine, from small file trees of different machines."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.machine import facts as host_facts
from ansible.module_utils.kraft.node.machine import machine as host


def tree(root: Path, **files: str) -> Path:
    """Write files; ``__`` in a name stands for ``/``, ``_dot_`` for a dot, ``_dash_`` for a dash."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".").replace("_dash_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("release", "tool", "family", "manager"),
    [
        ('ID=debian\nVERSION_ID="12"\n', "apt-get", "Debian", "apt"),
        ('ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n', "apt-get", "Debian", "apt"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.4"\n', "dnf", "RedHat", "dnf"),
        ('ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"\n', "dnf", "Amazon", "dnf"),
        ("ID=opensuse-leap\nID_LIKE='suse opensuse'\n", "zypper", "Suse", "zypper"),
        ("ID=nixos\n", "nix", "", ""),
        ("", "none", "", ""),
    ],
)
def test_family_and_package_manager_follow_the_distribution(
    tmp_path: Path, release: str, tool: str, family: str, manager: str
) -> None:
    tree(tmp_path, etc__os_dash_release=release)
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin" / tool).touch()
    found = host.distribution(tmp_path)
    assert (found["family"], found["package_manager"]) == (family, manager)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 24105),
        ({"sys__fs__cgroup__memory_dot_max": "max\n"}, 24105),
        ({"sys__fs__cgroup__memory_dot_max": str(2 << 30)}, 2048),
        ({"sys__fs__cgroup__memory__memory_dot_limit_in_bytes": str(1 << 30)}, 1024),
        ({"sys__fs__cgroup__memory__memory_dot_limit_in_bytes": "9223372036854771712"}, 24105),
    ],
)
def test_memory_is_the_containers_where_there_is_one(tmp_path: Path, files: dict[str, str], expected: int) -> None:
    tree(tmp_path, proc__meminfo="MemTotal:       24684308 kB\nMemFree: 1 kB\n", **files)
    assert host.memory_mb(tmp_path) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, 8),
        ({"sys__fs__cgroup__cpu_dot_max": "max 100000"}, 8),
        ({"sys__fs__cgroup__cpu_dot_max": "150000 100000"}, 2),
        ({"sys__fs__cgroup__cpu_dot_max": "5000 100000"}, 1),
        (
            {
                "sys__fs__cgroup__cpu__cpu_dot_cfs_quota_us": "300000",
                "sys__fs__cgroup__cpu__cpu_dot_cfs_period_us": "100000",
            },
            3,
        ),
        ({"sys__fs__cgroup__cpu__cpu_dot_cfs_quota_us": "-1", "sys__fs__cgroup__cpu__cpu_dot_cfs_period_us": "1"}, 8),
    ],
)
def test_processors_are_those_of_the_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], expected: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    assert host.cpus(tree(tmp_path, **files)) == expected


def never(_: Any) -> tuple[int, str, str]:
    raise AssertionError("started")


def make_java(root: Path, release: str) -> str:
    java = root / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    if release:
        (root / "release").write_text(release)
    return str(root)


def test_java_tells_its_version_without_being_started(tmp_path: Path) -> None:
    home = make_java(tmp_path / "jdk", 'IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.15"\n')
    found = host.java(home, never)
    assert found == {"home": home, "path": f"{home}/bin/java", "version": "17.0.15", "major": 17}


@pytest.mark.parametrize(("said", "major"), [("21.0.2", 21), ("1.8.0_402", 8), ("25-ea", 25)])
def test_java_without_a_release_file_is_asked(tmp_path: Path, said: str, major: int) -> None:
    home = make_java(tmp_path / "jdk", "")
    found = host.java(home, lambda _: (0, "", f'openjdk version "{said}" 2024-01-16\n'))
    assert found is not None
    assert found["major"] == major


def test_java_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert host.java(str(tmp_path / "nowhere"), never) is None


def test_installed_javas_are_found_newest_first(tmp_path: Path) -> None:
    for name, version in (("old", "1.8.0_402"), ("new", "21.0.2")):
        make_java(tmp_path / "usr/lib/jvm" / name, f'JAVA_VERSION="{version}"\n')
    (tmp_path / "usr/lib/jvm/default").symlink_to("new")
    assert [(each["home"][-3:], each["major"]) for each in host.javas(tmp_path)] == [("new", 21), ("old", 8)]


def test_kernel_settings_say_whether_they_can_be_set(tmp_path: Path) -> None:
    tree(tmp_path, proc__sys__vm__swappiness="60\n")
    assert host.sysctl(["vm.swappiness", "vm.nothing"], tmp_path) == {
        "vm.swappiness": {"value": "60", "writable": True}
    }


@pytest.mark.parametrize(("raised", "expected"), [(False, 20000), (True, 1048576)])
def test_limit_of_files_is_what_systemd_can_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: bool, expected: int
) -> None:
    limits = "Limit                     Soft Limit           Hard Limit           Units\n"
    limits += "Max open files            1024                 20000                files\n"
    tree(tmp_path, proc__1__limits=limits, proc__sys__fs__nr_open="1048576\n")
    monkeypatch.setattr(host, "may_raise", lambda _: raised)
    assert host.nofile_hard(tmp_path) == expected


def test_trying_a_limit_leaves_this_process_as_it_is() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert host.may_raise(before[0])
    assert not host.may_raise(1 << 62)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_whole_look_at_this_machine_is_quick_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    ask = host_facts.Questions(log_dirs=(str(tmp_path / "logs"),), install_dir=str(tmp_path / "kafka"), ports=(1,))
    began = time.monotonic()
    facts = host_facts.observe_host(ask, lambda _: (1, "", ""))
    assert time.monotonic() - began < 1
    assert facts["log_dirs"][str(tmp_path / "logs")]["state"] == "empty"
    assert facts["install_dir"]["kind"] == "absent"
    assert facts["memory_mb"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
