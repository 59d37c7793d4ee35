"""The shape of ``report.json``: what the smoke test writes and the page reads.

Times are UTC in ISO 8601 with ``Z``; durations are in the unit that the name ends in; bytes are key plus value as the
consumer received them. A section that could not be measured (for instance because the cluster was never reached) is
``null``, never a zero; lists are then empty. ``report_check.schema_errors`` checks a loaded report against these types.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

SCHEMA_VERSION = 1
FIRST_LIMIT = 20  #: of the lost records, and of each other fault


class Verdict(TypedDict):
    """``sentences`` state the findings in order of weight, the remedy last; plain text, one thought each."""

    outcome: Literal["proven", "failed", "undecided", "unreachable"]
    sentences: list[str]


class Topic(TypedDict):
    """The topic the records went through; the last two as in the cluster snapshot."""

    name: str
    partitions: int
    replication_factor: int | None
    min_insync_replicas: int | None


class Workload(TypedDict):
    """Configured workload: ``writers`` parallel producers, ``keys`` distinct keys over all of them."""

    records: int
    record_bytes: int
    writers: int
    keys: int


class Counts(TypedDict):
    """``written``: acknowledged. ``read``: records of this run found in the topic, copies included.

    ``lost``: numbers of which no copy was found; ``undecided`` if an open transaction hides as many offsets.
    ``duplicated``: copies beyond the first. ``corrupt``: other bytes than written. ``out_of_order``: first copies
    behind a later record of their writer in their partition. ``misplaced``: in another partition than sent to.
    ``foreign_headers``: with headers, which no run writes. ``odd_times``: intact, and made at another time than the
    run's. ``unexpected``: not of this run; ``other_runs`` and ``null_values`` are parts of it.
    """

    written: int
    read: int
    lost: int
    undecided: int
    duplicated: int
    corrupt: int
    out_of_order: int
    misplaced: int
    foreign_headers: int
    odd_times: int
    unexpected: int
    other_runs: int
    null_values: int


class Missing(TypedDict):
    """A lost record, where it belongs, and the offsets of its nearest received neighbours there (null at an end)."""

    sequence: int
    key: str
    partition: int
    leader: int | None
    offset_before: int | None
    offset_after: int | None


class Fault(TypedDict):
    """A record with a fault and where it is; ``kind`` is a name of ``Counts``, ``sequence`` null if it is not known."""

    kind: str
    sequence: int | None
    partition: int
    leader: int | None
    offset: int


class LeaderMoved(TypedDict):
    """A partition that another broker led meanwhile (null: none)."""

    partition: int
    before: int | None
    after: int | None


class Changes(TypedDict):
    """Leaders and brokers gone between beginning and end (node id -> address), and failed tasks of the writer."""

    brokers_gone: dict[str, str]
    leaders_moved: list[LeaderMoved]
    tasks_retried: int


class PartitionResult(TypedDict):
    """One partition; ``records`` and ``bytes`` are this run's, ``holes`` are offsets without a visible record."""

    partition: int
    leader: int | None
    first_offset: int
    end_offset: int
    records: int
    bytes: int
    holes: int
    lost: int
    undecided: int
    duplicated: int
    corrupt: int
    out_of_order: int
    misplaced: int
    foreign_headers: int
    unexpected: int


class BrokerResult(TypedDict):
    """The partitions that one broker leads, added up (``node_id`` null: leader unknown)."""

    node_id: int | None
    host: str | None
    partitions: int
    records: int
    bytes: int
    lost: int
    corrupt: int


class Bucket(TypedDict):
    """Records with ``from_ms <= latency < to_ms``; null is open-ended."""

    from_ms: float | None
    to_ms: float | None
    records: int


class Latency(TypedDict):
    """Latency of the bulk load: event time to the leader's append time, in ms.

    ``clock`` names the clocks' owner, ``negative`` counts skewed ones.
    """

    clock: str
    records: int
    negative: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    histogram: list[Bucket]


class Percentiles(TypedDict):
    p50_ms: float
    p99_ms: float
    max_ms: float


class Steady(TypedDict):
    """A steady client beside the start of Spark: from sending a record until it is acknowledged, and had back."""

    client: str
    records: int
    records_per_s: int
    record_bytes: int
    seconds: float
    acknowledged: Percentiles
    returned: Percentiles


class Rate(TypedDict):
    """One pass. ``state``: cold is the first pass of its kind in a fresh JVM."""

    records: int
    bytes: int
    seconds: float
    records_per_s: float
    mb_per_s: float
    state: Literal["cold", "warm"]


class Throughput(TypedDict):
    write: Rate | None
    batch_read: Rate | None
    stream_read: Rate | None


class Stream(TypedDict):
    """The second reading, by Structured Streaming; ``same_as_batch``: it saw exactly the records of the first."""

    batches: int
    records: int
    corrupt: int
    misplaced: int
    unexpected: int
    same_as_batch: bool


class NativePartition(TypedDict):
    """One record sent by the native client and read back."""

    partition: int
    leader: int | None
    acknowledged_ms: float
    returned_ms: float


class NativeSmokeResult(TypedDict):
    """The native client's smoke test before Spark; ``ms`` from connecting to the last record back."""

    client: str
    ms: float
    connected_ms: float
    partitions: list[NativePartition]


class Spark(TypedDict):
    version: str
    master: str
    connector: str
    java: str
    session_seconds: float


class TimelineEntry(TypedDict):
    """A task of the deployment on one host; ``start`` and ``end`` are seconds since 1970."""

    host: str
    phase: str
    task: str
    start: float
    end: float
    changed: bool
    ok: bool


class Report(TypedDict):
    """The whole file. ``cluster`` is the snapshot of kafka_cluster_info, ``settings`` is node -> property -> value."""

    schema: int
    run_id: str
    started: str
    finished: str
    seconds: float
    verdict: Verdict
    topic: Topic
    workload: Workload
    counts: Counts | None
    first_missing: list[Missing]
    first_faults: list[Fault]
    changes: Changes | None
    per_partition: list[PartitionResult]
    per_broker: list[BrokerResult]
    steady: Steady | None
    latency: Latency | None
    throughput: Throughput | None
    stream: Stream | None
    native_smoke: NativeSmokeResult | None
    spark: Spark | None
    cluster: dict[str, Any]
    versions: dict[str, str]
    settings: dict[str, dict[str, str]]
    timeline: list[TimelineEntry]
    not_checked: list[str]
