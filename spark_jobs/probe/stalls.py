"""Durations in which a partition took no record, by the probe's log.

A stall of a partition is a stretch of time in which the client had asked for something to be written and nothing was
acknowledged. It begins with the last acknowledgement before, if a record was under way at that moment, else with the
first attempt to send after it; it ends with the next acknowledgement. A record given up (``failed``) ends no
stall. So at rest, when a record is answered before the next is sent, a stall is nothing but that record's latency, and
the silence between two records is none. The time before a partition's first acknowledgement is the client's own way
in (connections, producer ids) and no stall. A stretch that no acknowledgement ends lasts to the log's end and is
``open``.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812


def stalls(records: DataFrame, end_us: int) -> DataFrame:
    """Convert ``reconcile.records`` to ``[partition, from_us, to_us, length_us, open]``, one row for each stretch."""
    order = Window.partitionBy("partition").orderBy("sequence")
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    sent = records.where(F.col("sent_us").isNotNull())
    # Records up to the next acknowledged one belong together: the earliest of them has waited longest.
    stretch = F.coalesce(F.count("acked_us").over(before), F.lit(0))
    waits = (
        sent.withColumn("stretch", stretch)
        .groupBy("partition", "stretch")
        .agg(F.min("sent_us").alias("first_us"), F.max("acked_us").alias("acked_us"))
    )
    # max, not lag: of records that one answer acknowledges, the callbacks may run in any order.
    ordered = Window.partitionBy("partition").orderBy("stretch").rowsBetween(Window.unboundedPreceding, -1)
    begin = F.greatest(F.col("first_us"), F.max("acked_us").over(ordered))
    end = F.coalesce(F.col("acked_us"), F.lit(end_us))
    found = waits.select(
        "partition",
        begin.alias("from_us"),
        end.alias("to_us"),
        F.col("acked_us").isNull().alias("open"),
        (F.col("stretch") > 0).alias("known"),
    )
    found = found.where(F.col("known") | F.col("open"))
    return found.withColumn("length_us", F.greatest(F.col("to_us") - F.col("from_us"), F.lit(0))).select(
        "partition", "from_us", "to_us", "length_us", "open"
    )


def longest(found: DataFrame) -> DataFrame:
    """Return the longest stall of each partition."""
    columns = ["from_us", "to_us", "length_us", "open"]
    return (
        found.groupBy("partition")
        .agg(F.max_by(F.struct(*columns), F.col("length_us")).alias("stall"))
        .select("partition", *(f"stall.{column}" for column in columns))
        .orderBy("partition")
    )


def longer_than(found: DataFrame, length_us: int, limit: int) -> DataFrame:
    """Return the longest stalls of at least ``length_us``, in time order."""
    long = found.where(F.col("length_us") >= length_us).orderBy(F.desc("length_us")).limit(limit)
    return long.orderBy("from_us", "partition")
