"""Processor time by program, from Linux's process accounting and /proc: each process that ended, and each that runs.

The accounting file has a record for each process that ended, also for those in containers (acct(5), version 3).
It counts in hundredths of a second, rounded down: programs that take less are missing, and count as the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.machine import busy_jiffies

RECORD = struct.Struct("<BBHIIIIIIfHHHHHHHH16s")  #: acct_v3
VERSION = 3
TICKS = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")
#: Seconds by process and its program.
Times = dict[tuple[int, str], float]


@dataclass(frozen=True)
class Spent:
    """The time between two moments: wall seconds, processor seconds of the whole machine and of each program."""

    seconds: float
    processor: float
    programs: Mapping[str, float] = field(default_factory=dict)


def ended(content: bytes) -> Iterator[tuple[int, str, float]]:
    """Read the records of an accounting file: process id, program (15 letters at most), seconds of processor.

    Raises ValueError for another version of the format.
    """
    for fields in RECORD.iter_unpack(content[: len(content) // RECORD.size * RECORD.size]):
        if fields[1] != VERSION:
            raise ValueError(f"process accounting of version {fields[1]}, not {VERSION}")
        yield fields[6], fields[18].split(b"\0", 1)[0].decode(errors="replace"), _ticks(fields[10]) + _ticks(fields[11])


def _ticks(number: int) -> float:
    """Return the seconds of a comp_t: 13 bits, times 8 to the power of the upper 3, in ticks of a hundredth."""
    return float((number & 0x1FFF) << 3 * (number >> 13)) / 100


def running(proc: Path = PROC) -> Times:
    """Return the seconds of processor of each process that runs, its children not included."""
    found: Times = {}
    for path in proc.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended a moment ago
            number, _, rest = path.read_text(errors="replace").partition(" (")
            name, _, values = rest.rpartition(") ")
            found[int(number), name] = sum(map(int, values.split()[11:13])) / TICKS
    return found


def by_program(before: Times, after: Times, records: Iterator[tuple[int, str, float]]) -> dict[str, float]:
    """Return the seconds of each program between two looks; `records` are of the processes that ended between them."""
    found: dict[str, float] = {}
    pairs = [*((number, name, seconds) for (number, name), seconds in after.items()), *records]
    for number, name, seconds in pairs:
        found[name] = found.get(name, 0.0) + max(0.0, seconds - before.get((number, name), 0.0))
    return found


@contextlib.contextmanager
def accounted() -> Iterator[list[Spent]]:
    """Measure the body; afterwards the list has one value. Raises OSError without the right to (CAP_SYS_PACCT)."""
    found: list[Spent] = []
    with tempfile.NamedTemporaryFile() as file:
        before, began, worked = running(), time.monotonic(), busy_jiffies((PROC / "stat").read_text())
        _account(os.fsencode(file.name))
        try:
            yield found
        finally:
            _account(None)
        seconds, busy = time.monotonic() - began, busy_jiffies((PROC / "stat").read_text()) - worked
        programs = by_program(before, running(), ended(Path(file.name).read_bytes()))
        found.append(Spent(seconds, busy / TICKS, programs))


def _account(path: bytes | None) -> None:
    """Let the kernel write its records to a file; to none for None."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.acct(path):
        code = ctypes.get_errno()
        raise OSError(code, f"process accounting: {os.strerror(code)} (the profile needs root)")
