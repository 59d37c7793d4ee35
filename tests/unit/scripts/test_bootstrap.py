"""scripts/bootstrap on a machine made of stand-ins: what it installs, and what it leaves alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
REAL = [
    "sh",
    "sed",
    "grep",
    "dirname",
    "readlink",
    "cat",
    "sha256sum",
    "flock",
    "mkdir",
    "rm",
    "tail",
    "head",
    "id",
    "env",
    "basename",
    "mv",
    "chmod",
]
SAY = '#!/bin/sh\necho "{name} $*" >>"{log}"\n'
PYTHON = """#!/bin/sh
case "$*" in
*"-m venv"*)
    echo "python3 $*" >>"{log}"
    mkdir -p .venv/bin
    echo "VIRTUAL_ENV='$(pwd)/.venv'" >.venv/bin/activate
    cp "$0" .venv/bin/python
    ;;
*"-m pip"*)
    echo "pip $* from ${{PIP_FIND_LINKS:-}}" >>"{log}"
    printf '#!/bin/sh\\necho "uv $*" >>"{log}"\\n' >.venv/bin/uv
    chmod +x .venv/bin/uv
    ;;
*"import platform"*) echo "3 11 x86_64" ;;
*"sys.version_info"*) exit {old} ;;
*"sys.version"*|-VV) echo "Python {version}" ;;
esac
"""


class Machine:
    """A tree with the script in it, and commands that only write down how they were called."""

    def __init__(self, home: Path) -> None:
        self.tree, self.bin, self.log, self.share = (home / name for name in ("tree", "bin", "log", "share"))
        (self.tree / "scripts").mkdir(parents=True)
        (self.tree / "requirements").mkdir()
        self.bin.mkdir()
        shutil.copy(ROOT / "scripts/bootstrap", self.tree / "scripts")
        for lock in ("build.lock", "dev.lock", "uv.lock"):
            (self.tree / "requirements" / lock).write_text(lock)
        for command in (*REAL, "cp"):
            (self.bin / command).symlink_to(str(shutil.which(command)))
        self.put("apt-get", SAY.format(name="apt-get", log=self.log))
        self.put("sudo", f'#!/bin/sh\necho sudo >>"{self.log}"\nexec "$@"\n')
        self.python()

    def put(self, name: str, text: str = "#!/bin/sh\n") -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def python(self, version: str = "3.11.2", old: int = 0) -> None:
        self.put("python3", PYTHON.format(log=self.log, version=version, old=old))

    def bundle(self, made_for: str) -> None:
        """The tree is an unpacked bundle."""
        (self.tree / ".cache/wheels").mkdir(parents=True)
        (self.tree / ".cache/wheels/python").write_text(f"{made_for}\n")

    def has(self, *commands: str) -> None:
        for command in commands:
            self.put(command)

    def bootstrap(self, *groups: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        environment = {"PATH": str(self.bin), "HOME": os.environ["HOME"], "BOOTSTRAP_SHARE": str(self.share)}
        done = subprocess.run(
            [self.tree / "scripts/bootstrap", *groups], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done

    def called(self, command: str) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith(command)]

    def installed(self) -> set[str]:
        return {package for line in self.called("apt-get install") for package in line.split()[4:]}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


UNPACKED = """#!/bin/sh
mkdir -p usr/bin
for one in promtool prometheus prometheus-node-exporter amtool prometheus-alertmanager; do
    : >usr/bin/$one
    chmod 755 usr/bin/$one
