"""Safe reads from directories that a service's user can write: that user can neither redirect root nor block it.

No link below the directory that the inventory names is followed. Only regular files are opened for content, and no more
than a limit is read. An open never blocks, so a FIFO is refused at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator

#: Maximum bytes of a settings file, a marker or a record.
LIMIT = 4 << 20
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextlib.contextmanager
def directory(path: str, below: str = "") -> Iterator[int]:
    """Yield a descriptor of the directory `path`/`below`; no part of `below` may be a link. Raises OSError."""
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
    """Yield a descriptor of the regular file `name` in the directory `at`. Raises OSError for anything else."""
    handle = os.open(name, FILE_FLAGS, dir_fd=at)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is no regular file", name)
        yield handle
    finally:
        os.close(handle)


def is_of_root(handle: int) -> bool:
    """Check that the file belongs to root, or to the current user."""
    return os.fstat(handle).st_uid in (0, os.geteuid())


def content(name: str, at: int, limit: int = LIMIT, begin: int = 0, of_root: bool = False) -> bytes:
    """Return the file `name` in the directory `at`, from byte `begin` on. Raises OSError, also above `limit` bytes.

    `of_root`: refuse a file of any other user.
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
    """Return all of the file `below` the directory `path`. Raises OSError, also above `limit` bytes."""
    above, _, name = below.rpartition("/")
    with directory(path, above) as at:
        return content(name, at, limit)


def read_text(path: str, below: str, limit: int = LIMIT) -> str:
    """Return the same as text; empty if it cannot be read."""
    try:
        return read(path, below, limit).decode("utf-8", errors="replace")
    except OSError:
        return ""


def tail(path: str, size: int) -> tuple[str, bool]:
    """Return the last `size` bytes of a file as text, and whether the file is longer. Raises OSError."""
    above, name = os.path.split(path)
    with directory(above) as at, regular(name, at) as handle:
        begin = max(0, os.fstat(handle).st_size - size)
        return os.pread(handle, size, begin).decode("utf-8", errors="replace"), begin > 0
