"""Reads files from directories where a service may write: that user must not lead root anywhere, nor make it wait.

No link is followed below the directory that the inventory names, nothing but a regular file is opened for its content,
and no more is read than is asked for. An open never blocks, so a FIFO is refused at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

#: Bytes of a file of settings, of a marker, or of a record.
LIMIT = 4 << 20
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextlib.contextmanager
def directory(path: str, below: str = "") -> Iterator[int]:
    """A descriptor of the directory `path`/`below`; no part of `below` may be a link. Raises OSError."""
    handle = os.open(path, DIRECTORY_FLAGS)
    try:
        for part in filter(None, below.split("/")):
            above, handle = handle, os.open(part, DIRECTORY_FLAGS | os.O_NOFOLLOW, dir_fd=handle)
            os.close(above)
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def regular(name: str, at: int) -> Iterator[int]:
    """A descriptor of the regular file `name` in the directory `at`. Raises OSError for all else."""
    handle = os.open(name, FILE_FLAGS, dir_fd=at)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is no regular file", name)
        yield handle
    finally:
        os.close(handle)


def is_of_root(handle: int) -> bool:
    """Whether it belongs to root, or to us."""
    return os.fstat(handle).st_uid in (0, os.geteuid())


def content(name: str, at: int, limit: int = LIMIT, begin: int = 0, of_root: bool = False) -> bytes:
    """The file `name` in the directory `at`, from byte `begin` on. Raises OSError, also for more than `limit` bytes.

    `of_root`: a file of any other user is refused.
    """
    with regular(name, at) as handle, os.fdopen(os.dup(handle), "rb") as file:
        if of_root and not is_of_root(handle):
            raise PermissionError(errno.EPERM, "does not belong to root", name)
        file.seek(begin)
        found = file.read(limit + 1)
    if len(found) > limit:
        raise OSError(errno.EFBIG, f"has more than {limit} bytes", name)
    return found


def read(path: str, below: str, limit: int = LIMIT) -> bytes:
    """All of the file `below` the directory `path`. Raises OSError, also where it has more than `limit` bytes."""
    above, _, name = below.rpartition("/")
    with directory(path, above) as at:
        return content(name, at, limit)


def read_text(path: str, below: str, limit: int = LIMIT) -> str:
    """The same as text; empty where it cannot be read."""
    try:
        return read(path, below, limit).decode("utf-8", errors="replace")
    except OSError:
        return ""


def tail(path: str, size: int) -> tuple[str, bool]:
    """The last `size` bytes of a file as text, and whether something stands before them. Raises OSError."""
    above, name = os.path.split(path)
    with directory(above) as at, regular(name, at) as handle:
        begin = max(0, os.fstat(handle).st_size - size)
        return os.pread(handle, size, begin).decode("utf-8", errors="replace"), begin > 0
