"""Problems of a cluster, from one snapshot and the inventory's expectations. Pure; no problem means healthy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Quorum, Replica, Snapshot

#: Kafka's controller.quorum.fetch.timeout.ms: a voter that is further behind than this would call an election.
LARGEST_DELAY_MS = 2000
#: The ``expected`` parameter of the modules that judge a cluster.
EXPECTED_SPEC: dict[str, Any] = {
    "cluster_id": {"type": "str"},
    "broker_ids": {"type": "list", "elements": "int"},
    "voter_ids": {"type": "list", "elements": "int"},
    "only": {"type": "list", "elements": "int"},
    "largest_delay_ms": {"type": "int", "default": LARGEST_DELAY_MS},
}
NAMED = 5  #: number of partitions that are named before the rest is only counted


@dataclasses.dataclass(frozen=True)
class Expected:
    """The cluster that the inventory describes. An empty set of ids means: all that exist.

    ``only``: nodes to judge; problems elsewhere are left out.
    """

    cluster_id: str = ""
    broker_ids: frozenset[int] = frozenset()
    voter_ids: frozenset[int] = frozenset()
    largest_delay_ms: int = LARGEST_DELAY_MS
    only: frozenset[int] = frozenset()

    def judged(self, node_ids: Iterable[int]) -> frozenset[int]:
        """Return those of `node_ids` that are to be judged."""
        return frozenset(node_ids) & self.only if self.only else frozenset(node_ids)


def expected(data: Mapping[str, Any]) -> Expected:
    """Parse the ``expected`` parameter of the modules; missing keys are not checked."""
    return Expected(
        cluster_id=data.get("cluster_id") or "",
        broker_ids=frozenset(data.get("broker_ids") or ()),
        voter_ids=frozenset(data.get("voter_ids") or ()),
        largest_delay_ms=data.get("largest_delay_ms") or LARGEST_DELAY_MS,
        only=frozenset(data.get("only") or ()),
    )


def unhealthy_reasons(snapshot: Snapshot, wanted: Expected) -> tuple[str, ...]:
    """Return every reason not to call the cluster healthy; parts that were not requested are not judged."""
    if other := snapshot.other_cluster(wanted.cluster_id):
        return (str(other),)
    return (
        *snapshot.unknown,
        *_quorum(snapshot.quorum, wanted),
        *_brokers(snapshot, wanted),
        *_partitions(snapshot, wanted),
        *_log_dirs(snapshot, wanted),
    )


def _quorum(quorum: Quorum | None, wanted: Expected) -> Iterator[str]:
    if quorum is None:
        return
    if quorum.leader_id == NO_NODE:
        yield "the controllers have no leader"
        return
    there = {voter.node_id for voter in quorum.voters}
    for node_id in sorted(wanted.judged(wanted.voter_ids) - there):
        yield f"controller {node_id} is not a voter (voters: {listed(there)})"
    for voter in quorum.voters:
        if wanted.judged([voter.node_id]) and not caught_up(voter, wanted.largest_delay_ms):
            yield f"controller {voter.node_id} {delay(voter)}"


def away(snapshot: Snapshot, wanted: Expected, node_ids: Iterable[int]) -> tuple[str, ...]:
    """Return the expected nodes except `node_ids` that do not serve, in words."""
    every = {*wanted.broker_ids, *wanted.voter_ids, *(one.node_id for one in snapshot.brokers)}
    others = dataclasses.replace(wanted, only=frozenset(every.difference(node_ids) or {NO_NODE}))
    return (*_quorum(snapshot.quorum, others), *_brokers(snapshot, others))


def caught_up(voter: Replica, largest_delay_ms: int = LARGEST_DELAY_MS) -> bool:
    """Check that a voter has the leader's records of `largest_delay_ms` ago or, if the leader is silent, all it has.

    After the leader's clock was set back, times are those of before: then only a voter with all records has caught up.
    """
    return voter.behind_ms is not None and (abs(voter.behind_ms) <= largest_delay_ms or voter.lag == 0)


def delay(voter: Replica) -> str:
    """Return a voter's delay, in words."""
    if voter.behind_ms is None:
        return "has not been heard of by the leader"
    if voter.behind_ms < 0:
        return f"is {voter.lag} records behind the leader, whose clock was set back by {-voter.behind_ms / 1000:.1f} s"
    return f"is {voter.behind_ms / 1000:.1f} s and {voter.lag} records behind the leader"


