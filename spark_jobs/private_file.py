"""Files and directories for their owner and group alone, with any umask: they describe the cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

HOME = ".kraftwright"  #: what runs keep on this machine, by cluster
FILE_MODE, DIRECTORY_MODE = 0o640, 0o750
OTHERS = 0o027  # what a umask must take away


def directory(path: Path) -> Path:
    """Make the directory if it is missing; an existing one keeps its mode, for it may not be ours."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
    return path


def opened(path: Path) -> TextIO:
    """Open the file, emptied, for writing; one that an earlier version left open to all is closed to others."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    os.fchmod(descriptor, FILE_MODE)
    return os.fdopen(descriptor, "w", encoding="utf-8")


def write(path: Path, text: str) -> None:
    """Write the whole text of a file."""
    with opened(path) as file:
        file.write(text)


def below(directory: Path, name: str) -> Path:
    """Return the file `name` of another machine in `directory`. Raises ValueError for a name that leads out of it."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"{name!r}: leads out of {directory}")
    return directory / name


def of_run(path: str) -> Path:
    """Return a run's output directory. Parts below ``.kraftwright`` may come from a host, and lead nowhere else.

    Raises ValueError for a path that leads out of it.
    """
    parts = Path(path).parts
    if HOME in parts and ".." in parts[parts.index(HOME) :]:
        raise ValueError(f"{path!r}: leads out of {HOME}")
    return Path(path).absolute()


@contextmanager
def closed_to_others() -> Iterator[None]:
    """Close everything that is made inside to others, also by libraries and by other processes that are started."""
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)
