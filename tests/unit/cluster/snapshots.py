"""Snapshots in a few words, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster.snapshot import (
    Broker,
    Partition,
    Quorum,
    Reassignment,
    Replica,
    Snapshot,
    Topic,
)


def broker(node_id: int, rack: str | None = None, fenced: bool = False) -> Broker:
    return Broker(node_id, f"kafka{node_id}", 9092, rack, fenced)


def partition(
    number: int, replicas: Sequence[int], isr: Sequence[int] | None = None, leader: int | None = None
) -> Partition:
    in_sync = tuple(replicas if isr is None else isr)
    first = (in_sync[0] if in_sync else -1) if leader is None else leader
    return Partition(number, first, tuple(replicas), in_sync)


def topic(name: str, *partitions: Partition, internal: bool = False, topic_id: str = "") -> Topic:
    return Topic(name, internal, partitions, topic_id)


NOW = 1_000_000  #: the leader's clock, in milliseconds


def voter(node_id: int, behind_ms: int | None = 0, lag: int | None = None, directory: str = "AAAA") -> Replica:
    """A voter that has not fetched for `behind_ms`; None: the leader has not heard of it."""
    if behind_ms is None:
        return Replica(node_id, directory, 100, None, -1, -1, None)
    then = NOW - behind_ms
    return Replica(node_id, directory, 100, behind_ms if lag is None else lag, then, then, behind_ms)


def replica(node_id: int, directory: str, behind_ms: int | None = 0, fetched: int = 1) -> Replica:
    """A voter or observer by its directory id; `fetched`: when the leader heard of it last, long before NOW."""
    return Replica(node_id, directory, 100, behind_ms, NOW - (behind_ms or 0), fetched, behind_ms)


def quorum(leader: int, *voters: Replica) -> Quorum:
    return Quorum(leader, 1, 100, voters or tuple(voter(one) for one in (1, 2, 3)))


def cluster(
    *topics: Topic,
    brokers: Sequence[Broker] = (),
    leader: Quorum | None = None,
    min_insync: Mapping[str, int] | int = 2,
    moves: Sequence[Reassignment] = (),
) -> Snapshot:
    """Three healthy combined nodes, controller 1 leading, unless said otherwise."""
    least = {one.name: min_insync for one in topics} if isinstance(min_insync, int) else min_insync
    return Snapshot(
        cluster_id="x",
        brokers=tuple(brokers) or tuple(broker(one) for one in (1, 2, 3)),
        topics=topics,
        quorum=leader or quorum(1),
        min_insync=least,
        reassignments=tuple(moves),
    )
