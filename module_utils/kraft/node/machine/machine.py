"""Facts of a machine: distribution, processors, memory, Java, limits, kernel settings. Reads files, starts nothing.

Every function takes the root of the file tree it reads, so that tests can bring their own.
"""

from __future__ import annotations

import glob
import math
import os
import re
import resource
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FAMILIES = {
    "debian": "Debian",
    "ubuntu": "Debian",
    "amzn": "Amazon",
    "rhel": "RedHat",
    "centos": "RedHat",
    "fedora": "RedHat",
    "suse": "Suse",
    "alpine": "Alpine",
    "arch": "Arch",
}
PACKAGE_MANAGERS = ("apt-get", "dnf", "yum", "zypper", "apk", "pacman")
#: Java is never started as root: a user who can write to its home would become root.
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
JAVA_HOMES = ("usr/lib/jvm/*/bin/java", "opt/*/bin/java", "usr/java/*/bin/java")
ROOT = Path("/")


def read(path: Path) -> str:
    """Return a small file's text without the line break at its end; empty if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def assignments(text: str) -> dict[str, str]:
    """Parse ``NAME="value"`` lines, as in os-release and in a JDK's ``release`` file."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {name.strip(): unquoted(value) for name, value in pairs}


def unquoted(value: str) -> str:
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value.strip()


def distribution(root: Path = ROOT) -> dict[str, str]:
    """Return ``{family, distribution, version, package_manager}``; ``family`` in Ansible's words, empty if unknown."""
    release = assignments(read(root / "etc/os-release") or read(root / "usr/lib/os-release"))
    names = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    manager = next((name for name in PACKAGE_MANAGERS if (root / "usr/bin" / name).exists()), "")
    return {
        "family": next((FAMILIES[name] for name in names if name in FAMILIES), ""),
        "distribution": release.get("ID", ""),
        "version": release.get("VERSION_ID", ""),
        "package_manager": {"apt-get": "apt"}.get(manager, manager),
    }


def number(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def memory_mb(root: Path = ROOT) -> int:
    """Return the machine's memory, or the limit of its container (cgroup v2, v1), in MiB."""
    match = re.search(r"^MemTotal:\s*(\d+) kB", read(root / "proc/meminfo"), re.MULTILINE)
    found = [int(match.group(1)) * 1024] if match else []
    limits = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
    found += [limit for limit in (number(read(root / path)) for path in limits) if limit]
    return min(found, default=0) // (1024 * 1024)


def cpus(root: Path = ROOT) -> int:
    """Return the usable processors: those of the CPU affinity, or the container's share (cgroup v2, v1)."""
    bound = len(os.sched_getaffinity(0))
    legacy = [read(root / f"sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    shares = [number(text) for text in read(root / "sys/fs/cgroup/cpu.max").split() or legacy]
    if len(shares) != len(legacy) or not shares[0] or not shares[1]:
        return bound
    return max(1, min(bound, math.ceil(shares[0] / shares[1])))


def java_major(version: str) -> int | None:
    """Parse ``17.0.15`` -> 17, ``1.8.0_402`` -> 8."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match.group(1)) if match else None


def java_at(path: str, run: Any) -> dict[str, Any] | None:
    """Return the Java at `path`: ``{home, path, version, major}``. It is started only as a last resort."""
    real = os.path.realpath(path)
    if not os.access(real, os.X_OK):
        return None
    home = os.path.dirname(os.path.dirname(real))
    version = assignments(read(Path(home, "release"))).get("JAVA_VERSION", "")
    if not version:
        _, out, err = run([*AS_NOBODY, real, "-version"])
        match = re.search(r'version "([^"]+)"', out + err)
        version = match.group(1) if match else ""
    return {"home": home, "path": path, "version": version, "major": java_major(version)}


def java(java_home: str, run: Any) -> dict[str, Any] | None:
    """Return the Java that Kafka would run with: the given one, or that of the alternatives or the PATH."""
    if java_home:
        return java_at(os.path.join(java_home, "bin", "java"), run)
    found = "/usr/bin/java" if os.path.exists("/usr/bin/java") else shutil.which("java")
    return java_at(found, run) if found else None


def javas(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return every Java at a usual place with a known version, newest first, as ``{home, major}``."""
    found = {}
    for pattern in JAVA_HOMES:
        for path in glob.glob(str(root / pattern)):
            home = os.path.dirname(os.path.dirname(os.path.realpath(path)))
            major = java_major(assignments(read(Path(home, "release"))).get("JAVA_VERSION", ""))
            if major:
                found[home] = major
    return [{"home": home, "major": major} for home, major in sorted(found.items(), key=lambda item: -item[1])]


def sysctl(names: Iterable[str], root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Return kernel settings by name: ``{value, writable}``; settings that this kernel lacks are left out."""
    paths = {name: root / "proc/sys" / name.replace(".", "/") for name in names}
    return {
        name: {"value": read(path), "writable": os.access(path, os.W_OK)}
        for name, path in paths.items()
        if path.exists()
    }


def nofile_hard(root: Path = ROOT) -> int:
    """Return the open files that systemd can give a service: process 1's or, if limits can be raised, the kernel's."""
    match = re.search(r"^Max open files\s+\S+\s+(\S+)", read(root / "proc/1/limits"), re.MULTILINE)
    largest = number(read(root / "proc/sys/fs/nr_open")) or 0
    if match and match.group(1) == "unlimited":
        return largest
    own = int(match.group(1)) if match else resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return max(own, largest) if may_raise(largest) else own


def may_raise(limit: int) -> bool:
    """Check that a process may have `limit` open files. A child tries it, so that this process stays as it is."""
    child = os.fork()
    if child == 0:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        except (OSError, ValueError):
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def machine(root: Path = ROOT) -> dict[str, str]:
    """Return ``hostname``, ``machine_id``, ``boot_id``, ``place`` (boot and network: one for all names)."""
    try:
        namespace = str(os.stat(root / "proc/self/ns/net").st_ino)
    except OSError:
        namespace = ""
    boot = read(root / "proc/sys/kernel/random/boot_id")
    return {
        "hostname": os.uname().nodename,
        "machine_id": read(root / "etc/machine-id"),
        "boot_id": boot,
        "place": f"{boot}:{namespace}" if boot and namespace else "",
    }


def releases(states: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return `release.observe_releases` as facts: ``{version: {complete, archive_checksum: {algorithm: digest}}}``."""
    return {
        version: {
            "complete": state.complete,
            "archive_checksum": dict(state.manifest.archive) if state.manifest else {},
        }
        for version, state in states.items()
    }
