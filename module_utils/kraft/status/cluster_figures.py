"""Figures of a whole cluster: balance, largest topics, risks. Pure; unknown parts are named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from ansible.module_utils.kraft.cluster.health import may_lead
from ansible.module_utils.kraft.cluster.lags import GroupLag, Lags
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Feature, Partition, Snapshot
from ansible.module_utils.kraft.status.figures import by_broker

LARGEST = 10  #: topics
NAMED = 100  #: partitions of a kind


@dataclasses.dataclass(frozen=True)
class Spread:
    """Balance of brokers: the least and the most that one has, and the mean of all."""

    least: float
    mean: float
    most: float

    @property
    def over(self) -> float:
        """Return the excess of the busiest over the mean; 0.25 stands for a quarter."""
        return self.most / self.mean - 1 if self.mean else 0.0


@dataclasses.dataclass(frozen=True)
class TopicSize:
    """``bytes``: of all its replicas."""

    name: str
    bytes: int
    partitions: int | None
    replication_factor: int | None


@dataclasses.dataclass(frozen=True)
class Named:
    """Partitions by name, ``orders-3``, with replicas that may lead; of ``count`` there are the first NAMED."""

    count: int
    names: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class ClusterFigures:
    """None stands for an unknown value, and ``unknown`` has the reason; ``partial`` names incomplete parts.

    ``quorum_lag``: records, and ``quorum_behind_ms`` time, that the slowest voter is behind the leader.
    """

    leaders: Spread | None = None
    bytes: Spread | None = None
    topics: tuple[TopicSize, ...] | None = None
    groups: tuple[GroupLag, ...] | None = None
    under_min_isr: Named | None = None
    offline: Named | None = None
    features: tuple[Feature, ...] | None = None
    quorum_lag: int | None = None
    quorum_behind_ms: int | None = None
    partial: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


NO_CLUSTER_FIGURES = ClusterFigures()


def cluster_figures(snapshot: Snapshot | None, lag: Lags | None, silence: str = "") -> ClusterFigures:
    """Return the figures. `lag`: None if it was not queried. `silence`: why there is no `snapshot`."""
    if snapshot is None:
        return ClusterFigures(unknown=(f"the cluster's figures: {silence or 'no broker answers'}",))
    led = by_broker(snapshot).leaders
    at_risk, offline = _at_risk(snapshot)
    slowest = _slowest(snapshot)
    return ClusterFigures(
        leaders=None if snapshot.topics is None else _spread([led[one] for one in snapshot.unfenced]),
        bytes=_spread(_bytes(snapshot).values()),
        topics=_largest(snapshot),
        groups=lag.groups if lag else None,
        under_min_isr=at_risk,
        offline=offline,
        features=snapshot.features,
        quorum_lag=slowest[1] if slowest else None,
        quorum_behind_ms=slowest[0] if slowest else None,
        partial=(*_partial(snapshot), *_partial_groups(lag)),
        unknown=_unknown(snapshot, lag),
    )


def _spread(values: Iterable[float]) -> Spread | None:
    found = list(values)
    return Spread(min(found), sum(found) / len(found), max(found)) if found else None


def _bytes(snapshot: Snapshot) -> dict[int, int]:
    """Return broker -> bytes in all its log dirs; without brokers that have an offline log dir."""
    offline = {one.node_id for one in snapshot.log_dirs or () if one.error}
    found: dict[int, int] = {}
    for one in snapshot.log_dirs or ():
        if one.node_id not in offline:
            found[one.node_id] = found.get(one.node_id, 0) + one.used_bytes
    return found


def _largest(snapshot: Snapshot) -> tuple[TopicSize, ...] | None:
    if snapshot.topic_bytes is None:
        return None
    known = {one.name: one for one in snapshot.topics or ()}
    first = sorted(snapshot.topic_bytes.items(), key=lambda item: (-item[1], item[0]))[:LARGEST]
    return tuple(
        TopicSize(name, size, len(known[name].partitions), known[name].replication_factor)
        if name in known
        else TopicSize(name, size, None, None)
        for name, size in first
    )


def _at_risk(snapshot: Snapshot) -> tuple[Named | None, Named | None]:
    """Return partitions below their topic's min.insync.replicas, and those without a leader."""
    if snapshot.topics is None:
        return None, None
    every = [(topic.name, one) for topic in snapshot.topics for one in topic.partitions]
    offline = _named([(name, one) for name, one in every if one.leader == NO_NODE])
    if snapshot.min_insync is None:
        return None, offline
    least = snapshot.min_insync
    below = [(name, one) for name, one in every if one.leader != NO_NODE and len(one.isr) < least.get(name, 0)]
    return _named(below), offline


def _named(found: Sequence[tuple[str, Partition]]) -> Named:
    return Named(len(found), tuple(f"{name}-{one.partition}{may_lead(one)}" for name, one in found[:NAMED]))


def _slowest(snapshot: Snapshot) -> tuple[int, int] | None:
    """Return time and records that the slowest voter is behind; None if one was not heard of.

    After the leader's clock was set back, a voter's time is negative. Its distance counts, or the leader would be the
    slowest one.
    """
    voters = snapshot.quorum.voters if snapshot.quorum else ()
    known = [(abs(one.behind_ms), one.lag) for one in voters if one.behind_ms is not None and one.lag is not None]
    return max(known) if known and len(known) == len(voters) else None


def _partial(snapshot: Snapshot) -> tuple[str, ...]:
    counted = _bytes(snapshot)
    missing = [str(one.node_id) for one in snapshot.brokers if one.node_id not in counted]
    if snapshot.log_dirs is None or not missing:
        return ()
    named = ", ".join(missing[:LARGEST]) + (f" and {len(missing) - LARGEST} more" if len(missing) > LARGEST else "")
    return (
        f"bytes and topics: without broker{'s' if len(missing) > 1 else ''} {named}, whose log dirs are not all known",
    )


def _partial_groups(lag: Lags | None) -> tuple[str, ...]:
    if not lag:
        return ()
    some = [f"groups: not all were asked, {lag.asked:,} of {lag.listed:,} in the time for it"]
    said = [f"groups: {reason}" for reason in lag.unanswered[:LARGEST]]
    more = len(lag.unanswered) - LARGEST
    return (*(some if lag.asked < lag.listed else ()), *said, *([f"groups: and {more} more"] if more > 0 else ()))


def _unknown(snapshot: Snapshot, lag: Lags | None) -> tuple[str, ...]:
    """Name the missing parts, with reasons."""
    parts = {
        "topics": "leaders, offline partitions",
        "min_insync": "partitions below min.insync.replicas",
        "log_dirs": "bytes, topics",
        "features": "feature levels",
        "quorum": "metadata log",
    }
    asked = "topics" if snapshot.topics is None else "log_dirs"
    found = [
        f"{words}: {snapshot.unanswered.get(part, 'not asked for')}"
        for part, words in parts.items()
        if getattr(snapshot, part) is None
    ]
    unheard = [str(one.node_id) for one in snapshot.quorum.voters if one.behind_ms is None] if snapshot.quorum else []
    found += [f"metadata log: the leader has not heard of voters {', '.join(unheard)}"] if unheard else []
    found += [] if lag else [f"groups: {snapshot.unanswered.get(asked, 'not asked for')}"]
    return tuple(found)