def _brokers(snapshot: Snapshot, wanted: Expected) -> Iterator[str]:
    registered = {broker.node_id for broker in snapshot.brokers}
    for node_id in sorted(wanted.judged(wanted.broker_ids) - registered):
        yield f"broker {node_id} is not registered"
    for broker in snapshot.brokers:
        ours = not wanted.broker_ids or broker.node_id in wanted.broker_ids
        if broker.fenced and ours and wanted.judged([broker.node_id]):
            yield f"broker {broker.node_id} is fenced (registered, not serving)"


def _partitions(snapshot: Snapshot, wanted: Expected) -> Iterator[str]:
    every = [(topic.name, partition) for topic in snapshot.topics or () for partition in topic.partitions]
    arriving = {(one.topic, one.partition): one.adding for one in snapshot.reassignments or ()}
    offline = [(name, one) for name, one in every if one.leader == NO_NODE and wanted.judged(_missed(one, snapshot))]
    behind = [
        (name, one)
        for name, one in every
        if one.leader != NO_NODE
        and wanted.judged(set(one.replicas).difference(one.isr, arriving.get((name, one.partition), ())))
    ]
    yield from _named("has no leader", offline)
    yield from _named("is under-replicated", behind)


def _missed(partition: Partition, snapshot: Snapshot) -> frozenset[int]:
    """Return the replicas that a leaderless partition needs: those that Kafka may elect or, if unknown, all away.

    A replica that serves again is not to blame for records that only a dead one has.
    """
    replicas = frozenset(partition.replicas)
    return partition.electable or (replicas - snapshot.unfenced) or replicas


def _named(what: str, found: list[tuple[str, Partition]]) -> Iterator[str]:
    for name, one in found[:NAMED]:
        missing = set(one.replicas) - set(one.isr)
        text = f"partition {name}-{one.partition} {what}: in sync {listed(one.isr)}, missing {listed(missing)}"
        yield f"{text}{may_lead(one)}"
    if len(found) > NAMED:
        yield f"another {len(found) - NAMED} partitions: {what}"


def may_lead(partition: Partition) -> str:
    """Return a clause about the replicas that Kafka may elect though they are not in sync; empty without any."""
    if partition.eligible is None:
        return "; eligible leaders unknown"
    if partition.eligible:
        return f"; eligible leaders {listed(partition.eligible)}"
    return f"; last known leaders {listed(partition.last_known)}" if partition.last_known else ""


def _log_dirs(snapshot: Snapshot, wanted: Expected) -> Iterator[str]:
    for directory in snapshot.log_dirs or ():
        if directory.error and wanted.judged([directory.node_id]):
            yield f"log directory {directory.path} of broker {directory.node_id}: {directory.error}"


def listed(ids: Iterable[int]) -> str:
    """Return ``1, 2, 3`` or ``none``."""
    return ", ".join(str(one) for one in sorted(ids)) or "none"


def distance(snapshot: Snapshot, wanted: Expected) -> int:
    """Return the distance to a healthy cluster: replicas, brokers and controllers that are missing or behind.

    While it falls, waiting pays.
    """
    partitions = (one for topic in snapshot.topics or () for one in topic.partitions)
    replicas = sum(len(set(one.replicas) - set(one.isr)) for one in partitions)
    brokers = len((wanted.broker_ids or {broker.node_id for broker in snapshot.brokers}) - snapshot.unfenced)
    voters = snapshot.quorum.voters if snapshot.quorum else ()
    ready = {one.node_id for one in voters if caught_up(one, wanted.largest_delay_ms)}
    return replicas + brokers + len((wanted.voter_ids or {one.node_id for one in voters}) - ready)
