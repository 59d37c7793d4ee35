"""Who may change a host now: one run at a time, and a dead run does not bar the next.

Runs that only verify the cluster share the lock: they exclude a run that changes it, and not each other.

A lock is a small record on each host. Its run is known to be dead when its process ran on this machine and is gone, or
when this machine was booted since. Of a run on another machine this cannot be known: the operator clears its lock by
naming the run. What a dead run started may still work on a host, so that is waited for as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.wording import printable

#: Every task that changes a host carries the name of its run in this variable; what it starts inherits it.
RUN_VARIABLE = "KRAFTWRIGHT_RUN"
#: What a run does with the cluster while it holds the lock. Those that verify it share the lock.
CHANGED, VERIFIED = "changed", "verified"


@dataclasses.dataclass(frozen=True)
class Record:
    """``run``: name of the run, unique; ``who``: user@machine; ``machine``: id and name of the control machine;

    ``place``: the boot of its kernel and the namespace of process ids, ``<boot> <namespace>``, empty where there is no
    such thing; ``process``: pid and start of the run's main process; ``since``: UTC time, ISO 8601; ``pulse``: the file
    that all processes of the run hold locked; ``use``: what the run does with the cluster, CHANGED or VERIFIED.
    """

    run: str
    who: str
    machine: str
    place: str
    process: str
    since: str
    pulse: str = ""
    use: str = CHANGED

    @property
    def shares(self) -> bool:
        return self.use == VERIFIED

    def as_dict(self) -> dict[str, str]:
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Worker:
    """A process on the host that a run started. ``name``: its program's."""

    pid: int
    run: str
    name: str


def record(data: Mapping[str, Any] | None) -> Record | None:
    """The record in `data`; None for what names no run. What an older version did not write stays empty."""
    if not isinstance(data, Mapping) or not data.get("run"):
        return None
    given = {field.name: str(data.get(field.name, "")) for field in dataclasses.fields(Record)}
    return Record(**{**given, "use": VERIFIED if given["use"] == VERIFIED else CHANGED})


def obstacle(wanted: Record, held: Sequence[Record], takes_over: str) -> Record | None:
    """Who keeps `wanted` from the lock: another run that is not named to be taken over, unless both share the lock."""
    others = (one for one in held if one.run not in (wanted.run, takes_over))
    return next((one for one in others if not (one.shares and wanted.shares)), None)


def with_record(wanted: Record, held: Sequence[Record]) -> list[Record]:
    """The holders once `wanted` was granted: those who share with it stay, and whom it takes over goes."""
    return [*(one for one in held if one.run != wanted.run and one.shares and wanted.shares), wanted]


def is_stale(held: Record, ours: Record, alive: bool) -> bool:
    """Whether the run that holds the lock is known to be dead.

    `alive`: a process with its pid and start runs here. That is conclusive where both see the same processes, whatever
    the machine is called by now. A machine of the same id and name that was booted anew has ended it. Anything else
    (another machine, another container on this one) is not known.
    """
    if held.place == ours.place:
        return not alive and (bool(ours.place) or held.machine == ours.machine)
    booted_anew = held.place.partition(" ")[0] != ours.place.partition(" ")[0]
    return held.machine == ours.machine and bool(held.place) and booted_anew


def refusal(host: str, held: Record) -> str:
    """What to tell the second run."""
    message, remedy = explained(held)
    return printable(f"{host} {message}. {remedy[0].upper()}{remedy[1:]}")


def explained(held: Record) -> tuple[str, str]:
    """(what is wrong with a host that another run holds, what to do)."""
    pid = held.process.partition(" ")[0]
    message = f"is being {held.use} by another run: {held.who}, process {pid}, since {held.since}"
    return message, f"wait for it; if it is dead, run again with -e kafka_break_lock={held.run}"


def lost(host_path: str, run: str, held: Sequence[Record], broken: Sequence[str]) -> str:
    """Why `run` must change nothing more on a host; empty where it may. `broken`: runs whose lock was taken over."""
    other = next((one for one in held if one.run != run), None)
    if other and run not in [one.run for one in held]:
        return f"this run has lost its lock ({host_path}) to {other.who} (run {other.run}); it changes nothing more"
    if run in broken:
        return f"the lock of this run ({host_path}) was broken by kafka_break_lock; it changes nothing more"
    return ""


def unfinished(workers: Sequence[Worker], seconds: float) -> str:
    """What to tell a run that found work of a dead one still going on after `seconds`."""
    what = ", ".join(f"{worker.name} (process {worker.pid})" for worker in workers)
    return (
        f"a dead run ({', '.join(sorted({worker.run for worker in workers}))}) left work that still goes on after "
        f"{seconds:.0f} s: {what}. Wait until it has ended, or end it, then run again"
    )
