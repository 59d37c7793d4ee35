"""Snapshot of a cluster as plain values. Parts that were not requested are None, which is not the same as empty.

``Snapshot.to_dict`` gives JSON-ready data (lists, strings, numbers) and ``from_dict`` takes it back.
"""

from __future__ import annotations

import base64
import dataclasses
import uuid
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.problem import Problem

NO_NODE = -1


@dataclasses.dataclass(frozen=True)
class Broker:
    node_id: int
    host: str
    port: int
    rack: str | None = None
    fenced: bool = False

    @property
    def address(self) -> str:
        return host_port(self.host, self.port)


@dataclasses.dataclass(frozen=True)
class Partition:
    """``leader`` is -1 without one. The first of ``replicas`` is the preferred leader.

    ``eligible``: replicas that Kafka may elect though they are not in sync (ELR, KIP-966), ``last_known``: those that
    it elects if there are none. Both are read only of partitions that lack a leader or replicas in sync. ``eligible``
    is None if the cluster did not answer.
    """

    partition: int
    leader: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    offline: tuple[int, ...] = ()
    eligible: tuple[int, ...] | None = ()
    last_known: tuple[int, ...] = ()

    @property
    def under_replicated(self) -> bool:
        return not set(self.replicas) <= set(self.isr)

    @property
    def electable(self) -> frozenset[int]:
        """Return the replicas that Kafka may elect: in sync or eligible, else the last known ones; empty if unknown."""
        return frozenset((*self.isr, *(self.eligible or ()))) or frozenset(self.last_known)


@dataclasses.dataclass(frozen=True)
class Topic:
    """``topic_id`` is base64url: a topic that was deleted and made again has another one. Empty if it is unknown."""

    name: str
    internal: bool
    partitions: tuple[Partition, ...]
    topic_id: str = ""

    @property
    def replication_factor(self) -> int:
        return max((len(one.replicas) for one in self.partitions), default=0)


@dataclasses.dataclass(frozen=True)
class Replica:
    """A voter or observer of the metadata log. ``lag`` counts records behind the leader, ``behind_ms`` time.

    Both are None while the leader has not heard from it; time is negative after the leader's clock was set back.
    ``last_caught_up_ms`` and ``last_fetch_ms`` are that clock's (milliseconds since 1970), -1 when unknown (KIP-836).
    ``directory_id`` is base64url, empty when unknown.
    """

    node_id: int
    directory_id: str
    log_end_offset: int
    lag: int | None
    last_caught_up_ms: int
    last_fetch_ms: int
    behind_ms: int | None


@dataclasses.dataclass(frozen=True)
class Quorum:
    """``watched_ms``: time for which this leader was observed before (``leader_watch``); 0 in the first snapshot."""

    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: tuple[Replica, ...]
    observers: tuple[Replica, ...] = ()
    watched_ms: int = 0


@dataclasses.dataclass(frozen=True)
class LogDir:
    """A log directory of a broker; sizes in bytes, -1 when unknown; ``error`` is empty while it is online."""

    node_id: int
    path: str
    error: str = ""
    total_bytes: int = -1
    usable_bytes: int = -1
    used_bytes: int = 0
    replicas: int = 0


@dataclasses.dataclass(frozen=True)
class Feature:
    """A feature flag: the finalised level (0: not finalised) and the range that the queried node supports."""

    name: str
    level: int
    minimum: int
    maximum: int


@dataclasses.dataclass(frozen=True)
class Reassignment:
    topic: str
    partition: int
    adding: tuple[int, ...]
    removing: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The cluster as one of its nodes reported it.

    ``unanswered``: the parts that were asked for and not answered, with the reason; ``late``: those that timed out.
    ``log_dirs`` and ``topic_bytes`` (topic -> bytes of all its replicas) are those of the brokers that answered.
    """

    cluster_id: str
    brokers: tuple[Broker, ...] = ()
    topics: tuple[Topic, ...] | None = None
    quorum: Quorum | None = None
    min_insync: Mapping[str, int] | None = None
    log_dirs: tuple[LogDir, ...] | None = None
    topic_bytes: Mapping[str, int] | None = None
    features: tuple[Feature, ...] | None = None
    reassignments: tuple[Reassignment, ...] | None = None
    unanswered: Mapping[str, str] = dataclasses.field(default_factory=dict)
    late: tuple[str, ...] = ()

    @property
    def controller_id(self) -> int:
        """Return the active controller: the leader of the metadata log; -1 when unknown."""
        return self.quorum.leader_id if self.quorum else NO_NODE

    @property
    def unfenced(self) -> frozenset[int]:
        return frozenset(broker.node_id for broker in self.brokers if not broker.fenced)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Return a clause for each part without an answer, with the reason."""
        return tuple(f"{part} is not known: {reason}" for part, reason in self.unanswered.items())

    def other_cluster(self, expected_id: str) -> Problem | None:
        """Return the problem if another cluster answered than `expected_id`; an empty id is not compared."""
        if not expected_id or self.cluster_id == expected_id:
            return None
        remedy = "correct kafka_cluster_id, or the addresses of the nodes in the inventory"
        return Problem("other_cluster", f"this is cluster {self.cluster_id}, and {expected_id} is expected", remedy)

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = _plain(dataclasses.asdict(self))
        return {**made, "controller_id": self.controller_id}


def from_dict(data: Mapping[str, Any]) -> Snapshot:
    """Return the snapshot that `to_dict` wrote."""
    quorum = data.get("quorum")
    return Snapshot(
        cluster_id=data["cluster_id"],
        brokers=_each(Broker, data.get("brokers")) or (),
        topics=_topics(data.get("topics")),
        quorum=quorum_from_dict(quorum) if quorum else None,
        min_insync=data.get("min_insync"),
        log_dirs=_each(LogDir, data.get("log_dirs")),
        topic_bytes=data.get("topic_bytes"),
        features=_each(Feature, data.get("features")),
        reassignments=_each(Reassignment, data.get("reassignments")),
        unanswered=dict(data.get("unanswered") or {}),
        late=tuple(data.get("late") or ()),
    )


def written_id(value: uuid.UUID | str | None) -> str:
    """Return the id of a directory or topic as Kafka writes it, base64url without padding; empty if there is none.

    kafka-python gives None for the zero id when it decodes an answer, and the text of it as a default.
    """
    if value is None:
        return ""
    identifier = value if isinstance(value, uuid.UUID) else uuid.UUID(str(value))
    if identifier.int == 0:
        return ""
    return base64.urlsafe_b64encode(identifier.bytes).decode().rstrip("=")


def _topics(data: Any) -> tuple[Topic, ...] | None:
    if data is None:
        return None
    return tuple(
        Topic(one["name"], one["internal"], _each(Partition, one["partitions"]) or (), one.get("topic_id", ""))
        for one in data
    )


def quorum_from_dict(data: Mapping[str, Any]) -> Quorum:
    """Return the quorum in a snapshot's dict."""
    replicas = {name: _each(Replica, data.get(name)) or () for name in ("voters", "observers")}
    return Quorum(**{**data, **replicas})


def _each(kind: Any, data: Any) -> Any:
    """Return a tuple of `kind` from a list of dicts, lists in them as tuples; None stays None."""
    if data is None:
        return None
    return tuple(kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in one.items()}) for one in data)


def _plain(value: Any) -> Any:
    """Convert tuples to lists and mappings to dicts, all the way down."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
