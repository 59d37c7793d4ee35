"""Facts of block devices: content, users, and what is mounted at their mount points. Read-only."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

MOUNTS = Path("/proc/self/mountinfo")
BLOCKS = Path("/sys/dev/block")
SBIN = "/usr/sbin:/sbin"
#: Exit code of blkid for a device with several signatures at once.
AMBIVALENT = 8


def mounted_devices(text: str) -> dict[str, str]:
    """Parse proc(5)'s mountinfo: mount point -> device number (``8:16``); the later of two at one place counts."""
    found = {}
    for line in text.splitlines():
        _, _, device, _, place = line.split(maxsplit=5)[:5]
        found[re.sub(r"\\([0-7]{3})", lambda code: chr(int(code.group(1), 8)), place)] = device
    return found


def number(status: os.stat_result) -> str:
    return f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"


def closed(path: str) -> str:
    """Return why a device cannot be read; empty if it can. blkid reports such a device as empty."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def signature(path: str, run: Any) -> tuple[str, str]:
    """Probe the device with blkid: ``(filesystem, partition table)``; empty if it has none."""
    blkid = shutil.which("blkid", path=f"{os.environ.get('PATH', '')}:{SBIN}") or "blkid"
    code, out, _ = run([blkid, "-p", "-o", "export", path])
    found = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    return "several signatures" if code == AMBIVALENT else found.get("TYPE", ""), found.get("PTTYPE", "")


def names(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir())
    except OSError:
        return []


def model(block: Path) -> str:
    """What the maker calls a disk; empty where it is not said."""
    try:
        return (block / "device/model").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def parts(block: Path) -> list[str]:
    """Return the names of a disk's partitions."""
    return [name for name in names(block) if (block / name / "partition").is_file()]


def device_facts(
    disk: Mapping[str, str], mounted: Mapping[str, str], run: Any, blocks: Path = BLOCKS
) -> dict[str, Any]:
    """Return the facts of one of ``kafka_host_data_disks``: see ``DOCUMENTATION`` of ``kafka_host_info``."""
    path, where, tool = disk["device"], disk["mount"].rstrip("/"), f"mkfs.{disk.get('fstype') or 'xfs'}"
    facts: dict[str, Any] = {
        "kind": "absent",
        "closed": "",
        "filesystem": "",
        "table": "",
        "parts": [],
        "holders": [],
        "mounts": [],
        "at_mount": mounted.get(where, ""),
        "model": "",
        "tool": bool(shutil.which(tool, path=f"{os.environ.get('PATH', '')}:{SBIN}")),
    }
    try:
        status = os.stat(path)
    except OSError:
        return facts
    if not stat.S_ISBLK(status.st_mode):
        return {**facts, "kind": "other"}
    own, block = number(status), blocks / number(status)
    facts["closed"] = closed(path)
    facts["filesystem"], facts["table"] = ("", "") if facts["closed"] else signature(path, run)
    return {
        **facts,
        "kind": "block",
        "model": model(block),
        "parts": parts(block),
        "holders": names(block / "holders"),
        "mounts": [place for place, device in mounted.items() if device == own],
        "at_mount": "" if mounted.get(where) == own else facts["at_mount"],
    }


def observe(disks: Iterable[Mapping[str, str]], run: Any) -> dict[str, dict[str, Any]]:
    """Return device -> facts, for all disks of a host."""
    try:
        mounted = mounted_devices(MOUNTS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        mounted = {}
    return {disk["device"]: device_facts(disk, mounted, run) for disk in disks}
