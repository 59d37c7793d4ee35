"""The lock of a host: one run at a time may change it, and a dead run does not block the next.

Runs that only verify the cluster share the lock: they exclude a run that changes it, and not each other.

A lock is a small record on each host. Its run is dead if its process ran on this machine and is gone, or if this
machine was rebooted since. For a run on another machine this is unknown: the operator clears its lock by naming the
run. Processes of a dead run may still work on a host, so they are waited for as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.wording import printable

#: Every task that changes a host carries the name of its run in this variable; child processes inherit it.
RUN_VARIABLE = "KRAFTWRIGHT_RUN"
#: Use of the cluster by the run that holds the lock. Runs that verify it share the lock.
CHANGED, VERIFIED = "changed", "verified"


@dataclasses.dataclass(frozen=True)
class Record:
    """``run``: unique name of the run; ``who``: user@machine; ``machine``: id and name of the control machine;

    ``place``: the boot of its kernel and the namespace of process ids, ``<boot> <namespace>``, empty if unknown;
    ``process``: pid and start of the run's main process; ``since``: UTC time, ISO 8601; ``pulse``: the file that all
    processes of the run hold locked; ``use``: use of the cluster by the run, CHANGED or VERIFIED.
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
    """Parse the record in `data`; None if it names no run. Fields that an older version did not write stay empty."""
    if not isinstance(data, Mapping) or not data.get("run"):
        return None
    given = {field.name: str(data.get(field.name, "")) for field in dataclasses.fields(Record)}
    return Record(**{**given, "use": VERIFIED if given["use"] == VERIFIED else CHANGED})


def obstacle(wanted: Record, held: Sequence[Record], takes_over: str) -> Record | None:
    """Return the record that blocks `wanted`: of another run that is not taken over, unless both share the lock."""
    others = (one for one in held if one.run not in (wanted.run, takes_over))
    return next((one for one in others if not (one.shares and wanted.shares)), None)


def with_record(wanted: Record, held: Sequence[Record]) -> list[Record]:
    """Return the holders after `wanted` is granted: those that share with it stay, the one it takes over goes."""
    return [*(one for one in held if one.run != wanted.run and one.shares and wanted.shares), wanted]


def is_stale(held: Record, ours: Record, alive: bool) -> bool:
    """Check that the run that holds the lock is known to be dead.

    `alive`: a process with its pid and start runs here. That is conclusive if both see the same processes, whatever the
    machine's name is by now. A reboot of the machine of the same id and name has ended it. Anything else (another
    machine, another container on this one) is unknown.
    """
    if held.place == ours.place:
        return not alive and (bool(ours.place) or held.machine == ours.machine)
    booted_again = held.place.partition(" ")[0] != ours.place.partition(" ")[0]
    return held.machine == ours.machine and bool(held.place) and booted_again


def refusal(host: str, held: Record) -> str:
    """Return the refusal for the second run."""
    message, remedy = explained(held)
    return printable(f"{host}{message.removeprefix('The host')}. {remedy[0].upper()}{remedy[1:]}")


def explained(held: Record) -> tuple[str, str]:
    """Return (problem of a host that another run holds, remedy)."""
    pid = held.process.partition(" ")[0]
    message = f"The host is being {held.use} by another run: {held.who}, process {pid}, since {held.since}"
    return message, f"wait for it; if it is dead, run again with -e kafka_break_lock={held.run}"


def lost(host_path: str, run: str, held: Sequence[Record], broken: Sequence[str]) -> str:
    """Return why `run` must stop changing a host; empty if it may go on. `broken`: runs whose lock was taken over."""
    other = next((one for one in held if one.run != run), None)
    if other and run not in [one.run for one in held]:
        return f"this run has lost its lock ({host_path}) to {other.who} (run {other.run}); it changes nothing more"
    if run in broken:
        return f"the lock of this run ({host_path}) was broken by kafka_break_lock; it changes nothing more"
    return ""


def unfinished(workers: Sequence[Worker], seconds: float) -> str:
    """Return the message for a run that finds work of a dead one still running after `seconds`."""
    what = ", ".join(f"{worker.name} (process {worker.pid})" for worker in workers)
    return (
        f"a dead run ({', '.join(sorted({worker.run for worker in workers}))}) left work that still goes on after "
        f"{seconds:.0f} s: {what}. Wait until it has ended, or end it, then run again"
    )
