"""Both sides of each topic: its first and last offset, and the settings that decide what can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession

from spark_jobs import kafka_io
from spark_jobs.errors import UnreachableError, UsageError
from spark_jobs.kafka_io import Window
from spark_jobs.native import NativeAdmin
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.native_records import NativeRecords

ADMIN_SECONDS = 10.0
SPARK_ENDS_MS = (2**63 - 1) // 1000  # Spark counts microseconds: a later timestamp cannot be read
SIDES = ("source", "target")
Place = tuple[str, int]


@dataclass(frozen=True)
class Cluster:
    """One side, as the native client and Spark reach it. ``append_time``: topics whose timestamps are not compared."""

    spark: SparkSession
    address: Address
    admin: NativeAdmin
    append_time: frozenset[str] = frozenset()

    @property
    def native(self) -> NativeRecords:
        """Return the native client, which reads small topics, and those that Spark cannot read."""
        return NativeRecords(self.address, self.append_time)

    @classmethod
    def at(cls, spark: SparkSession, address: Address, append_time: frozenset[str] = frozenset()) -> Cluster:
        admin = NativeAdmin(address.bootstrap_servers, address.client_options, ADMIN_SECONDS)
        return cls(spark, address, admin, append_time)

    def rows(self, windows: Mapping[str, Window], isolation: str = kafka_io.READ_COMMITTED) -> DataFrame:
        address = self.address
        connected = kafka_io.connection(self.spark, address.bootstrap_servers, address.client_options)
        return kafka_io.read_topics(self.spark, {**connected, kafka_io.ISOLATION: isolation}, windows)


@dataclass(frozen=True)
class TopicSide:
    """A topic on one side: its name there, what of it is read, its settings, and its id (empty: brokers have none)."""

    name: str
    window: Window
    settings: Mapping[str, str] = field(default_factory=dict)
    topic_id: str = ""

    @property
    def compacted(self) -> bool:
        return "compact" in self.settings.get("cleanup.policy", "")

    @property
    def append_time(self) -> bool:
        return self.settings.get("message.timestamp.type") == "LogAppendTime"

    def begins_late(self, partition: int) -> bool:
        return self.window.starts[partition] > 0


@dataclass(frozen=True)
class TopicPair:
    """A topic and its copy."""

    source: TopicSide
    target: TopicSide

    @property
    def sides(self) -> tuple[TopicSide, TopicSide]:
        return self.source, self.target

    @property
    def compacted(self) -> tuple[bool, bool]:
        """Check by side whether its cleaner excuses records. The target's takes what a plain source keeps."""
        return self.source.compacted, self.source.compacted and self.target.compacted

    @property
    def partitions(self) -> list[int]:
        return sorted(self.source.window.starts)

    @property
    def rules(self) -> list[str]:
        """Describe the excuses by the settings of both sides."""
        said = []
        if self.target.append_time:
            said.append("Timestamps that the target's brokers set are not compared (LogAppendTime).")
        said += [
            f"The {name} is compacted: records that were replaced later by their key may be gone from it, "
            "at most as many as it lacks offsets there."
            for name, compacted in zip(SIDES, self.compacted)
            if compacted
        ]
        if self.target.compacted and not self.source.compacted:
            said.append("The target is compacted, and the source is not: records that it removes are missing.")
        said += [
            f"The {name} has deleted its first records: the other side may hold more of them, at most as many as the "
            "log start offset says."
            for name, side in zip(SIDES, self.sides)
            if any(map(side.begins_late, self.partitions))
        ]
        return said


def mixed(config: ProofConfig) -> list[str]:
    """Return a problem for each side whose bootstrap servers are of several clusters.

    Each client chooses one of them by itself: records of the other cluster could be compared. A server without an
    answer is left out.
    """
    problems = []
    for side, address in zip(SIDES, (config.source, config.target)):
        servers = sorted({one.strip() for one in address.bootstrap_servers.split(",")})
        if len(servers) > 1:
            with ThreadPoolExecutor(len(servers)) as threads:
                ids = dict(zip(servers, threads.map(lambda server: _cluster_id(server, address), servers)))  # noqa: B023
            named = ", ".join(f"{server} ({known})" for server, known in ids.items() if known)
            if len(set(filter(None, ids.values()))) > 1:
                problems.append(f"{side}.bootstrap_servers: servers of several clusters: {named}. Give those of one")
    return problems


def _cluster_id(server: str, address: Address) -> str:
    """Return the id of the cluster of one server; empty without an answer."""
    try:
        return NativeAdmin(server, address.client_options, ADMIN_SECONDS).cluster_id()
    except UnreachableError:
        return ""


def found(config: ProofConfig, clusters: Sequence[Cluster]) -> list[TopicPair]:
    """Return every topic of the configuration on both sides; UsageError if they do not fit together.

    The source's ends are asked for first: what is copied meanwhile is not taken for surplus.
    """
    if problems := mixed(config):
        raise UsageError(problems)
    numbers: dict[str, list[int]] = {}
    for source, target in config.topics.items():
        views = [cluster.admin.describe_topic(name) for cluster, name in zip(clusters, (source, target))]
        numbers[source], there = (sorted(view.leaders) for view in views)
        if source == target and len({view.cluster_id for view in views}) == 1:
            problems.append(
                f"topics: {source} would be compared with itself: source and target are the same cluster "
                f"({views[SOURCE].cluster_id}). Correct bootstrap_servers"
            )
        if numbers[source] != there:
            problems.append(
                f"topics: {source} has {len(numbers[source])} partitions on the source and {target} {len(there)} on "
                "the target: records cannot be compared partition by partition"
            )
    if problems:
        raise UsageError(problems)
    here = {source: _side(clusters[SOURCE], source, numbers[source]) for source in config.topics}
    return [
        TopicPair(here[source], _side(clusters[TARGET], target, numbers[source]))
        for source, target in config.topics.items()
    ]


def undecided(cluster: Cluster, sides: Sequence[TopicSide], at_rest: bool) -> dict[str, int]:
    """Return topic -> offsets of one side behind an open transaction; without zeros.

    Consumers that read committed records do not see them: neither does the copy, nor the proof. ``at_rest``: any
    counts. Else only a transaction that was open when the proof began: a copy at work opens one after the other.
    """
    counts = {}
    for side in sides:
        partitions = sorted(side.window.starts)
        # In this order: what is written between the two answers is not taken for undecided.
        written = cluster.admin.written_offsets(side.name, partitions)
        decided = cluster.admin.end_offsets(side.name, partitions)
        counts[side.name] = sum(
            max(0, end - decided[at]) for at, end in written.items() if at_rest or decided[at] <= side.window.ends[at]
        )
    return {name: count for name, count in counts.items() if count}


def unreadable(clusters: Sequence[Cluster], pairs: Sequence[TopicPair]) -> set[Place]:
    """Return source's name and partition of those with a record whose timestamp is too late for Spark."""
    return {
        (pair.source.name, partition)
        for pair in pairs
        for cluster, side in zip(clusters, pair.sides)
        for partition in cluster.admin.first_since(side.name, pair.partitions, SPARK_ENDS_MS + 1)
    }


def _side(cluster: Cluster, name: str, partitions: list[int]) -> TopicSide:
    topic_id, _ = cluster.admin.identity(name)  # before its offsets: a topic that is made again later has another
    starts = cluster.admin.begin_offsets(name, partitions)
    ends = cluster.admin.end_offsets(name, partitions)
    window = Window(starts, {number: max(end, starts[number]) for number, end in ends.items()})
    return TopicSide(name, window, cluster.admin.settings(name), topic_id)
