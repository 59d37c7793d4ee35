"""Parse Kafka's responses into a snapshot's values. Pure: dicts in, values out; the caller checks error codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import (
    Broker,
    Feature,
    LogDir,
    Partition,
    Quorum,
    Reassignment,
    Replica,
    Topic,
    written_id,
)

Data = Mapping[str, Any]


def brokers(answer: Data) -> tuple[Broker, ...]:
    """Parse DescribeCluster's brokers by id; a broker before Kafka 4.0 lists only brokers that are not fenced."""
    found = (
        Broker(one["broker_id"], one["host"], one["port"], one["rack"], bool(one.get("is_fenced")))
        for one in answer["brokers"]
    )
    return tuple(sorted(found, key=lambda broker: broker.node_id))


def topics(answer: Data) -> tuple[Topic, ...]:
    """Parse Metadata's topics by name, without those that vanished between question and answer."""
    found = (
        Topic(
            one["name"],
            bool(one["is_internal"]),
            tuple(partitions(one["partitions"])),
            written_id(one.get("topic_id")),
        )
        for one in answer["topics"]
        if one["error_code"] == 0
    )
    return tuple(sorted(found, key=lambda topic: topic.name))


def partitions(answer: Iterable[Data]) -> list[Partition]:
    found = [
        Partition(
            one["partition_index"],
            one["leader_id"],
            tuple(one["replica_nodes"]),
            tuple(one["isr_nodes"]),
            tuple(one["offline_replicas"]),
        )
        for one in answer
    ]
    return sorted(found, key=lambda partition: partition.partition)


def quorum(partition: Data) -> Quorum:
    """Parse DescribeQuorum's partition. Lags in time and records are from the leader's own entry, as Kafka's
    (``kafka-metadata-quorum``: Lag; the leader's LastCaughtUpTimestamp is its current time, KIP-836). The leader keeps
    the latest time of each entry, so after its clock was set back the distance in time is negative, dead or alive.
    """
    listed = [*partition["current_voters"], *partition["observers"]]
    leader = next((one for one in listed if one["replica_id"] == partition["leader_id"]), None)
    return Quorum(
        leader_id=partition["leader_id"],
        leader_epoch=partition["leader_epoch"],
        high_watermark=partition["high_watermark"],
        voters=tuple(_replica(one, leader) for one in partition["current_voters"]),
        observers=tuple(_replica(one, leader) for one in partition["observers"]),
    )


def _replica(one: Data, leader: Data | None) -> Replica:
    end, caught_up = one["log_end_offset"], one["last_caught_up_timestamp"]
    return Replica(
        node_id=one["replica_id"],
        directory_id=written_id(one["replica_directory_id"]),
        log_end_offset=end,
        lag=max(0, leader["log_end_offset"] - end) if leader and end >= 0 else None,
        last_caught_up_ms=caught_up,
        last_fetch_ms=one["last_fetch_timestamp"],
        behind_ms=leader["last_caught_up_timestamp"] - caught_up if leader and caught_up >= 0 else None,
    )


def features(answer: Data) -> tuple[Feature, ...]:
    """Parse ApiVersions' features by name: finalised level (0 when not) and the range that the node supports."""
    levels = {one["name"]: one["max_version_level"] for one in answer.get("finalized_features") or []}
    found = (
        Feature(one["name"], levels.get(one["name"], 0), one["min_version"], one["max_version"])
        for one in answer.get("supported_features") or []
    )
    return tuple(sorted(found, key=lambda feature: feature.name))


def reassignments(answer: Data) -> tuple[Reassignment, ...]:
    found = (
        Reassignment(
            topic["name"],
            one["partition_index"],
            tuple(one["adding_replicas"]),
            tuple(one["removing_replicas"]),
        )
        for topic in answer["topics"]
        for one in topic["partitions"]
    )
    return tuple(sorted(found, key=lambda one: (one.topic, one.partition)))


def log_dirs(node_id: int, answer: Data, error_text: Mapping[int, str]) -> tuple[LogDir, ...]:
    """Parse DescribeLogDirs' directories of one broker; `error_text` names the error codes that may occur in them."""
    return tuple(
        LogDir(
            node_id=node_id,
            path=one["log_dir"],
            error=error_text.get(one["error_code"], f"error {one['error_code']}") if one["error_code"] else "",
            total_bytes=one["total_bytes"],
            usable_bytes=one["usable_bytes"],
            used_bytes=sum(part["partition_size"] for topic in one["topics"] for part in topic["partitions"]),
            replicas=sum(len(topic["partitions"]) for topic in one["topics"]),
        )
        for one in sorted(answer["results"], key=lambda one: str(one["log_dir"]))
    )


def topic_bytes(answer: Data) -> Iterator[tuple[str, int]]:
    """DescribeLogDirs' topics of one broker, each with the bytes of its replicas in one log directory."""
    for directory in answer["results"]:
        for topic in directory["topics"]:
            yield topic["name"], sum(part["partition_size"] for part in topic["partitions"])


def config_values(answer: Data, key: str) -> dict[str, str]:
    """Return resource name → effective value of `key`, for the resources that DescribeConfigs could describe."""
    return {
        one["resource_name"]: config["value"]
        for one in answer["results"]
        if one["error_code"] == 0
        for config in one["configs"]
        if config["name"] == key
    }
