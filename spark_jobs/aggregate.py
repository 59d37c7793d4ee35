"""From the audit's rows to the report's numbers: pure functions over a few hundred rows."""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from spark_jobs.record_format import KEY_LENGTH, Workload
from spark_jobs.report_schema import BrokerResult, Bucket, Counts, Latency, PartitionResult

SUMMED = (
    "visible",
    "records",
    "bytes",
    "corrupt",
    "misplaced",
    "other_runs",
    "null_values",
    "foreign_headers",
    "odd_times",
    "duplicated",
    "out_of_order",
)
EDGES_MS = (
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    15,
    20,
    30,
    50,
    70,
    100,
    150,
    200,
    300,
    500,
    700,
    1000,
    1500,
    2000,
    3000,
    5000,
    7000,
    10000,
)
PERCENTILES = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "p999_ms": 0.999}
CLOCK = "from the Spark executor's clock when a record is made to the leading broker's clock when it is appended"

Row = Mapping[str, Any]


def flawless(
    rows: Collection[Row], workload: Workload, spans: Mapping[int, tuple[int, int]]
) -> list[dict[str, Any]] | None:
    """Return ``audit.reconcile``'s rows by those of ``audit.summarize``, or null unless all partitions are proven."""
    if proven(rows, workload, spans) != set(range(workload.partitions)):
        return None
    return [_flawless(row, workload) for row in rows]


def proven(rows: Iterable[Row], workload: Workload, spans: Mapping[int, tuple[int, int]]) -> set[int]:
    """Return the partitions of ``spans`` (first and end offset) whose ``audit.summarize`` rows leave no fault possible.

    A partition is proven if it has as many offsets as the run has records for it, and all are those of records without
    a fault, each at its own offset. Sum and exclusive or of their offsets are those of all offsets, so offsets that are
    read twice do not hide others that are missed: each record is there once, and in order. A sum that is too large for
    a number of Spark is null, and proves nothing.
    """
    counts, offsets, sums = Counter[int](), Counter[int](), Counter[int]()
    too_large: set[int] = set()
    for row in rows:
        counts[row["partition"]] += row["visible"]
        offsets[row["partition"]] ^= row["offsets"]
        sums[row["partition"]] += row["offset_sum"] or 0
        if row["offset_sum"] is None:
            too_large.add(row["partition"])
    return {
        partition
        for partition, (first, end) in spans.items()
        if partition < workload.partitions
        and partition not in too_large
        and counts[partition] == workload.expected_in(partition) == end - first
        and 2 * sums[partition] == (end - first) * (first + end - 1)
        and offsets[partition] == _exclusive_or(first) ^ _exclusive_or(end)
    }


def _exclusive_or(end: int) -> int:
    """Return the exclusive or of all numbers below ``end``: four in a row from a multiple of four make 0."""
    return functools.reduce(operator.xor, range(end - end % 4, end), 0)


def _flawless(row: Row, workload: Workload) -> dict[str, Any]:
    count = row["visible"]
    return {
        **dict.fromkeys(SUMMED, 0),
        "partition": row["partition"],
        "expected_partition": row["partition"],
        "latency_ms": row["latency_ms"],
        "max_latency_ms": row["max_latency_ms"],
        "visible": count,
        "records": count,
        "bytes": count * (KEY_LENGTH + workload.record_bytes),
        "fingerprint": row["fingerprint"],
        "first_copies": count,
    }


def per_partition(
    rows: Iterable[Row],
    workload: Workload,
    offsets: Mapping[int, tuple[int, int]],
    leaders: Mapping[int, int | None],
    behind: Mapping[int, int] = MappingProxyType({}),
) -> list[PartitionResult]:
    """Return one result for each partition of ``offsets`` (first and end offset of the read), in their order.

    ``behind``: offsets of a partition that were written and cannot be read yet, for a transaction before them is open.
    At most that number of absent records is undecided; the rest is lost.
    """
    found: dict[int, Counter[str]] = {partition: Counter() for partition in offsets}
    first_copies: Counter[int] = Counter()
    for row in rows:
        found.setdefault(row["partition"], Counter()).update({name: row[name] for name in SUMMED})
        if row["expected_partition"] is not None:
            first_copies[row["expected_partition"]] += row["first_copies"]
    absent = {partition: workload.expected_in(partition) - first_copies[partition] for partition in offsets}
    undecided = {partition: min(count, behind.get(partition, 0)) for partition, count in absent.items()}
    return [
        PartitionResult(
            partition=partition,
            leader=leaders.get(partition),
            first_offset=first,
            end_offset=end,
            records=found[partition]["records"],
            bytes=found[partition]["bytes"],
            holes=end - first - found[partition]["visible"],
            lost=absent[partition] - undecided[partition],
            undecided=undecided[partition],
            duplicated=found[partition]["duplicated"],
            corrupt=found[partition]["corrupt"],
            out_of_order=found[partition]["out_of_order"],
            misplaced=found[partition]["misplaced"],
            foreign_headers=found[partition]["foreign_headers"],
            unexpected=found[partition]["visible"] - found[partition]["records"],
        )
        for partition, (first, end) in sorted(offsets.items())
    ]


