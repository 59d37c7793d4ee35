"""Files that are whole or not there, and one run at a time that makes them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import sys
from collections.abc import Iterator
from pathlib import Path

LOCK = ".dist.lock"
READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextlib.contextmanager
def whole(target: Path) -> Iterator[Path]:
    """Yield the path for writing `target`, which is then renamed. Remains of failures and kills are removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.part")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write(target: Path, text: str) -> None:
    """Write a small file in one step."""
    with whole(target) as partial:
        partial.write_text(text)


@contextlib.contextmanager
def alone(cache: Path) -> Iterator[None]:
    """Hold the lock of `cache`, and wait for another run that holds it. The kernel releases it with the process.

    A cache that cannot be written needs no lock.
    """
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / LOCK).open("a")
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        yield
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write(f"dist: another run makes something in {cache}; waiting until it has ended\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
