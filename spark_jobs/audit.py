"""The account of a run: what is lost, duplicated, out of order, misplaced, and where.

A run without a fault is proven by ``summarize`` and ``aggregate.flawless``: one pass, without a sort. Everything else
is counted by joins and windows over ``reading.judge``'s output. Results are DataFrames whose size depends on partitions
or on a limit, never on the number of records, so that they may be collected.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs import aggregate, reading
from spark_jobs.reading import CORRUPT, NULL_VALUE, OTHER_RUN, OURS
from spark_jobs.record_format import Workload
from spark_jobs.records import key_of, partition_of, writer_of

SIGNIFICANT_DIGITS = 2
USUAL_DIGITS = 5  # of a latency in ms: less than 100 s
SPREAD = 1024  # how many groups the records without a number are spread over


def account(
    rows: DataFrame, workload: Workload, times: tuple[int, int], spans: Mapping[int, tuple[int, int]]
) -> list[dict[str, Any]]:
    """Return ``reconcile``'s rows of all records of ``spans`` (by partition: first and end offset), as dictionaries."""
    summary = [row.asDict() for row in summarize(rows, workload, times, spans).collect()]
    proven = aggregate.flawless(summary, workload, spans)
    if proven is not None:
        return proven
    return [row.asDict() for row in reconcile(reading.judge(rows, workload, times)).collect()]


def summarize(
    rows: DataFrame, workload: Workload, times: tuple[int, int], spans: Mapping[int, tuple[int, int]]
) -> DataFrame:
    """Count the records that have no fault by themselves and are at their own offset, in one pass and without a sort.

    ``[partition, latency_ms, visible, fingerprint, offsets, offset_sum, max_latency_ms]``; the latency is cut,
    ``offsets`` is the exclusive or of the records' offsets, and ``offset_sum`` their sum, null if it is too large.
    """
    cut = _cut("latency_ms").alias("latency_ms")
    return (
        reading.as_written(rows, workload, times, spans)
        .groupBy("partition", cut)
        .agg(
            F.count_if("in_time").alias("visible"),
            F.bit_xor(_identity()).alias("fingerprint"),
            F.bit_xor("offset").alias("offsets"),
            F.try_sum("offset").alias("offset_sum"),
            F.max("latency_ms").alias("max_latency_ms"),
        )
    )


def reconcile(judged: DataFrame) -> DataFrame:
    """Count everything in one pass: by partition, by the partition where a record belongs, and by latency.

    ``[partition, expected_partition, latency_ms, visible, records, bytes, corrupt, misplaced, other_runs, null_values,
    foreign_headers, odd_times, fingerprint, first_copies, duplicated, out_of_order, max_latency_ms]``; the latency is
    cut to two significant digits, so there are a few hundred rows for each
    partition at most. What is lost of a partition is what was sent to
    it minus its ``first_copies``.
    """
    first = F.col("is_first")
    copies = [
        F.count_if(first).alias("first_copies"),
        F.count_if(~first).alias("duplicated"),
        F.count_if(first & F.col("is_behind")).alias("out_of_order"),
        F.max("latency_ms").alias("max_latency_ms"),
    ]
    cut = _cut("latency_ms").alias("latency_ms")
    return with_copies(judged).groupBy("partition", "expected_partition", cut).agg(*counters(), *copies)


def counters() -> list[Column]:
    """Return the counts that need no other record than the one at hand; a stream can keep them, too.

    ``fingerprint`` is equal for two readings when both saw the same records, and hardly ever else (it has 64 bits).
    """
    ours = F.col("kind").isin(*OURS)
    return [
        F.count(F.lit(1)).alias("visible"),
        F.count_if(ours).alias("records"),
        F.coalesce(F.sum(F.when(ours, F.col("bytes"))), F.lit(0)).alias("bytes"),
        F.count_if(F.col("kind") == CORRUPT).alias("corrupt"),
        F.count_if(ours & (F.col("partition") != F.col("expected_partition"))).alias("misplaced"),
        F.count_if(F.col("kind") == OTHER_RUN).alias("other_runs"),
        F.count_if(F.col("kind") == NULL_VALUE).alias("null_values"),
        F.count_if(ours & F.col("has_headers")).alias("foreign_headers"),
        F.count_if(F.col("odd_time")).alias("odd_times"),
        F.coalesce(F.bit_xor(F.when(ours, _identity())), F.lit(0)).alias("fingerprint"),
    ]


def _identity() -> Column:
    return F.xxhash64("partition", "offset", "sequence", "kind")


