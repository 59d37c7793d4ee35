"""The account of the probe's records: what it was promised against what the topic holds. Joins and windows only.

``events`` is the probe's log (``events.SPARK_SCHEMA``), ``found`` what ``content`` makes of the topic. Only ``records``
and ``outcomes`` have a row for each record; the rest has one for each partition.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.probe.events import ACK, EPOCH, FAILED, RECEIPT, SEND
from spark_jobs.probe.records import PARTITION_LENGTH, SEQUENCE_LENGTH, padding, prefix

RECORD = ["partition", "sequence"]
NEVER_US = 2**63 - 1


def content(kafka_rows: DataFrame, run_id: str, record_bytes: int) -> DataFrame:
    """Convert Spark's Kafka rows to ``[partition, sequence, place, offset]`` of the run's own records.

    ``partition`` and ``sequence`` are the record's own, ``place`` is the partition that holds it. A record that is not
    byte for byte as it was sent (``record_bytes`` long) is none: if it was acknowledged, it is lost.
    """
    start = len(prefix(run_id)) + 1
    partition = F.substring("value", start, PARTITION_LENGTH).cast("string").try_cast("int")
    number = F.substring("value", start + PARTITION_LENGTH + 1, SEQUENCE_LENGTH).cast("string").try_cast("long")
    own = kafka_rows.where(F.substring("value", 1, start - 1) == F.lit(prefix(run_id))).select(
        "value",
        partition.alias("partition"),
        number.alias("sequence"),
        F.col("partition").alias("place"),
        "offset",
    )
    numbers = F.format_string(f"%0{PARTITION_LENGTH}d %0{SEQUENCE_LENGTH}d", "partition", "sequence")
    sent = F.concat(F.lit(prefix(run_id)), F.encode(numbers, "UTF-8"), F.lit(padding(record_bytes)))
    return own.where(F.col("sequence").isNotNull() & (F.col("value") == sent)).drop("value")


def records(events: DataFrame) -> DataFrame:
    """Return one row for each record sent.

    ``[partition, sequence, source, sent_us, acked_us, failed_us, received_us, receipts]``
    """

    def first(kind: str) -> Column:
        return F.min(F.when(F.col("kind") == kind, F.col("at_us")))

    return (
        events.where(F.col("kind").isin(SEND, ACK, FAILED, RECEIPT))
        .groupBy(*RECORD)
        .agg(
            F.max(F.when(F.col("kind") == SEND, F.col("source"))).alias("source"),
            first(SEND).alias("sent_us"),
            first(ACK).alias("acked_us"),
            first(FAILED).alias("failed_us"),
            first(RECEIPT).alias("received_us"),
            F.count_if(F.col("kind") == RECEIPT).alias("receipts"),
        )
        .select(*RECORD, "source", "sent_us", "acked_us", "failed_us", "received_us", "receipts")
    )


def epochs(events: DataFrame) -> DataFrame:
    """Return ``[source, epochs_us]``: the times at which each producer began again."""
    return events.where(F.col("kind") == EPOCH).groupBy("source").agg(F.collect_list("at_us").alias("epochs_us"))


def outcomes(sent: DataFrame, found: DataFrame, began: DataFrame) -> DataFrame:
    """Return records, with ``copies``, ``misplaced`` (copies in another partition) and ``again``.

    ``copies`` is their number in the topic; ``again``: it was under way when its producer began again. An
    unanswered record is under way until the producer gives it up, or for ever.
    """
    held = found.groupBy(*RECORD).agg(
        F.count(F.lit(1)).alias("copies"), F.count_if(F.col("place") != F.col("partition")).alias("misplaced")
    )
    answered = F.coalesce("acked_us", "failed_us", F.lit(NEVER_US))
    under_way = F.exists("epochs_us", lambda at: at.between(F.col("sent_us"), answered))
    joined = sent.join(F.broadcast(began), "source", "left").withColumn("again", under_way).drop("epochs_us", "source")
    return (
        joined.join(held, RECORD, "full_outer").fillna(0, ["copies", "misplaced", "receipts"]).fillna(False, ["again"])
    )


def by_partition(judged: DataFrame) -> DataFrame:
    """``[partition, sent, acked, failed, unanswered, lost, duplicated, resent, misplaced, unlogged, received, ...]``.

    Lost is what was acknowledged and is nowhere in the topic; duplicated are copies beyond the first, but for those
    that the producer itself has sent under a new epoch (resent). Unlogged are records of the run that its log does
    not have (a killed probe's last seconds). Neither of these is a fault of the cluster.
    """
    acked, failed = F.col("acked_us").isNotNull(), F.col("failed_us").isNotNull()
    sent, held = F.col("sent_us").isNotNull(), F.col("copies") > 0
    more, again = F.greatest(F.col("copies") - 1, F.lit(0)), F.col("again")
    return judged.groupBy("partition").agg(
        F.count_if(sent).alias("sent"),
        F.count_if(acked).alias("acked"),
        F.count_if(failed).alias("failed"),
        F.count_if(sent & ~acked & ~failed).alias("unanswered"),
        F.count_if(acked & ~held).alias("lost"),
        F.sum(F.when(again, F.greatest(more - 1, F.lit(0))).otherwise(more)).alias("duplicated"),
        F.sum(F.when(again, F.least(more, F.lit(1))).otherwise(F.lit(0))).alias("resent"),
        F.sum("misplaced").alias("misplaced"),
        F.count_if(~sent & ~acked & held).alias("unlogged"),
        F.count_if(acked & (F.col("receipts") > 0)).alias("received"),
        F.sum(F.greatest(F.col("receipts") - 1, F.lit(0))).alias("redelivered"),
    )


def reordered(found: DataFrame) -> DataFrame:
    """Return ``[partition, reordered]``: first copies behind a record with a higher number."""
    copy = F.row_number().over(Window.partitionBy(*RECORD).orderBy("offset"))
    before = Window.partitionBy("place").orderBy("offset").rowsBetween(Window.unboundedPreceding, -1)
    firsts = found.where(F.col("place") == F.col("partition")).withColumn("copy", copy).where(F.col("copy") == 1)
    behind = F.max("sequence").over(before) > F.col("sequence")
    return firsts.withColumn("behind", behind).groupBy("partition").agg(F.count_if("behind").alias("reordered"))


def lost_examples(judged: DataFrame, limit: int) -> DataFrame:
    """Return ``[partition, sequence, sent_us, acked_us]`` of the first lost records."""
    lost = judged.where(F.col("acked_us").isNotNull() & (F.col("copies") == 0))
    return lost.select(*RECORD, "sent_us", "acked_us").orderBy("acked_us").limit(limit)
