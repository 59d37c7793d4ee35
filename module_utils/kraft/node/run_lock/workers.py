"""Finds what runs have started on this host and is still at work, by the variable that their tasks carry."""

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
    """The run that started a process; empty for what no run did, and for a process that has ended."""
    with contextlib.suppress(OSError):
        entries = (process / "environ").read_bytes().split(b"\0")
        return next((entry[len(MARK) :].decode(errors="replace") for entry in entries if entry.startswith(MARK)), "")
    return ""


def workers(own_run: str, proc: Path = PROC) -> list[Worker]:
    """Processes of other runs than `own_run`; kernel threads and dead processes have no environment."""
    found = []
    for name in filter(str.isdigit, os.listdir(proc)):
        run = run_of(proc / name)
        if run and run != own_run:
            with contextlib.suppress(OSError):
                found.append(Worker(int(name), run, (proc / name / "comm").read_text().strip()))
    return sorted(found, key=lambda worker: worker.pid)


def wait_for_others(own_run: str, seconds: float, look: Callable[[str], list[Worker]] = workers) -> list[Worker]:
    """Wait until no other run's work goes on; gives what still does after `seconds`."""
    deadline = time.monotonic() + seconds
    while (found := look(own_run)) and time.monotonic() < deadline:
        time.sleep(STEP)
    return found
