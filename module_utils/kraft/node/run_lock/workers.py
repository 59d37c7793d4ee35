"""Find processes on this host that runs have started, by the variable that their tasks carry.

Any user can set that variable. So only processes of the current user count, which is root.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from ansible.module_utils.kraft.node.run_lock.lock import RUN_VARIABLE, Worker

PROC = Path("/proc")
STEP = 0.1
MARK = RUN_VARIABLE.encode() + b"="


def run_of(process: Path) -> str:
    """Return the run that started a process; empty if no run did, or if the process has ended."""
    with contextlib.suppress(OSError):
        entries = (process / "environ").read_bytes().split(b"\0")
        return next((entry[len(MARK) :].decode(errors="replace") for entry in entries if entry.startswith(MARK)), "")
    return ""


def is_of(process: Path, user: int) -> bool:
    """Check that a process has no other user than `user`: real, effective, saved and filesystem."""
    with contextlib.suppress(OSError):
        lines = (process / "status").read_text(errors="replace").splitlines()
        return any(line.split() == ["Uid:", *[str(user)] * 4] for line in lines)
    return False


def workers(own_run: str, proc: Path = PROC, user: int | None = None) -> list[Worker]:
    """Return processes of other runs than `own_run`; kernel threads and dead processes have no environment.

    `user`: whose processes count; by default the current user's.
    """
    user = os.geteuid() if user is None else user
    found = []
    for name in filter(str.isdigit, os.listdir(proc)):
        run = run_of(proc / name)
        if run and run != own_run and is_of(proc / name, user):
            with contextlib.suppress(OSError):
                found.append(Worker(int(name), run, (proc / name / "comm").read_text().strip()))
    return sorted(found, key=lambda worker: worker.pid)


def wait_for_others(
    own_run: str, seconds: float, list_workers: Callable[[str], list[Worker]] = workers
) -> list[Worker]:
    """Wait until no process of another run is left. Returns those that remain after `seconds`."""
    deadline = time.monotonic() + seconds
    while (found := list_workers(own_run)) and time.monotonic() < deadline:
        time.sleep(STEP)
    return found
