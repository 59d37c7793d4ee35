"""State of a host, as far as a deployment could change it: ``host_state.py remember|compare``, run there as root.

Files with owner, mode, size, times (ctime among them, which cannot be set) and the content of small ones; mounts, units
and their processes with start times, kernel settings. ``compare`` names every difference to the remembered state and
exits with DIFFERENT when there is one. It ignores logs, the clock, and Kafka's own writes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REMEMBERED = Path("/run/host_state.json")
#: The system's own, logs, and files that Ansible and Python leave.
SKIPPED = re.compile(
    r"/(proc|sys|dev|run|tmp|var/tmp|var/log|var/lib/systemd|srv/kafka/logs)|.*/(\.ansible|__pycache__)"
)
LOG_DIR = re.compile(r"/opt/kafka/kraft-logs/[^/]+|/srv/kafka/(data\d|meta)|/data/kafka-logs\d")
#: Partitions that Kafka is about to remove, at its own pace.
LEAVING = re.compile(r".+-(delete|stray)")
#: Partitions that a running broker has got at its own pace, as after a restart or a move.
ARRIVED = re.compile(rf"({LOG_DIR.pattern})/[^/]+-\d+(-future)?")
#: Homes, in which Ansible makes its own folder.
HOMES = ("/root", "/home/ops")
#: In a log dir: files of a format, which a mistake could change.
IDENTITY = ("meta.properties", "bootstrap.checkpoint")
CONTENT = ("/etc", "/opt/kafka", "/srv/kafka", "/data", "/usr/local")
LARGEST_CONTENT = 100_000
UNITS = ["systemctl", "show", "*.service", "--property=Id,ActiveState,MainPID,ExecMainStartTimestampMonotonic"]
#: Services that D-Bus starts for a question (`timedatectl`), and that end by themselves.
ON_DEMAND = re.compile(r"systemd-(timedated|hostnamed|localed)\.service")
KERNEL = ("vm/swappiness", "vm/max_map_count", "vm/dirty_ratio", "vm/dirty_background_ratio")
SHOWN = 20
DIFFERENT = 1  #: exit code


def files(root: str = "/") -> Iterator[tuple[str, Any]]:
    """Yield path and attributes of everything that should stay unchanged."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not SKIPPED.fullmatch(os.path.join(folder, name)))
        in_log_dir = bool(LOG_DIR.fullmatch(folder))
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            if not in_log_dir or name in IDENTITY or (name in folders and not LEAVING.fullmatch(name)):
                busy = path in HOMES or LOG_DIR.fullmatch(path) or (in_log_dir and name in folders)
                yield path, entry(path, whole=not busy)
        if in_log_dir:
            folders.clear()


def entry(path: str, whole: bool) -> Any:
    """Return kind, mode and owner; of a `whole` one also size, times, target and content."""
    try:
        found = os.lstat(path)
        owner = (oct(found.st_mode), found.st_uid, found.st_gid)
        if not whole:
            return owner
        target = os.readlink(path) if stat.S_ISLNK(found.st_mode) else ""
        return (*owner, found.st_size, found.st_mtime_ns, found.st_ctime_ns, target, content(path, found))
    except FileNotFoundError:
        return "gone"


def content(path: str, found: os.stat_result) -> str:
    """Return the digest of a small file that a deployment may write; a larger one is identified by its ctime."""
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_CONTENT or not path.startswith(CONTENT):
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def units() -> Iterator[tuple[str, Any]]:
    """Yield every service with its process and the process's start."""
    shown = subprocess.run(UNITS, capture_output=True, text=True, check=True).stdout  # noqa: S603
    for block in shown.strip().split("\n\n"):
        known = dict(line.split("=", 1) for line in block.splitlines())
        name = known.pop("Id", "?")
        if not ON_DEMAND.fullmatch(name):
            yield f"unit {name}", sorted(known.items())


def state() -> dict[str, Any]:
    """Return everything, by name."""
    kernel = ((f"kernel {name}", Path("/proc/sys", name).read_text()) for name in KERNEL)
    mounts = ((f"mount {at}", line) for at, line in enumerate(Path("/proc/1/mounts").read_text().splitlines()))
    return json.loads(json.dumps(dict([*files(), *units(), *kernel, *mounts])))  # type: ignore[no-any-return]


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Return names of changes. A new partition is Kafka's own work; a missing or foreign one is not."""
    changed = (name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return sorted(name for name in changed if name in before or not ARRIVED.fullmatch(name))


def main(verb: str) -> int:
    """Remember the state, or compare it with the remembered one."""
    now = state()
    if verb == "remember":
        REMEMBERED.write_text(json.dumps(now))
        return 0
    before = json.loads(REMEMBERED.read_text())
    differing = differences(before, now)
    for name in differing[:SHOWN]:
        sys.stdout.write(f"{name}: {before.get(name)} -> {now.get(name)}\n")
    digest = hashlib.sha256(json.dumps(now, sort_keys=True).encode()).hexdigest()[:16]
    sys.stdout.write(f"{len(now)} things, {len(differing)} of them changed ({digest})\n")
    return DIFFERENT if differing or not now else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