def counts(partitions: list[PartitionResult], rows: Iterable[Row], written: int) -> Counts:
    """Return the whole run's account."""
    kinds: Counter[str] = Counter()
    for row in rows:
        kinds.update({name: row[name] for name in ("other_runs", "null_values", "odd_times")})
    return Counts(
        written=written,
        read=sum(result["records"] for result in partitions),
        lost=sum(result["lost"] for result in partitions),
        undecided=sum(result["undecided"] for result in partitions),
        duplicated=sum(result["duplicated"] for result in partitions),
        corrupt=sum(result["corrupt"] for result in partitions),
        out_of_order=sum(result["out_of_order"] for result in partitions),
        misplaced=sum(result["misplaced"] for result in partitions),
        foreign_headers=sum(result["foreign_headers"] for result in partitions),
        odd_times=kinds["odd_times"],
        unexpected=sum(result["unexpected"] for result in partitions),
        other_runs=kinds["other_runs"],
        null_values=kinds["null_values"],
    )


def per_broker(partitions: list[PartitionResult], brokers: Mapping[int, str]) -> list[BrokerResult]:
    """Sum partitions by leader: every broker, also one that leads none; last those without a leader."""
    led: dict[int | None, list[PartitionResult]] = {node: [] for node in sorted(brokers)}
    for result in partitions:
        led.setdefault(result["leader"], []).append(result)
    return [
        BrokerResult(
            node_id=node,
            host=None if node is None else brokers.get(node),
            partitions=len(results),
            records=sum(result["records"] for result in results),
            bytes=sum(result["bytes"] for result in results),
            lost=sum(result["lost"] for result in results),
            corrupt=sum(result["corrupt"] for result in results),
        )
        for node, results in led.items()
    ]


def latency(rows: Iterable[Row]) -> Latency | None:
    """Return percentiles (nearest rank) and histogram; null if the topic's timestamps are not the brokers' own."""
    by_ms: Counter[int] = Counter()
    highest: list[int] = []
    for row in rows:
        if row["latency_ms"] is not None:
            by_ms[row["latency_ms"]] += row["visible"]
            highest.append(row["max_latency_ms"])
    if not by_ms:
        return None
    return Latency(
        clock=CLOCK,
        records=by_ms.total(),
        negative=sum(records for ms, records in by_ms.items() if ms < 0),
        p50_ms=percentile(by_ms, PERCENTILES["p50_ms"]),
        p95_ms=percentile(by_ms, PERCENTILES["p95_ms"]),
        p99_ms=percentile(by_ms, PERCENTILES["p99_ms"]),
        p999_ms=percentile(by_ms, PERCENTILES["p999_ms"]),
        max_ms=max(highest),
        histogram=histogram(by_ms),
    )


def percentile(by_ms: Mapping[int, int], share: float) -> int:
    """Return the smallest value that at least ``share`` of the records do not exceed."""
    wanted = share * sum(by_ms.values())
    seen = 0
    for ms, records in sorted(by_ms.items()):
        seen += records
        if seen >= wanted:
            return ms
    return max(by_ms)


def histogram(by_ms: Mapping[int, int]) -> list[Bucket]:
    """Return buckets between the edges and one at each open end."""
    bounds = zip((None, *EDGES_MS), (*EDGES_MS, None))
    return [
        Bucket(
            from_ms=low,
            to_ms=high,
            records=sum(n for ms, n in by_ms.items() if (low is None or ms >= low) and (high is None or ms < high)),
        )
        for low, high in bounds
    ]
