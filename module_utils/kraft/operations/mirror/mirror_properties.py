"""MirrorMaker's settings, from desired state and observations; ``mirror_service.py`` adds a host's facts. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ansible.module_utils.kraft.node.other_services.mirror_service import TARGET, listed
from ansible.module_utils.kraft.operations.mirror.topic_settings import OWN_AFFAIR
from ansible.module_utils.kraft.spec.desired.mirror import NEVER, NEVER_GROUPS, Wanted, expression

CLIENT_ID = "kraftwright-mirror"  #: of the producers; a throttle is a quota of this id
SMALLEST_HEAP, TASK_HEAP, SHARE_OF_MEMORY = 256, 64, 4
LOST_SECONDS = 15
OFFSET_PARTITIONS = 5  #: of the topic with positions
FETCH_BYTES = 8 * 1024 * 1024  #: of one answer of the source; a task holds one


@dataclasses.dataclass(frozen=True)
class Size:
    """``tasks`` of each connector over all hosts; ``heap_mb`` of each host's service."""

    tasks: int
    heap_mb: int


def size(partitions: int, hosts: int, cores: int, memory_mb: int) -> Size:
    """Return the size: half of the cores copy, the brokers have the others; a quarter of the memory at most."""
    tasks = max(1, min(partitions, hosts * max(1, cores // 2)))
    heap = SMALLEST_HEAP + TASK_HEAP * -(-tasks // hosts)
    return Size(tasks, max(SMALLEST_HEAP, min(heap, memory_mb // SHARE_OF_MEMORY)))


def properties(wanted: Wanted, size: Size, replication_factor: int, unknown: Iterable[str] = ()) -> dict[str, str]:
    """Return ``mirror.properties``, without a host's part: its place, its connection to this cluster, and secrets.

    `unknown`: settings of topics that Kafka no longer has.
    """
    left_out = (name.replace(".", r"\.") for name in (*OWN_AFFAIR, *sorted(unknown)))
    return {
        **_flow(wanted, wanted.name, TARGET),
        **_usual(size, replication_factor),
        "topics": _joined(wanted.topics),
        "topics.exclude": _joined(wanted.exclude_topics, *NEVER),
        **_groups(wanted),
        # For topics that appear later it copies their own settings once, when it makes them.
        "sync.topic.configs.enabled": "false",
        "config.properties.exclude": listed(left_out),
        "sync.topic.acls.enabled": str(wanted.acls).lower(),
    }


def back(wanted: Wanted, size: Size, replication_factor: int, topics: Iterable[str]) -> dict[str, str]:
    """Return the same for the way back: new records of these `topics` here, and groups' offsets, to the former source.

    Its topics keep their settings and ACLs. `replication_factor`: of what is created there.
    """
    return {
        **_flow(wanted, TARGET, wanted.name),
        **_usual(size, replication_factor),
        "topics": _joined(sorted(topics)),
        "topics.exclude": _joined((), *NEVER),
        **_groups(wanted),
        "sync.topic.configs.enabled": "false",
        "sync.topic.acls.enabled": "false",
    }


def _flow(wanted: Wanted, source: str, target: str) -> dict[str, str]:
    """Return the flow from one alias to the other; a setting after an alias is of that cluster's clients."""
    return {
        "clusters": f"{wanted.name}, {TARGET}",
        f"{source}->{target}.enabled": "true",
        f"{target}->{source}.enabled": "false",
        f"{wanted.name}.bootstrap.servers": listed(wanted.servers),
        **{f"{wanted.name}.{key}": value for key, value in wanted.client.items()},
        # Records of aborted transactions are no part of a topic; exactly-once needs it, too.
        f"{source}.consumer.isolation.level": "read_committed",
        f"{source}.consumer.fetch.max.bytes": str(FETCH_BYTES),
        f"{target}.exactly.once.source.support": "enabled",
        # The tasks of a lost worker stay unassigned for this time, even if it is back. Connect's own: 5 minutes.
        f"{target}.scheduled.rebalance.max.delay.ms": str(1000 * LOST_SECONDS),
        # Without these a start scans every class for plugins, twice: to read its settings, and as a worker.
        **dict.fromkeys(("plugin.discovery", f"{target}.plugin.discovery"), "service_load"),
        f"{target}.producer.client.id": CLIENT_ID,
        f"{target}.producer.compression.type": "lz4",
        f"{target}.producer.max.request.size": str(2 * FETCH_BYTES),
    }


def _usual(size: Size, replication_factor: int) -> dict[str, str]:
    intervals, replicas = dict.fromkeys(INTERVALS, "10"), dict.fromkeys(REPLICATED, str(replication_factor))
    return {**SAME_FOR_ALL, **intervals, **replicas, "tasks.max": str(size.tasks)}


REPLICATED = (
    "replication.factor",
    "offset-syncs.topic.replication.factor",
    "checkpoints.topic.replication.factor",
    "heartbeats.topic.replication.factor",  # it is made although none are sent
    "offset.storage.replication.factor",
    "status.storage.replication.factor",
    "config.storage.replication.factor",
)
INTERVALS = (
    "sync.group.offsets.interval.seconds",
    "emit.checkpoints.interval.seconds",
    "refresh.topics.interval.seconds",
    "refresh.groups.interval.seconds",
)
SAME_FOR_ALL = {
    "replication.policy.class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
    "sync.group.offsets.enabled": "true",
    "emit.checkpoints.enabled": "true",
    # The source is only read: what is to be noted is noted at the other side, here or on the way back there.
    "offset-syncs.topic.location": "target",
    "emit.heartbeats.enabled": "false",
    "heartbeats.replication.enabled": "false",
    "offset.storage.partitions": str(OFFSET_PARTITIONS),
    "offset.storage.compression.type": "uncompressed",  # the client of our modules reads it
}


def _groups(wanted: Wanted) -> dict[str, str]:
    return {"groups": _joined(wanted.groups), "groups.exclude": _joined(wanted.exclude_groups, NEVER_GROUPS)}


def _joined(entries: Iterable[str], *more: str) -> str:
    return listed([*map(expression, entries), *more])
