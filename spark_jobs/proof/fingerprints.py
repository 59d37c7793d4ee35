"""Spark's fingerprints of records and blocks of records: hashes only, so that nothing of a record is collected.

A block is a run of records of one partition. Its fingerprint covers each record's content and its place in the
partition. A hash has 64 bits: a changed record goes unseen once in 2**64.

A record's place is counted while its partition is read: Spark reads one partition of Kafka in one task, in the order
of the offsets. Blocks need no sort and no shuffle of records, so they cost little more than the reading itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

APPENDED = 1  # Kafka's number for a timestamp that a broker has set
PLACE_BITS = (1 << 33) - 1  # what monotonically_increasing_id counts within a task
BEYOND = 1 << 40  # added to the number of a block that the other side has no records for
NOTHING = -1  # the length of what is null; without it, null key and value could change places unseen
#: By topic and partition: how many records it has, and how many of them both sides have.
Totals = Mapping[tuple[str, int], tuple[int, int]]


def content(append_time: Collection[str]) -> list[Column]:
    """Return the fields that two copies of a record share; on topics of ``append_time`` without the timestamp."""
    parts = [_length(F.col("key")), F.col("key"), _length(F.col("value")), F.col("value")]
    return [*parts, timestamp(append_time), _headers()]


def timestamp(append_time: Collection[str]) -> Column:
    """Return milliseconds since 1970, or 0 if they are not compared."""
    stamp = F.unix_millis("timestamp")
    return F.when(F.col("topic").isin(*append_time), F.lit(0)).otherwise(stamp) if append_time else stamp


def _headers() -> Column:
    """Return JSON: names, bytes and nulls in their order, which a plain hash would run together."""
    return F.to_json("headers")


def _length(column: Column) -> Column:
    return F.coalesce(F.length(column), F.lit(NOTHING))


def records(rows: DataFrame, append_time: Collection[str]) -> DataFrame:
    """Return ``[topic, partition, offset, whole]``: each record as one number."""
    return rows.select("topic", "partition", "offset", F.xxhash64(*content(append_time)).alias("whole"))


def details(rows: DataFrame, append_time: Collection[str]) -> DataFrame:
    """Return ``[partition, offset, whole, key, value, headers, timestamp, keyless]``: each record's parts as numbers.

    ``value`` is null if the record's is; ``keyless`` if it has no key.
    """
    hashed = F.xxhash64(_length(F.col("value")), "value")
    return rows.select(
        "partition",
        "offset",
        F.xxhash64(*content(append_time)).alias("whole"),
        key_hash().alias("key"),
        F.when(F.col("value").isNotNull(), hashed).alias("value"),
        F.xxhash64(_headers()).alias("headers"),
        timestamp(append_time).alias("timestamp"),
        F.col("key").isNull().alias("keyless"),
    )


def key_hash() -> Column:
    return F.xxhash64(_length(F.col("key")), "key")


def blocks(rows: DataFrame, append_time: Collection[str], bits: int) -> DataFrame:
    """``[topic, partition, block, records, first, last, fingerprint, newest, stamped]``: of ``2**bits``.

    They are counted from the start. ``rows`` must come from one reading of Kafka with a task for each partition.
    """
    return _folded(_placed(rows), append_time, bits)


def blocks_from_end(rows: DataFrame, append_time: Collection[str], bits: int, totals: Totals) -> DataFrame:
    """Return the same counted from the end. A block ends when the other side has no more records to compare."""
    counted = [(topic, partition, *numbers) for (topic, partition), numbers in totals.items()]
    sizes = rows.sparkSession.createDataFrame(counted, "topic string, partition int, total long, common long")
    joined = _placed(rows).join(F.broadcast(sizes), ["topic", "partition"])
    place = joined.withColumn("place", F.col("total") - 1 - F.col("place"))
    return _folded(place, append_time, bits, F.when(F.col("place") < F.col("common"), 0).otherwise(BEYOND))


def _placed(rows: DataFrame) -> DataFrame:
    return rows.withColumn("place", F.monotonically_increasing_id().bitwiseAND(F.lit(PLACE_BITS)))


def _folded(placed: DataFrame, append_time: Collection[str], bits: int, more: Column | None = None) -> DataFrame:
    block = F.shiftright("place", bits)
    printed = placed.select(
        "topic",
        "partition",
        "offset",
        (block if more is None else block + more).alias("block"),
        F.xxhash64("place", *content(append_time)).alias("print"),
        F.unix_millis("timestamp").alias("written"),
        ((F.col("timestampType") == F.lit(APPENDED)).cast("long") if append_time else F.lit(0)).alias("stamped"),
    )
    return printed.groupBy("topic", "partition", "block").agg(
        F.count(F.lit(1)).alias("records"),
        F.min("offset").alias("first"),
        F.max("offset").alias("last"),
        F.bit_xor("print").alias("fingerprint"),
        F.max("written").alias("newest"),
        F.sum("stamped").alias("stamped"),
    )


def among(spark: SparkSession, rows: DataFrame, column: str, wanted: Collection[int]) -> DataFrame:
    """Return the rows whose ``column`` is one of ``wanted``, which may be many thousands."""
    some = spark.createDataFrame([(value,) for value in set(wanted)], f"`{column}` long")
    return rows.join(F.broadcast(some), column, "left_semi")
