"""The records of a run as DataFrames: column expressions only, so that they run anywhere without Python.

Every function of a sequence number here is the twin of a method of ``record_format.Workload``.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  (the name that everyone knows it by)

from spark_jobs.record_format import (
    CHECKSUM,
    DIGEST_LENGTH,
    KEY_NUMBER_LENGTH,
    MAGIC,
    SEQUENCE,
    STRIPE,
    Workload,
)

# current_timestamp() is one constant for a whole query; a latency needs the moment of each record.
CLOCK_MS = 'java_method("java.lang.System", "currentTimeMillis")'


def generate(spark: SparkSession, workload: Workload) -> DataFrame:
    """Return ``[key: binary, value: binary, partition: int]``, one task for each writer, in the sequence's order."""
    sequences = spark.range(0, workload.records, 1, workload.tasks).withColumn("event_ms", F.expr(CLOCK_MS))
    return encode(sequences.withColumnRenamed("id", "sequence"), workload)


def encode(sequences: DataFrame, workload: Workload) -> DataFrame:
    """Convert ``[sequence: long, event_ms: 13 digits]`` to ``[key: binary, value: binary, partition: int]``."""
    sequence = F.col("sequence")
    number = digits(sequence, SEQUENCE.length)
    head = F.concat(
        F.lit((MAGIC + workload.padded_run_id).decode() + " "),
        digits(stripe_of(sequence, workload), STRIPE.length),
        F.lit(" "),
        number,
        F.lit(" "),
        F.col("event_ms"),
        F.lit(" "),
    )
    tail = F.concat(F.lit(" "), payload_of(sequence, workload), F.lit(" "), number)
    parts = sequences.select(
        key_of(sequence, workload).alias("key"),
        head.alias("head"),
        tail.alias("tail"),
        partition_of(sequence, workload).alias("partition"),
    )
    return parts.select(
        F.col("key").cast("binary"),
        F.concat("head", digits(checksum("key", "head", "tail"), CHECKSUM.length), "tail")
        .cast("binary")
        .alias("value"),
        "partition",
    )


def digits(number: Column, width: int) -> Column:
    """Return the number in decimal with leading zeros."""
    return F.lpad(number.cast("string"), width, "0")


def checksum(*parts: Column | str) -> Column:
    """Return the crc32 of the parts in a row, as a number."""
    return F.crc32(F.concat(*parts).cast("binary"))


def stripe_of(sequence: Column, workload: Workload) -> Column:
    """Return the stripe whose range holds the sequence; exact, in whole numbers."""
    return _div((sequence + 1) * workload.stripes - 1, workload.records)


def writer_of(sequence: Column, workload: Workload) -> Column:
    """Return the task that writes the sequence."""
    return _div((sequence + 1) * workload.tasks - 1, workload.records)


def key_of(sequence: Column, workload: Workload) -> Column:
    """Return ``<tag>-<stripe>-<number>``."""
    number = _turn(sequence, workload) % (_width(sequence, workload) * workload.keys_per_partition)
    stripe = digits(stripe_of(sequence, workload), STRIPE.length)
    return F.concat(F.lit(workload.tag + "-"), stripe, F.lit("-"), digits(number, KEY_NUMBER_LENGTH))


def partition_of(sequence: Column, workload: Workload) -> Column:
    """Return the partition of the sequence."""
    turn = _turn(sequence, workload) % _width(sequence, workload)
    return (_first(stripe_of(sequence, workload), workload) + turn).cast("int")


def place_of(sequence: Column, workload: Workload) -> Column:
    """Return how many of the run's records are before this one in its partition."""
    return _div(_turn(sequence, workload), _width(sequence, workload))


def _turn(sequence: Column, workload: Workload) -> Column:
    """Return the place of the sequence in its stripe."""
    return sequence - _div(stripe_of(sequence, workload) * workload.records, workload.stripes)


def _width(sequence: Column, workload: Workload) -> Column:
    """Return the number of partitions of the sequence's stripe: never 0, also where no stripe has such a number."""
    stripe = stripe_of(sequence, workload)
    return _first(stripe + 1, workload) - _first(stripe, workload)


def _first(stripe: Column, workload: Workload) -> Column:
    return _div(stripe * workload.partitions, workload.stripes)


def _div(numerator: Column, divisor: Column | int) -> Column:
    by = F.lit(divisor).cast("long") if isinstance(divisor, int) else divisor
    return F.call_function("div", numerator, by)


def payload_of(sequence: Column, workload: Workload) -> Column:
    """Return the hex sha256 of run id and sequence, repeated up to the payload's length."""
    text = F.concat(F.lit(workload.run_id + " "), sequence.cast("string"))
    digest = F.sha2(text.cast("binary"), 256)
    return F.substring(F.repeat(digest, workload.payload_bytes // DIGEST_LENGTH + 1), 1, workload.payload_bytes)
