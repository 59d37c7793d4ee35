"""The missing records are named with their place and the records beside it; latency and fingerprints."""

from __future__ import annotations

import dataclasses
import random

import pytest
from pyspark.sql import SparkSession

from spark_jobs import aggregate, audit, reading
from spark_jobs.record_format import Workload
from tests.unit.spark.kafka_log import LATENCY_MS, SCHEMA, TIMES, KafkaLog

WORKLOAD = Workload("run-a", 300, 100, 6, 2)


def test_the_first_missing_are_named_with_their_neighbours(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    offsets = {row[1][26:38]: row[3] for row in log.rows()}
    log.drop(9, 12, 150, 299)
    kept = {row[1][26:38]: row[3] for row in log.rows()}
    rows = audit.first_missing(spark, log.judged(spark), WORKLOAD, 20, range(6)).collect()
    assert [row["sequence"] for row in rows] == [9, 12, 150, 299]
    assert [row["key"].encode() for row in rows] == [WORKLOAD.key_of(sequence) for sequence in (9, 12, 150, 299)]
    assert [row["partition"] for row in rows] == [0, 0, 3, 5]
    nine, twelve, first_of_stripe, last = rows
    assert (nine["offset_before"], nine["offset_after"]) == (kept[b"%012d" % 6], kept[b"%012d" % 15])
    assert (nine["offset_before"], nine["offset_after"]) == (twelve["offset_before"], twelve["offset_after"])
    assert (first_of_stripe["offset_before"], last["offset_after"]) == (None, None)
    assert offsets.keys() > kept.keys()


def test_no_more_than_the_limit_are_named_lowest_first(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.drop(*range(100, 200))
    rows = audit.first_missing(spark, log.judged(spark), WORKLOAD, 20, range(6)).collect()
    assert [row["sequence"] for row in rows] == list(range(100, 120))


def test_an_empty_topic_names_the_first_without_neighbours(spark: SparkSession) -> None:
    empty = reading.judge(spark.createDataFrame([], SCHEMA), WORKLOAD)
    rows = audit.first_missing(spark, empty, WORKLOAD, 3, range(6)).collect()
    assert [tuple(row)[2:] for row in rows] == [(0, None, None), (1, None, None), (2, None, None)]


def test_a_corrupt_record_is_not_missing(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.flip(9, 700)
    assert audit.missing(spark, log.judged(spark), WORKLOAD).count() == 0


def test_latency_is_the_brokers_time_minus_the_event_time(spark: SparkSession) -> None:
    measured = aggregate.latency(KafkaLog.from_workload(WORKLOAD).accounted(spark))
    assert measured is not None
    assert (measured["p50_ms"], measured["max_ms"], measured["records"]) == (LATENCY_MS, LATENCY_MS, 300)


def test_latency_is_unknown_when_the_producer_stamped_the_records(spark: SparkSession) -> None:
    rows = [(*row[:5], 0, None) for row in KafkaLog.from_workload(WORKLOAD).rows()]
    frame, spans = spark.createDataFrame(rows, SCHEMA), KafkaLog.from_workload(WORKLOAD).spans()
    assert aggregate.latency(audit.account(frame, WORKLOAD, TIMES, spans)) is None


@pytest.mark.parametrize("seed", range(2))
def test_fingerprints_are_equal_for_the_same_records_in_any_order_only(spark: SparkSession, seed: int) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    rows = log.rows()
    random.Random(seed).shuffle(rows)  # noqa: S311
    other = [row if row[3] != 7 else (*row[:3], 7007, *row[4:]) for row in rows]
    prints = [
        reading.judge(spark.createDataFrame(some, SCHEMA), WORKLOAD).agg(*audit.counters()).collect()[0]["fingerprint"]
        for some in (log.rows(), rows, other)
    ]
    assert prints[0] == prints[1]
    assert prints[0] != prints[2]


def test_the_account_is_small_however_many_latencies_there_are(spark: SparkSession) -> None:
    frame = spark.range(100_000).select(audit._cut("id").alias("cut")).distinct()
    assert frame.count() == 10 + 90 * 4


def test_a_record_without_a_run_leaves_the_others_alone(spark: SparkSession) -> None:
    shorter = dataclasses.replace(WORKLOAD, run_id="run")
    log = KafkaLog.from_workload(WORKLOAD)
    log.entries += KafkaLog.from_workload(shorter).entries
    counts = log.counts(spark)
    assert (counts["lost"], counts["corrupt"], counts["other_runs"]) == (0, 0, 300)


def test_the_first_faults_are_named_with_partition_and_offset(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.flip(9, 700)
    log.append(12, 12)
    log.move_to_end(15)
    log.change(20, lambda entry: dataclasses.replace(entry, partition=0))
    log.change(4, lambda entry: dataclasses.replace(entry, headers=(("trace", b"x"),)))
    places: dict[bytes, list[tuple[int, int]]] = {}
    for row in log.rows():
        places.setdefault(row[1][26:38], []).append((row[2], row[3]))
    found = [tuple(row) for row in audit.first_faults(log.judged(spark), 20).collect()]
    assert found == [
        ("corrupt", *places[b"%012d" % 9][0], 9),
        ("duplicated", *places[b"%012d" % 12][1], 12),
        ("duplicated", *places[b"%012d" % 12][2], 12),
        ("foreign_headers", *places[b"%012d" % 4][0], 4),
        ("misplaced", *places[b"%012d" % 20][0], 20),
        ("out_of_order", *places[b"%012d" % 15][0], 15),
    ]


def test_no_more_faults_of_a_kind_than_the_limit_are_named(spark: SparkSession) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.append(*range(100))
    log.flip(200, 700)
    kinds = [row["kind"] for row in audit.first_faults(log.judged(spark), 20).collect()]
    assert kinds == ["corrupt"] + ["duplicated"] * 20


@pytest.mark.parametrize(
    ("copies", "retries"), [((), 0), ((3, 6, 9), 1), ((3, 3), 2), ((3, 6, 200), 2), ((3, 3, 6, 200, 200), 4)]
)
def test_the_retries_that_explain_the_duplicates_are_counted_by_writer(
    spark: SparkSession, copies: tuple[int, ...], retries: int
) -> None:
    log = KafkaLog.from_workload(WORKLOAD)
    log.append(*copies)
    assert audit.retries_needed(log.judged(spark), WORKLOAD).collect()[0]["retries"] == retries
