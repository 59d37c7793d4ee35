"""Facts of a machine: processors, memory, limits, kernel settings, identity. Reads files, starts nothing.

Every function takes the root of the file tree it reads, so that tests can bring their own.
"""

from __future__ import annotations

import math
import os
import re
import resource
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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
