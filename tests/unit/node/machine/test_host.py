"""Facts from files of a machine, from small file trees of different machines."""

from __future__ import annotations

import resource
import time
from pathlib import Path

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
    for _ in range(10):  # a busy machine holds up a look, but not each of them
        began = time.monotonic()
        facts = host_facts.observe_host(ask, lambda _: (1, "", ""))
        if (took := time.monotonic() - began) < 1:
            break
    assert took < 1
    assert facts["log_dirs"][str(tmp_path / "logs")]["state"] == "empty"
    assert facts["install_dir"]["kind"] == "absent"
    assert facts["memory_mb"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
