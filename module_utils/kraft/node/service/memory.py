"""Heap limit and memory of the running process."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
LARGEST_HEAP = re.compile(r"^\s*[\"']?-Xmx(\d+)([kmgt]?)[\"']?\s*$", re.IGNORECASE | re.MULTILINE)
RESIDENT = re.compile(r"^VmRSS:\s*(\d+) kB$", re.MULTILINE)


def heap_bytes(options: str) -> int | None:
    """Return the heap limit of the JVM's options (one a line, the last one counts), in bytes; None if they set none."""
    found = LARGEST_HEAP.findall(options)
    return int(found[-1][0]) * UNITS[found[-1][1].lower()] if found else None


def resident_bytes(pid: int, proc: Path = Path("/proc")) -> int | None:
    """Return the memory of a process, in bytes; None if it is gone or its state cannot be read."""
    with contextlib.suppress(OSError):
        found = RESIDENT.search((proc / str(pid) / "status").read_text(errors="replace"))
        return int(found[1]) << 10 if found else None
    return None