def with_copies(judged: DataFrame) -> DataFrame:
    """Adds ``is_first`` (the copy that counts) and ``is_behind`` (a later record of its partition is before it).

    A partition has one writer, and Kafka promises the order of each producer in each partition. One sort of the
    records for a partition, from the highest number down, answers both: a copy is the first when the next row has
    another number, and it is behind when any row so far (all with higher numbers) has a lower offset. Offsets of
    different partitions do not compare, so misplaced copies take no part in the order, and they sort as if they came
    last. Both are null for a record without a number.
    """
    sequence = F.col("sequence")
    rows = judged.withColumns(
        {
            "ordered_in": F.coalesce("expected_partition", -1 - F.col("offset") % SPREAD),
            "place": F.when(F.col("partition") == F.col("expected_partition"), F.col("offset")),
        }
    )
    downwards = Window.partitionBy("ordered_in").orderBy(
        F.desc("sequence"), F.desc_nulls_first("place"), F.desc("partition"), F.desc("offset")
    )
    higher = downwards.rowsBetween(Window.unboundedPreceding, -1)
    is_first = ~F.lead("sequence").over(downwards).eqNullSafe(sequence)
    is_behind = F.coalesce(F.min("place").over(higher) < F.col("place"), F.lit(False))
    counted = sequence.isNotNull()
    return rows.withColumns({"is_first": F.when(counted, is_first), "is_behind": F.when(counted, is_behind)})


def first_faults(judged: DataFrame, limit: int) -> DataFrame:
    """Return ``[kind, partition, offset, sequence]`` of the ``limit`` first records of each fault, in order.

    ``kind`` is a name of ``FAULTS``, which are those of ``report_schema.Counts``.
    """
    first, ours = F.col("is_first"), F.col("kind").isin(*OURS)
    flags = {
        "corrupt": F.col("kind") == CORRUPT,
        "foreign_headers": ours & F.col("has_headers"),
        "misplaced": ours & (F.col("partition") != F.col("expected_partition")),
        "out_of_order": first & F.col("is_behind"),
        "duplicated": ~first,
        "odd_times": F.col("odd_time"),
    }
    kinds = F.array_compact(F.array(*(F.when(flag, F.lit(name)) for name, flag in flags.items())))
    rows = with_copies(judged).select(F.explode(kinds).alias("fault"), "partition", "offset", "sequence")
    place = F.row_number().over(Window.partitionBy("fault").orderBy("partition", "offset"))
    named = rows.withColumn("place", place).where(F.col("place") <= limit)
    return named.select(F.col("fault").alias("kind"), "partition", "offset", "sequence").orderBy(
        "kind", "partition", "offset"
    )


def retries_needed(judged: DataFrame, workload: Workload) -> DataFrame:
    """Return ``[retries]``: the least number of repeated attempts of a writer's task that explains all duplicates.

    An attempt writes each number of its writer once at most, so the record with most copies decides for each writer.
    """
    again = with_copies(judged).where(~F.col("is_first")).groupBy("sequence").count()
    most = again.groupBy(writer_of("sequence", workload).alias("writer")).agg(F.max("count").alias("most"))
    return most.agg(F.coalesce(F.sum("most"), F.lit(0)).alias("retries"))


def missing(spark: SparkSession, judged: DataFrame, workload: Workload) -> DataFrame:
    """Return ``[sequence: long]``: every number of the run that no record bears."""
    every = spark.range(workload.records).withColumnRenamed("id", "sequence")
    return every.join(judged.select("sequence"), "sequence", "left_anti")


def first_missing(
    spark: SparkSession, judged: DataFrame, workload: Workload, limit: int, partitions: Collection[int]
) -> DataFrame:
    """Return ``[sequence, key, partition, offset_before, offset_after]`` of the ``limit`` lowest missing numbers.

    The neighbours are the nearest received numbers in the partition where the record belongs.
    """
    sequence = F.col("sequence")
    absent = missing(spark, judged, workload).where(partition_of("sequence", workload).isin(*partitions))
    lowest = absent.orderBy("sequence").limit(limit)
    gaps = lowest.select(
        "sequence",
        key_of("sequence", workload).alias("key"),
        partition_of("sequence", workload).alias("gap_partition"),
    )
    received = judged.where(sequence.isNotNull() & (F.col("partition") == F.col("expected_partition"))).select(
        "partition", "offset", sequence.alias("seen")
    )
    beside = F.col("partition") == F.col("gap_partition")
    seen, offset = F.col("seen"), F.col("offset")
    return (
        received.join(F.broadcast(gaps), beside, "right")
        .groupBy("sequence", "key", F.col("gap_partition").alias("partition"))
        .agg(
            F.max_by(offset, F.when(seen < sequence, seen)).alias("offset_before"),
            F.min_by(offset, F.when(seen > sequence, seen)).alias("offset_after"),
        )
        .orderBy("sequence")
    )


def _cut(latency: str) -> Column:
    """Return the latency with all but its leading digits set to zero. Without logarithm: exact, and cheap.

    The usual magnitudes have a branch each, all others share the one that counts digits in text.
    """
    cuts = [
        f"WHEN abs({latency}) < {10 ** (digits + SIGNIFICANT_DIGITS)}L THEN {latency} - {latency} % {10**digits}L"
        for digits in range(1, USUAL_DIGITS - SIGNIFICANT_DIGITS + 1)
    ]
    zeros = f"length(string(abs({latency}))) - {SIGNIFICANT_DIGITS}"
    rest = f"{latency} - {latency} % bigint(rpad('1', 1 + {zeros}, '0'))"
    return F.expr(
        f"CASE WHEN abs({latency}) < {10**SIGNIFICANT_DIGITS}L THEN {latency} {' '.join(cuts)} ELSE {rest} END"
    )
