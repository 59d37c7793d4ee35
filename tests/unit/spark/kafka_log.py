"""A topic in memory: rows as Spark's Kafka source gives them, made by the generator's Python twin, then damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_jobs import aggregate, audit, reading
from spark_jobs.record_format import Workload, encode
from spark_jobs.report_schema import Counts

EVENT_MS = 1_795_228_541_053
LATENCY_MS = 12
TIMES = (EVENT_MS - 1000, EVENT_MS + 1000)
SCHEMA = (
    "key binary, value binary, partition int, offset long, timestamp timestamp, timestampType int, "
    "headers array<struct<key: string, value: binary>>"
)


@dataclass(frozen=True)
class Entry:
    """One record of the log; its offset is its place in the partition unless given."""

    partition: int
    key: bytes | None
    value: bytes | None
    offset: int = -1
    headers: tuple[tuple[str, bytes | None], ...] | None = None


@dataclass
class KafkaLog:
    """The records of a workload in the order in which they were appended."""

    workload: Workload
    entries: list[Entry] = field(default_factory=list)

    @classmethod
    def from_workload(cls, workload: Workload) -> KafkaLog:
        """The whole run, undamaged, stripes taking turns as those of several writers do in parallel."""
        made = cls(workload)
        ranges = [list(workload.range_of(stripe)) for stripe in range(workload.stripes)]
        for turn in range(max(map(len, ranges))):
            made.append(*(numbers[turn] for numbers in ranges if turn < len(numbers)))
        return made

    def append(self, *sequences: int) -> None:
        """Records of the run at the end of the log."""
        for sequence in sequences:
            key, value = encode(self.workload, sequence, EVENT_MS)
            self.entries.append(Entry(self.workload.partition_of(sequence), key, value))

    def drop(self, *sequences: int) -> None:
        gone = {encode(self.workload, sequence, EVENT_MS)[1] for sequence in sequences}
        self.entries = [entry for entry in self.entries if entry.value not in gone]

    def change(self, sequence: int, change: Callable[[Entry], Entry]) -> None:
        value = encode(self.workload, sequence, EVENT_MS)[1]
        self.entries = [change(entry) if entry.value == value else entry for entry in self.entries]

    def flip(self, sequence: int, bit: int) -> None:
        """Flip one bit of the record, counted through the value and then the key."""
        self.change(sequence, lambda entry: flipped(entry, bit))

    def move_to_end(self, sequence: int) -> None:
        self.drop(sequence)
        self.append(sequence)

    def rows(self) -> list[tuple[Any, ...]]:
        """With offsets counted in each partition, and the broker's timestamp."""
        ends: dict[int, int] = {}
        made = []
        stamp = datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=EVENT_MS + LATENCY_MS)
        for entry in self.entries:
            offset = entry.offset if entry.offset >= 0 else ends.get(entry.partition, 0)
            ends[entry.partition] = offset + 1
            made.append(
                (entry.key, entry.value, entry.partition, offset, stamp, reading.LOG_APPEND_TIME, entry.headers)
            )
        return made

    def spans(self) -> dict[int, tuple[int, int]]:
        """First and end offset of every partition, also of an empty one."""
        spans = dict.fromkeys(range(self.workload.partitions), (0, 0))
        for row in self.rows():
            partition, offset = row[2], row[3]
            spans[partition] = (0, max(offset + 1, spans[partition][1]))
        return spans

    def frame(self, spark: SparkSession) -> DataFrame:
        return spark.createDataFrame(self.rows(), SCHEMA)

    def judged(self, spark: SparkSession) -> DataFrame:
        return reading.judge(self.frame(spark), self.workload, TIMES)

    def accounted(self, spark: SparkSession) -> list[dict[str, Any]]:
        return audit.account(self.frame(spark), self.workload, TIMES, self.spans())

    def counts(self, spark: SparkSession) -> Counts:
        """Return the audit's counts of this log."""
        rows = self.accounted(spark)
        return aggregate.counts(
            aggregate.per_partition(rows, self.workload, self.spans(), {}), rows, self.workload.records
        )


def flipped(entry: Entry, bit: int) -> Entry:
    """The entry with one bit of its value, or of its key behind that, the other way round."""
    assert entry.value is not None
    assert entry.key is not None
    damaged = bytearray(entry.value + entry.key)
    damaged[bit // 8] ^= 1 << bit % 8
    size = len(entry.value)
    return replace(entry, value=bytes(damaged[:size]), key=bytes(damaged[size:]))


def clean(workload: Workload) -> Counts:
    """The account of an undamaged run."""
    return Counts(
        written=workload.records,
        read=workload.records,
        lost=0,
        undecided=0,
        duplicated=0,
        corrupt=0,
        out_of_order=0,
        misplaced=0,
        foreign_headers=0,
        odd_times=0,
        unexpected=0,
        other_runs=0,
        null_values=0,
    )
