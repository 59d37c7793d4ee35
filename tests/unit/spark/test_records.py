"""Spark's records are those of the Python twin, byte for byte."""

from __future__ import annotations

from time import time

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs import records
from spark_jobs.record_format import EVENT_MS, SEQUENCE, Workload, encode


@pytest.mark.parametrize(
    "workload", [Workload("run-1", 500, 100, 3, 4), Workload("a", 7, 300, 1, 3)], ids=["small", "long"]
)
def test_spark_writes_the_bytes_that_the_format_says(spark: SparkSession, workload: Workload) -> None:
    rows = records.generate(spark, workload).collect()
    assert len(rows) == workload.records
    for row in rows:
        value = bytes(row["value"])
        sequence = int(value[SEQUENCE.start : SEQUENCE.end])
        assert (bytes(row["key"]), value) == encode(workload, sequence, int(value[EVENT_MS.start : EVENT_MS.end]))
        assert row["partition"] == workload.partition_of(sequence)


def test_every_record_has_its_own_moment(spark: SparkSession) -> None:
    began = time() * 1000
    rows = records.generate(spark, Workload("run-1", 20_000, 100, 3, 1)).select("value").collect()
    moments = [int(bytes(row["value"])[EVENT_MS.start : EVENT_MS.end]) for row in rows]
    assert int(began) <= min(moments) <= max(moments) <= time() * 1000
    assert len(set(moments)) > 1
    assert moments == sorted(moments)


@pytest.mark.parametrize(("count", "writers"), [(1, 1), (5, 3), (97, 7), (12_345, 16)])
def test_a_writer_is_one_task_of_spark(spark: SparkSession, count: int, writers: int) -> None:
    workload = Workload("run-1", count, 100, 30, writers)
    tasks = spark.range(0, count, 1, workload.tasks).withColumn("task", F.spark_partition_id())
    assert tasks.where(records.writer_of("id", workload) != F.col("task")).count() == 0


def test_numbers_at_the_upper_end_stay_exact(spark: SparkSession) -> None:
    workload = Workload("run-1", 10**12 - 1, 100, 10_000, 9999)
    sequences = [0, 10**11 + 7, 10**12 - 2]
    frame = spark.createDataFrame([(sequence,) for sequence in sequences], "id long")
    twins = (records.writer_of, records.partition_of, records.stripe_of, records.key_of)
    rows = frame.select(*(twin("id", workload) for twin in twins)).collect()
    for row, sequence in zip(rows, sequences, strict=True):
        numbers = (workload.writer_of(sequence), workload.partition_of(sequence))
        assert (*row[:3], row[3].encode()) == (*numbers, workload.stripe_of(sequence), workload.key_of(sequence))
