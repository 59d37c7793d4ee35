"""The report's numbers follow from the audit's rows."""

from __future__ import annotations

from typing import Any

import pytest

from spark_jobs import aggregate
from spark_jobs.record_format import Workload

WORKLOAD = Workload("run-a", 10, 100, 3, 1)


def row(partition: int, expected: int | None, **counts: Any) -> dict[str, Any]:
    zeros = dict.fromkeys((*aggregate.SUMMED, "first_copies"), 0)
    known = {"partition": partition, "expected_partition": expected, "latency_ms": None, "max_latency_ms": None}
    return {**zeros, **known, **counts}


def test_a_copy_elsewhere_counts_where_it_was_found_and_keeps_its_number_from_being_lost() -> None:
    rows = [
        row(0, 0, visible=3, records=3, first_copies=3),
        row(1, 0, visible=1, records=1, misplaced=1, first_copies=1),
        row(1, 1, visible=3, records=3, first_copies=3),
        row(1, None, visible=2, other_runs=2),
    ]
    results = aggregate.per_partition(rows, WORKLOAD, {0: (0, 5), 1: (0, 6), 2: (4, 4)}, {0: 7, 1: 8})
    assert [result["lost"] for result in results] == [0, 0, 3]
    assert [result["misplaced"] for result in results] == [0, 1, 0]
    assert [result["holes"] for result in results] == [2, 0, 0]
    assert [result["unexpected"] for result in results] == [0, 2, 0]
    assert [result["leader"] for result in results] == [7, 8, None]
    counts = aggregate.counts(results, rows, 10)
    assert (counts["read"], counts["lost"], counts["misplaced"], counts["other_runs"]) == (7, 3, 1, 2)


def test_every_broker_is_listed_also_one_that_leads_nothing() -> None:
    rows = [row(partition, partition, visible=3, records=3, bytes=360, first_copies=3) for partition in range(3)]
    results = aggregate.per_partition(rows, WORKLOAD, dict.fromkeys(range(3), (0, 3)), {0: 1, 1: 1})
    brokers = aggregate.per_broker(results, {1: "a:9092", 2: "b:9092"})
    assert [(entry["node_id"], entry["host"], entry["partitions"], entry["records"]) for entry in brokers] == [
        (1, "a:9092", 2, 6),
        (2, "b:9092", 0, 0),
        (None, None, 1, 3),
    ]


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 1), (0.51, 2), (0.99, 2), (0.999, 500), (1.0, 500)])
def test_a_percentile_is_the_nearest_rank(share: float, value: int) -> None:
    assert aggregate.percentile({1: 500, 2: 495, 500: 5}, share) == value


def test_the_histogram_holds_every_record_once() -> None:
    by_ms = {-3: 1, 0: 2, 1: 3, 6: 4, 10: 5, 99_000: 6}
    buckets = aggregate.histogram(by_ms)
    assert sum(bucket["records"] for bucket in buckets) == sum(by_ms.values())
    filled = {(bucket["from_ms"], bucket["to_ms"]): bucket["records"] for bucket in buckets if bucket["records"]}
    assert filled == {(None, 0): 1, (0, 1): 2, (1, 2): 3, (5, 7): 4, (10, 15): 5, (10_000, None): 6}


def test_clocks_that_disagree_are_counted() -> None:
    rows = [
        row(0, 0, visible=4, latency_ms=-20, max_latency_ms=-20),
        row(0, 0, visible=6, latency_ms=10, max_latency_ms=12),
    ]
    measured = aggregate.latency(rows)
    assert measured is not None
    assert (measured["negative"], measured["max_ms"], measured["records"]) == (4, 12, 10)


def test_no_latency_is_null_and_not_zero() -> None:
    assert aggregate.latency([row(0, 0, visible=4)]) is None
