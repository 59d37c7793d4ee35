"""Data of the page's drawings, and the figures without a join with the topic: latencies, rates, errors, brokers."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.probe.events import FAILED, LATE, RETRY, TROUBLE, VIEW

PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
ERRORS = (RETRY, TROUBLE, FAILED)


def latency(records: DataFrame, until: str) -> DataFrame:
    """Return ``[p50, p99, p99_9, most, records]`` in microseconds, exact, from the sending to the column ``until``."""
    took = F.col(until) - F.col("sent_us")
    exact = [F.percentile(took, share).alias(name) for name, share in PERCENTILES.items()]
    return records.where(took.isNotNull()).agg(*exact, F.max(took).alias("most"), F.count(took).alias("records"))


def buckets(records: DataFrame, begin_us: int, width_us: int) -> DataFrame:
    """Return ``[bucket, acks, p50, p99, most]``: acknowledgements by moment, ``width_us`` wide, without empty ones."""
    took = F.col("acked_us") - F.col("sent_us")
    bucket = F.floor((F.col("acked_us") - begin_us) / width_us).cast("int")
    return (
        records.where(took.isNotNull())
        .groupBy(bucket.alias("bucket"))
        .agg(
            F.count(F.lit(1)).alias("acks"),
            F.percentile(took, 0.5).alias("p50"),
            F.percentile(took, 0.99).alias("p99"),
            F.max(took).alias("most"),
        )
        .orderBy("bucket")
    )


def errors(events: DataFrame, limit: int) -> DataFrame:
    """Return ``[kind, detail, client, count, first_us, last_us]``, the most frequent first."""
    client: Column = F.regexp_extract("source", r"^([a-z]+)", 1)
    return (
        events.where(F.col("kind").isin(*ERRORS))
        .groupBy("kind", "detail", client.alias("client"))
        .agg(F.count(F.lit(1)).alias("count"), F.min("at_us").alias("first_us"), F.max("at_us").alias("last_us"))
        .orderBy(F.desc("count"), "kind", "detail", "client")
        .limit(limit)
    )


def span(events: DataFrame) -> DataFrame:
    """Return ``[begin_us, end_us, late_us, events]``: the log's first and last moment, the probe's largest delay."""
    late = F.when(F.col("kind") == LATE, F.col("detail").cast("long"))
    return events.agg(
        F.min("at_us").alias("begin_us"),
        F.max("at_us").alias("end_us"),
        F.coalesce(F.max(late), F.lit(0)).alias("late_us"),
        F.count(F.lit(1)).alias("events"),
    )


def views(events: DataFrame, limit: int) -> DataFrame:
    """Return ``[at_us, detail]``: the watcher's views, each time that they changed."""
    return events.where(F.col("kind") == VIEW).select("at_us", "detail").orderBy("at_us").limit(limit)
