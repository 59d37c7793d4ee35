"""Voters that a quorum loses and gains so that one controller is, or is not, one of them. Pure.

A voter is known by its node id *and* the directory id of its metadata log (KIP-853). A controller whose disk was wiped
and formatted again comes back as an observer under a new directory id. Its old entry still counts as a voter that is
away, and Kafka refuses a second entry of the same node id (DUPLICATE_VOTER). So the old one goes first.

These rules keep the quorum available: the last voter never goes; after each step most voters have caught up;
a new voter must have caught up before, or a majority could depend on a log that is not there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up, delay, listed
from ansible.module_utils.kraft.cluster.shutdown_check import majority, silent
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.problem import Problem

#: Parts of a snapshot that a plan needs.
PARTS = ("quorum", "features")
UNKNOWN = -1  #: a time that the leader does not have
KRAFT_VERSION = "kraft.version"


@dataclasses.dataclass(frozen=True)
class Listener:
    """Address of a voter for the other controllers: a listener's name, host and port."""

    name: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.name}://{host_port(self.host, self.port)}"


@dataclasses.dataclass(frozen=True)
class Desired:
    """``directory_id`` empty: that of the entry, or of the observer that is there. ``replace``: an old entry may go."""

    node_id: int
    present: bool = True
    directory_id: str = ""
    listeners: tuple[Listener, ...] = ()
    replace: bool = False
    largest_delay_ms: int = LARGEST_DELAY_MS


@dataclasses.dataclass(frozen=True)
class Plan:
    """``remove`` and ``add`` are directory ids of the desired node, removed first; ``waits``: what must come to pass
    before the first step, in words."""

    desired: Desired
    remove: str = ""
    add: str = ""
    waits: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return bool(self.remove or self.add)

    def steps(self) -> tuple[str, ...]:
        node_id, where = self.desired.node_id, ", ".join(str(one) for one in self.desired.listeners)
        removal = (f"remove controller {node_id}, directory id {self.remove}",) if self.remove else ()
        return (*removal, *((f"add controller {node_id}, directory id {self.add}, at {where}",) if self.add else ()))


def plan(desired: Desired, snapshot: Snapshot) -> Plan:
    """Return the plan from a snapshot that holds PARTS and has no ``problems``."""
    quorum = snapshot.quorum
    if quorum is None or quorum.leader_id == NO_NODE:
        return Plan(desired, waits=("the controllers have no leader",))
    entry = _entry(quorum, desired.node_id)
    if not desired.present:
        there = entry and desired.directory_id in ("", entry.directory_id)
        remove, add = (entry.directory_id if entry and there else ""), ""
    else:
        add = target(desired, quorum)
        remove = entry.directory_id if entry and add != entry.directory_id else ""
        if entry and not remove:
            add = ""
        elif not add:
            return Plan(desired, waits=(_not_seen(desired),))
    if not remove and not add:
        return Plan(desired)
    return Plan(desired, remove, add, tuple(_waits(desired, quorum, remove, add)))


def target(desired: Desired, quorum: Quorum) -> str:
    """Return the directory id of the desired voter: the given one, else that of the entry or of the latest observer.

    If an entry that is not caught up may be replaced, an observer of the same node that was heard of later replaces
    it; an entry that was removed stays in the leader's list as an observer for some minutes. Empty: nothing is seen.
    """
    if desired.directory_id:
        return desired.directory_id
    entry = _entry(quorum, desired.node_id)
    stays = entry and (not desired.replace or caught_up(entry, desired.largest_delay_ms))
    least = entry.last_fetch_ms if entry else UNKNOWN - 1
    later = [one for one in quorum.observers if one.node_id == desired.node_id and one.last_fetch_ms > least]
    if entry and (stays or not later):
        return entry.directory_id
    return max(later, key=lambda one: one.last_fetch_ms).directory_id if later else ""


def quorum_refusals(desired: Desired, snapshot: Snapshot) -> list[Problem]:
    """Return all final obstacles, which no waiting removes."""
    level = next((one.level for one in snapshot.features or () if one.name == KRAFT_VERSION), 0)
    if snapshot.features is not None and level < 1:
        text = f"The quorum is static ({KRAFT_VERSION} {level}): controller.quorum.voters lists its voters"
        return [Problem("static_quorum", text, "migrate it first (playbooks/migrate_quorum.yml)")]
    return list(_problems(desired, snapshot.quorum)) if snapshot.quorum else []


