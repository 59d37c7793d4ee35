"""One job at a time in a directory of reports, and no verdict there of an older one.

A job holds ``job.lock`` locked, which the kernel ends with its last process. The file names them.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from spark_jobs import private_file
from spark_jobs.errors import UsageError

LOCK = "job.lock"
REPORTS = ("report.json", "page.html")
#: In the environment of a job's processes: the lock that the job holds for all of them.
INHERITED = "KRAFTWRIGHT_JOB_LOCK"
RUN_VARIABLE = "KRAFTWRIGHT_RUN"  #: names the Ansible run that has started the job
OLDER = "older_"  #: before the name of a report that is set aside
PATIENCE, STEP = 20.0, 0.1
HELD: dict[Path, int] = {}  #: descriptors of the locks that this process holds


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Make the directory and hold its lock. UsageError if another job is at work there, or if it cannot be written."""
    path = directory.absolute() / LOCK
    if os.environ.get(INHERITED) == str(path):
        yield
        return
    try:
        private_file.directory(directory)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, private_file.FILE_MODE)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError([f"output_dir: {directory} cannot be written: {why}. Give another one"]) from None
    try:
        if not locked(descriptor):
            raise UsageError([_refusal(path)])
        HELD[path] = descriptor
        _note(path, [os.getpid()])
        yield
    finally:
        HELD.pop(path, None)
        os.close(descriptor)


def for_child(directory: Path) -> tuple[dict[str, str], tuple[int, ...]]:
    """Return variables and descriptors for a child, which holds the lock of the directory, too. None without lock."""
    path = directory.absolute() / LOCK
    return ({INHERITED: str(path)}, (HELD[path],)) if path in HELD else ({}, ())


def note_child(directory: Path, pid: int) -> None:
    """Name a child, the first process of its group, beside this process."""
    path = directory.absolute() / LOCK
    if path in HELD:
        _note(path, [os.getpid(), pid])


def end(directory: Path, run: str, patience: float = PATIENCE) -> None:
    """End the job that a dead Ansible run has left at work there."""
    path, deadline = directory / LOCK, time.monotonic() + patience
    found = _noted(path)
    while is_held(path) and found.get("run") == run and time.monotonic() < deadline:
        for pid, start in found.get("processes", ()):
            if start and start == began(pid):
                with suppress(OSError):
                    (os.killpg if os.getpgid(pid) == pid else os.kill)(pid, signal.SIGTERM)
        time.sleep(STEP)


def is_held(path: Path) -> bool:
    """Check whether a process holds this lock."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        return not locked(descriptor)
    finally:
        os.close(descriptor)


def clear(directory: Path, names: Sequence[str] = REPORTS) -> None:
    """Remove the reports of an older job: from here on none counts but that of this job. UsageError if one stays."""
    for name in names:
        try:
            (directory / name).unlink(missing_ok=True)
        except OSError as error:
            why = f"{directory / name} cannot be replaced: {error.strerror}"
            raise UsageError([f"output_dir: {why}. Remove it, or give another output_dir"]) from None


def set_aside(directory: Path, names: Sequence[str] = REPORTS) -> list[str]:
    """Rename the reports of an older job, since this one has no usable configuration; return the new paths.

    Those of a job that is at work stay.
    """
    moved: list[str] = []
    if any((directory / name).exists() for name in names):
        with suppress(UsageError), alone(directory):
            for name in names:
                with suppress(OSError):
                    os.replace(directory / name, directory / f"{OLDER}{name}")
                    moved.append(str(directory / f"{OLDER}{name}"))
    return moved


def locked(descriptor: int) -> bool:
    """Lock an open file until it is closed, or until the last process with it ends; false if another one has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note(path: Path, pids: Sequence[int]) -> None:
    content = {"run": os.environ.get(RUN_VARIABLE, ""), "processes": [[pid, began(pid)] for pid in pids]}
    os.ftruncate(HELD[path], 0)
    os.pwrite(HELD[path], (json.dumps(content) + "\n").encode(), 0)


def _noted(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text())
        return found if isinstance(found, dict) else {}
    return {}


def _refusal(path: Path) -> str:
    alive = [str(pid) for pid, start in _noted(path).get("processes", ()) if start == began(pid)]
    named = f" (process {', '.join(alive)})" if alive else ""
    remedy = "Wait until it has ended or end it, or give another output_dir"
    return f"output_dir: another job{named} is at work in {path.parent}. {remedy}"


def began(pid: int) -> str:
    """Return the start of a process, in ticks since the boot (field 22 of proc(5)); empty if the system has none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
