"""The run that writes a directory of reports: one at a time. A run that is dead blocks none."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.run_lock import lock
from ansible.module_utils.kraft.wording import printable

FILE, MODE = "run.lock", 0o640
Alive = Callable[[lock.Record], bool]


def take(directory: Path, ours: lock.Record, is_alive: Alive) -> lock.Record | None:
    """Record `ours` as the run that writes there; the dead run before it. RefusedError if that one may be alive.

    A run keeps the directory until it gives it back, or until its process ends.
    """
    with _opened(directory / FILE) as descriptor:
        held = _record(descriptor)
        other = held if held and held.run != ours.run else None
        if other and not lock.is_stale(other, ours, is_alive(other)):
            raise RefusedError([refusal(directory, other)])
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, (json.dumps(ours.as_dict()) + "\n").encode(), 0)
    return other


def give_back(directory: Path, run: str) -> None:
    """Remove the record of `run`: a control machine in another container cannot see that its process has ended."""
    if not (directory / FILE).exists():
        return
    with _opened(directory / FILE) as descriptor:
        held = _record(descriptor)
        if held and held.run == run:
            os.ftruncate(descriptor, 0)


def refusal(directory: Path, held: lock.Record) -> str:
    """Return the refusal for the second run, with its remedy."""
    pid = held.process.partition(" ")[0]
    return printable(
        f"{directory} is being written by another run: {held.who}, process {pid}, since {held.since} -> wait for it; "
        f"if it is dead, remove {directory / FILE} and run again"
    )


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open the file, locked for a moment: two runs do not read it before one has written."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, MODE)
    except OSError as error:
        remedy = "run as the user whose directory it is, or move it away"
        raise RefusedError([f"{path} cannot be written: {error.strerror} -> {remedy}"]) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _record(descriptor: int) -> lock.Record | None:
    found: Any = None
    with suppress(ValueError):
        found = json.loads(os.pread(descriptor, os.fstat(descriptor).st_size, 0) or b"null")
    return lock.record(found)