def _problems(desired: Desired, quorum: Quorum) -> Iterator[Problem]:
    entry, where = _entry(quorum, desired.node_id), f"controller {desired.node_id}"
    if entry is None:
        return
    if not desired.present:
        goes = desired.directory_id in ("", entry.directory_id)
        if goes and len(quorum.voters) == 1:
            text = "The controller is the last voter, and a cluster cannot run without one"
            yield Problem("last_voter", text, "add another controller first", where)
        return
    wanted = target(desired, quorum)
    if wanted == entry.directory_id:
        return
    if not desired.replace:
        text = f"The quorum lists this controller with directory id {entry.directory_id}, but {wanted} was requested"
        remedy = "mount its old disk again or, if that is lost, set replace: true"
        yield Problem("other_directory", text, remedy, where)
    elif caught_up(entry, desired.largest_delay_ms):
        text = f"The controller runs with directory id {entry.directory_id}; {wanted} would be a second process"
        yield Problem("voter_lives", text, "stop the other process of this node", where)
    elif len(quorum.voters) == 1:
        text = f"The controller was the only voter (directory id {entry.directory_id}); the metadata was on its disk"
        yield Problem("last_voter", text, "mount its old disk again", where)


def _waits(desired: Desired, quorum: Quorum, remove: str, add: str) -> Iterator[str]:
    """Describe preconditions: a new voter has caught up, and after each step a majority has caught up."""
    rest = [one for one in quorum.voters if one.node_id != desired.node_id or not remove]
    ready = [one for one in rest if caught_up(one, desired.largest_delay_ms)]
    if add:
        yield from _not_ready(desired, quorum, add)
        yield from _not_silent(desired, quorum, remove)
    steps = ([len(rest)] if remove else []) + ([len(rest) + 1] if add else [])
    for voters in steps:
        there = len(ready) + (1 if voters > len(rest) else 0)
        if there < majority(voters):
            behind = [f"controller {one.node_id} {delay(one)}" for one in rest if one not in ready]
            yield (
                f"{'; '.join(behind)}: of {voters} voters ({listed(_ids(rest, desired, voters))}) only {there} "
                f"would be caught up, and {majority(voters)} are needed"
            )
            return


def _ids(rest: list[Replica], desired: Desired, voters: int) -> set[int]:
    return {one.node_id for one in rest} | ({desired.node_id} if voters > len(rest) else set())


def _not_ready(desired: Desired, quorum: Quorum, add: str) -> Iterator[str]:
    seen = next((one for one in quorum.observers if (one.node_id, one.directory_id) == (desired.node_id, add)), None)
    if seen is None:
        yield _not_seen(desired)
    elif not caught_up(seen, desired.largest_delay_ms):
        yield f"controller {desired.node_id} {delay(seen)}"


def _not_silent(desired: Desired, quorum: Quorum, remove: str) -> Iterator[str]:
    """Describe a replaced entry whose process may run elsewhere, until it is known to be silent."""
    entry = _entry(quorum, desired.node_id)
    if entry and remove and not silent(entry, quorum):
        yield f"controller {entry.node_id} with directory id {remove} {delay(entry)} and may still run: stop it first"


def _not_seen(desired: Desired) -> str:
    named = f" with directory id {desired.directory_id}" if desired.directory_id else ""
    why = "it does not run, or its settings name other controllers"
    return f"controller {desired.node_id}{named} does not follow the leader: {why}"


def _entry(quorum: Quorum, node_id: int) -> Replica | None:
    return next((one for one in quorum.voters if one.node_id == node_id), None)


def distance(desired: Desired, snapshot: Snapshot | None) -> int | None:
    """Return the lag, in records, of the nodes that a plan waits for; while its minimum falls, waiting pays."""
    if snapshot is None or snapshot.quorum is None:
        return None
    quorum = snapshot.quorum
    observers = [one for one in quorum.observers if one.node_id == desired.node_id]
    lags = [one.lag for one in (*quorum.voters, *observers) if one.lag is not None]
    silent = sum(one.lag is None for one in (*quorum.voters, *observers))
    return sum(lags) + 1_000_000_000 * (silent + (not observers))
