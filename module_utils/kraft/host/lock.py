"""Who may change a host now: one run at a time, and a dead run does not bar the next.

A lock is a small record on each host. The run that left one behind is known to be dead when it was started on the same
control machine and its process is gone; a lock from elsewhere is cleared by naming its run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Record:
    """``run``: name of the run, unique; ``who``: user@machine; ``machine``: id of the control machine;

    ``process``: pid and start time of the run's main process; ``since``: UTC time, ISO 8601.
    """

    run: str
    who: str
    machine: str
    process: str
    since: str

    def as_dict(self) -> dict[str, str]:
        return dataclasses.asdict(self)


def record(data: Mapping[str, Any] | None) -> Record | None:
    """The record in `data`; None for one that is missing or was torn by a crash of the host (nobody holds that)."""
    if not data:
        return None
    try:
        return Record(**{field.name: str(data[field.name]) for field in dataclasses.fields(Record)})
    except KeyError:
        return None


def granted(wanted: Record, held: Record | None, takes_over: str) -> bool:
    """Whether `wanted` may hold the lock that `held` has: it is free, ours already, or named to be taken over."""
    return held is None or held.run in (wanted.run, takes_over)


def is_stale(held: Record, machine: str, alive: bool) -> bool:
    """Whether the run that holds the lock is known to be dead; `alive`: its process runs on this control machine."""
    return held.machine == machine and not alive


def refusal(host: str, held: Record) -> str:
    """What to tell the second run."""
    return (
        f"{host} is being changed by another run: {held.who}, process {held.process.split()[0]}, since {held.since}. "
        f"Wait for it; if it is dead, run again with -e kafka_break_lock={held.run}"
    )