done
mkdir -p usr/share/prometheus/alertmanager
: >usr/share/prometheus/alertmanager/default.tmpl
"""


def test_prometheus_is_unpacked_and_not_installed_since_its_package_starts_a_service(machine: Machine) -> None:
    machine.put("dpkg-deb", UNPACKED)
    machine.bootstrap("test")
    assert machine.called("apt-get download") == [
        "apt-get download prometheus prometheus-alertmanager prometheus-node-exporter"
    ]
    assert "prometheus" not in machine.installed()
    machine.bootstrap("test")
    assert machine.called("apt-get download") == []


def test_alertmanager_gets_its_templates_where_it_looks_for_them(machine: Machine) -> None:
    machine.put("dpkg-deb", UNPACKED)
    machine.bootstrap("test")
    templates = machine.share / "prometheus/alertmanager/default.tmpl"
    templates.unlink()  # a cache that was made on another machine
    machine.bootstrap("test")
    assert machine.called("apt-get download") == ["apt-get download prometheus-alertmanager"]
    assert templates.exists()


def test_everyone_reads_alertmanagers_templates_whatever_the_umask_is(machine: Machine) -> None:
    machine.put("dpkg-deb", UNPACKED)
    before = os.umask(0o077)
    try:
        machine.bootstrap("watch")
    finally:
        os.umask(before)
    templates = machine.share / "prometheus/alertmanager"
    assert [path.stat().st_mode & 0o777 for path in (templates, templates / "default.tmpl")] == [0o755, 0o644]


def test_what_watches_a_demo_comes_without_the_tests_tools(machine: Machine) -> None:
    machine.put("dpkg-deb", UNPACKED)
    machine.bootstrap("watch")
    assert machine.called("apt-get download") == ["apt-get download prometheus prometheus-alertmanager"]
    assert "chromium" not in machine.installed()


def test_tools_of_prometheus_that_are_there_are_taken(machine: Machine) -> None:
    machine.has("promtool", "prometheus-node-exporter", "amtool", "prometheus-alertmanager")
    machine.bootstrap("test")
    assert machine.called("apt-get download") == []


def test_a_bare_machine_gets_packages_then_an_environment_by_the_locks(machine: Machine) -> None:
    machine.put("dpkg-deb", UNPACKED)
    done = machine.bootstrap("lab", "archive", "test")
    assert {"podman", "mmdebstrap", "maven", "chromium", "kcat", "openjdk-17-jre-headless"} <= machine.installed()
    assert "--require-hashes --requirement requirements/uv.lock from " in machine.called("pip")[0]
    (synced,) = machine.called("uv pip sync")
    assert "--require-hashes --build-constraints requirements/build.lock requirements/dev.lock" in synced
    assert "--no-index" not in synced
    assert "installing by apt: " in done.stdout
    assert "installing Python packages into .venv" in done.stdout


def test_an_unpacked_bundle_asks_no_registry_for_python_packages_and_wants_no_maven(machine: Machine) -> None:
    machine.bundle("3 11 x86_64")
    machine.bootstrap("archive")
    (installed,), (synced,) = machine.called("pip"), machine.called("uv pip sync")
    assert "install --no-index --require-hashes" in installed
    assert "sync --no-index" in synced
    assert "maven" not in machine.installed()


def test_an_unpacked_bundle_is_found_below_a_path_with_blanks(tmp_path: Path) -> None:
    """pip splits PIP_FIND_LINKS at blanks."""
    machine = Machine(tmp_path / "my files")
    machine.bundle("3 11 x86_64")
    machine.bootstrap()
    (installed,) = machine.called("pip")
    assert len(installed.rpartition(" from ")[2].split()) == 1


def test_a_bundle_for_another_python_is_refused_with_the_way_out(machine: Machine) -> None:
    machine.bundle("3 12 aarch64")
    done = machine.bootstrap(check=False)
    assert done.returncode == 1
    assert "the bundle is for Python 3 12 aarch64, here is 3 11 x86_64; PYTHON=/path/to/python3" in done.stderr
    assert machine.called("uv") == []


def test_a_second_run_says_nothing_and_does_nothing(machine: Machine) -> None:
    machine.has("ssh", "ps", "java", "podman", "runc", "iptables", "mmdebstrap", "mvn")
    machine.bootstrap("lab", "archive")
    done = machine.bootstrap("lab", "archive")
    assert done.stdout + done.stderr + machine.log.read_text() == ""


def test_only_what_is_missing_is_installed(machine: Machine) -> None:
    machine.has("ssh", "java", "podman", "runc", "iptables", "mvn")
    machine.bootstrap("lab", "archive")
    assert machine.installed() - {"netavark", "aardvark-dns", "ca-certificates"} == {"mmdebstrap", "procps"}


def test_only_what_was_asked_for_is_installed(machine: Machine) -> None:
    machine.bootstrap()
    assert not machine.installed() & {"podman", "maven", "chromium"}


def test_an_old_java_does_not_count(machine: Machine, tmp_path: Path) -> None:
    machine.has("ssh", "ps")
    for version, missing in (("11.0.2", True), ("21", False)):
        home = tmp_path / version
        (home / "bin").mkdir(parents=True)
        (home / "bin/java").write_text("#!/bin/sh\n")
        (home / "bin/java").chmod(0o755)
        (home / "release").write_text(f'IMPLEMENTOR="Debian"\nJAVA_VERSION="{version}"\n')
        (machine.bin / "java").unlink(missing_ok=True)
        (machine.bin / "java").symlink_to(home / "bin/java")
        machine.bootstrap()
        assert ("openjdk-17-jre-headless" in machine.installed()) is missing


def test_a_changed_lock_brings_the_environment_up_to_date_without_making_it_again(machine: Machine) -> None:
    machine.bootstrap()
    (machine.tree / "requirements/dev.lock").write_text("newer")
    machine.bootstrap()
    assert machine.called("python3") == machine.called("pip") == []
    assert len(machine.called("uv pip sync")) == 1


@pytest.mark.parametrize(
    "activate",
    [
        'VIRTUAL_ENV="{place}"\nexport VIRTUAL_ENV\n',  # Python 3.11
        'if x; then\n    export VIRTUAL_ENV=$(cygpath "{place}")\nelse\n    export VIRTUAL_ENV="{place}"\nfi\n',  # 3.12
        "    VIRTUAL_ENV=$(cygpath {place})\n    export VIRTUAL_ENV\n    ;;\n    export VIRTUAL_ENV={place}\n",  # 3.13
    ],
)
def test_an_environment_of_any_python_is_brought_up_to_date(machine: Machine, activate: str) -> None:
    machine.bootstrap()
    (machine.tree / ".venv/bin/activate").write_text(activate.format(place=machine.tree / ".venv"))
    (machine.tree / "requirements/dev.lock").write_text("newer")
    machine.bootstrap()
    assert machine.called("python3") == []


def test_an_environment_that_was_made_otherwise_but_here_is_kept(machine: Machine) -> None:
    machine.bootstrap()
    (machine.tree / ".venv/kraftwright.stamp").unlink()
    (machine.tree / ".venv/kept").touch()
    machine.bootstrap()
    assert machine.called("python3") == []
    assert (machine.tree / ".venv/kept").exists()


def test_an_environment_of_another_place_or_another_python_is_made_again(machine: Machine) -> None:
    machine.bootstrap()
    machine.python(version="3.12.1")
    machine.bootstrap()
    assert len(machine.called("python3")) == 1
    moved = machine.tree.rename(machine.tree.parent / "moved")
    machine.tree = moved
    machine.bootstrap()
    assert machine.called("python3")[0].endswith("-m venv --clear .venv")


def test_an_environment_behind_a_link_is_refused_and_not_emptied(machine: Machine) -> None:
    other = machine.tree.parent / "other/.venv"
    (other / "bin").mkdir(parents=True)
    (other / "bin/kept").touch()
    (machine.tree / ".venv").symlink_to(other)
    done = machine.bootstrap(check=False)
    assert done.returncode == 1
    assert f".venv is a link to {other}" in done.stderr
    assert machine.called("python3") == machine.called("pip") == machine.called("uv") == []
    assert (other / "bin/kept").exists()


def test_an_old_python_is_refused_with_the_way_out(machine: Machine) -> None:
    machine.python(version="3.9.1", old=1)
    done = machine.bootstrap(check=False)
    assert done.returncode == 1
    assert "Python 3.11 or newer is needed" in done.stderr
    assert "PYTHON=/path/to/python3" in done.stderr


def test_a_failed_command_shows_its_last_words(machine: Machine) -> None:
    machine.put("apt-get", "#!/bin/sh\necho 'E: no such mirror' >&2\nexit 100\n")
    done = machine.bootstrap(check=False)
    assert done.returncode == 1
    assert "E: no such mirror" in done.stderr
    assert "bootstrap.log" in done.stderr


def test_a_system_without_apt_is_told_what_to_install(machine: Machine) -> None:
    (machine.bin / "apt-get").unlink()
    done = machine.bootstrap("archive", check=False)
    assert done.returncode == 1
    assert "install these by your package manager" in done.stderr
    assert "maven" in done.stderr


def test_an_unknown_group_is_named(machine: Machine) -> None:
    done = machine.bootstrap("labs", check=False)
    assert done.returncode == 1
    assert "unknown: labs; there are deploy, lab, archive, watch, test" in done.stderr
