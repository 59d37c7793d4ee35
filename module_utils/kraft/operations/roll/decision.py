"""Decide the batches of a roll, and which of them need no shutdown check. Pure: from observations to batches.

A batch goes unchecked only on evidence that the check could not help: nothing of the cluster is reachable, from here
and from each host, or its controllers themselves report that they have no leader. An answer that is denied, late or
unreadable is no evidence: the roll is refused with its text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.controllers import electing
from ansible.module_utils.kraft.cluster.health import Expected
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.shutdown_check import majority, risks, silent, unknown
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.roll.batches import Members, batches
from ansible.module_utils.kraft.problem import Problem


@dataclasses.dataclass(frozen=True)
class HostLook:
    """Result of a host's own inspection before the run's first change. ``running_seconds``: age of its process, or 0.

    ``answer`` is ``known``, ``unknown`` or ``unreachable``; empty if no Kafka ran, so that nothing was queried.
    """

    host: str
    answer: str = ""
    running_seconds: float = 0.0


@dataclasses.dataclass(frozen=True)
class Sight:
    """All observations for the plan of a roll. ``claims``: each controller's leader, queried one by one."""

    cluster: Outcome[Snapshot]
    claims: tuple[Claim, ...] = ()
    looks: tuple[HostLook, ...] = ()


@dataclasses.dataclass(frozen=True)
class Batch:
    """Nodes that go down together. ``keep``: those that keep their record for a rollback."""

    node_ids: tuple[int, ...]
    checked: bool
    keep: frozenset[int] = frozenset()


def led(cluster: Outcome[Snapshot]) -> bool:
    """Check that everything is known on which the order depends, a leader included."""
    return isinstance(cluster, Known) and not unknown(cluster.value) and cluster.value.controller_id != NO_NODE


def decide(
    sight: Sight, running: Mapping[int, bool], wanted: Expected, together: int, start_seconds: float
) -> list[Batch]:
    """Return the batches for the nodes of `running` (node id -> whether its process runs). Raises RefusedError.

    `start_seconds`: an older process has had the time to start.
    """
    cluster = sight.cluster
    if isinstance(cluster, Known):
        if led(cluster):
            return _checked(cluster.value, running, wanted, together)
        if _leaderless(cluster.value, sight.claims, wanted):
            return _without_leader(running, wanted.voter_ids)
        raise _refused(unknown(cluster.value) or ("the controllers have no leader",))
    if isinstance(cluster, Unknown):
        raise _refused([cluster.why])
    if isinstance(cluster, Unreachable):
        if not _no_leader_reported(sight.claims, wanted) and (signs := _signs(sight, start_seconds)):
            raise _refused([cluster.why, *signs])
        return _one_by_one(running, False, running)
    return never(cluster)


def _refused(reasons: Iterable[str]) -> RefusedError:
    remedy = "repair it, or stop the nodes with systemctl stop kafka if no client uses them, and run again"
    return RefusedError([Problem("roll_unknown", f"no node is restarted: {text}", remedy) for text in reasons])


def _checked(snapshot: Snapshot, running: Collection[int], wanted: Expected, together: int) -> list[Batch]:
    members = Members(wanted.voter_ids, wanted.broker_ids)
    sets = batches(snapshot, running, members, together, wanted.largest_delay_ms)
    down = known_down(snapshot, wanted)
    return [Batch(one, True, frozenset(one) - down) for one in sets]


def known_down(snapshot: Snapshot, wanted: Expected) -> frozenset[int]:
    """Return the nodes that do not serve now. A late one, or one that a new leader has not heard from, may serve."""
    quorum = snapshot.quorum
    silent_ones = {one.node_id for one in quorum.voters if silent(one, quorum)} if quorum else set()
    missing = wanted.voter_ids - {one.node_id for one in quorum.voters} if quorum else frozenset()
    fenced = {one.node_id for one in snapshot.brokers if one.fenced}
    return frozenset(silent_ones | missing | fenced | (wanted.broker_ids - snapshot.unfenced))


def _leaderless(snapshot: Snapshot, claims: Sequence[Claim], wanted: Expected) -> bool:
    """Check that the quorum itself reports no leader: by a broker that has it from there, or by most controllers."""
    if snapshot.quorum is not None:
        return snapshot.quorum.leader_id == NO_NODE
    return _no_leader_reported(claims, wanted)


def _no_leader_reported(claims: Sequence[Claim], wanted: Expected) -> bool:
    answered = [claim for claim in claims if claim.answered]
    return electing(claims) and len(answered) >= majority(max(len(wanted.voter_ids), len(claims)))


def _without_leader(running: Mapping[int, bool], voter_ids: Collection[int]) -> list[Batch]:
    """Return the controllers first, unchecked and without a wait: the cause of their split may be set on each.

    Brokers may still serve partitions that they lead, so each waits for the shutdown check, and that one for a leader.
    """
    controllers = {one: up for one, up in running.items() if one in voter_ids}
    brokers = {one: up for one, up in running.items() if one not in voter_ids}
    return [*_one_by_one(controllers, False, controllers), *_one_by_one(brokers, True, {})]


def _one_by_one(node_ids: Iterable[int], checked: bool, running: Mapping[int, bool]) -> list[Batch]:
    return [Batch((one,), checked, frozenset({one} if running.get(one) else ())) for one in sorted(node_ids)]


def _signs(sight: Sight, start_seconds: float) -> list[str]:
    """Return the evidence against a cluster that is down, although nothing of it can be reached from here."""
    heard = [f"{one.host} had an answer when its own node was asked" for one in sight.looks if _heard(one)]
    old = [
        f"Kafka on {one.host} has run for {one.running_seconds:.0f} s, longer than a start takes"
        for one in sight.looks
        if one.running_seconds > start_seconds
    ]
    return [*heard, *old, *(claim.sentence() for claim in sight.claims if claim.answered)]


def _heard(look: HostLook) -> bool:
    return look.answer not in ("", "unreachable")


def warnings(sight: Sight, node_ids: Collection[int]) -> list[str]:
    """Return risks that will stop the roll at a node, known before the first one is restarted."""
    return list(risks(sight.cluster.value, node_ids)) if isinstance(sight.cluster, Known) else []


def as_result(batches_: Iterable[Batch], nodes: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the batches in the form of ``kafka_change_plan``; `nodes`: node id -> node as it was given."""
    return [
        {
            "node_ids": list(batch.node_ids),
            "checked": batch.checked,
            "nodes": [{**nodes[one], "keep": one in batch.keep} for one in batch.node_ids],
        }
        for batch in batches_
    ]
