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
        digits(stripe_of("sequence", workload), STRIPE.length),
        F.lit(" "),
        number,
        F.lit(" "),
        F.col("event_ms"),
        F.lit(" "),
    )
    tail = F.concat(F.lit(" "), payload_of(sequence, workload), F.lit(" "), number)
    parts = sequences.select(
        key_of("sequence", workload).alias("key"),
        head.alias("head"),
        tail.alias("tail"),
        partition_of("sequence", workload).alias("partition"),
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


# Formulas in text of SQL: `div` is exact, and one text costs a plan much less than thirty columns.


def stripe_of(sequence: str, workload: Workload) -> Column:
    """Return the stripe whose range holds the number in column ``sequence``; exact, in whole numbers."""
    return F.expr(_stripe(sequence, workload))


def writer_of(sequence: str, workload: Workload) -> Column:
    """Return the task that writes the number in column ``sequence``."""
    return F.expr(f"(({sequence} + 1L) * {workload.tasks}L - 1L) div {workload.records}L")


def key_of(sequence: str, workload: Workload) -> Column:
    """Return ``<tag>-<stripe>-<number>``."""
    keys = f"({_width(sequence, workload)} * {workload.keys_per_partition}L)"
    number = F.expr(f"{_turn(sequence, workload)} % {keys}")
    stripe = digits(stripe_of(sequence, workload), STRIPE.length)
    return F.concat(F.lit(workload.tag + "-"), stripe, F.lit("-"), digits(number, KEY_NUMBER_LENGTH))


def partition_of(sequence: str, workload: Workload) -> Column:
    """Return the partition of the number in column ``sequence``."""
    first, width = _first(_stripe(sequence, workload), workload), _width(sequence, workload)
    return F.expr(f"int({first} + {_turn(sequence, workload)} % {width})")


def _stripe(sequence: str, workload: Workload) -> str:
    return f"((({sequence} + 1L) * {workload.stripes}L - 1L) div {workload.records}L)"


def _turn(sequence: str, workload: Workload) -> str:
    """Return the place of the number in its stripe."""
    return f"({sequence} - {_stripe(sequence, workload)} * {workload.records}L div {workload.stripes}L)"


def _width(sequence: str, workload: Workload) -> str:
    """Return the number of partitions of the number's stripe: never 0, even if no stripe has such a number."""
    stripe = _stripe(sequence, workload)
    return f"({_first(f'({stripe} + 1L)', workload)} - {_first(stripe, workload)})"


def _first(stripe: str, workload: Workload) -> str:
    return f"({stripe} * {workload.partitions}L div {workload.stripes}L)"


def payload_of(sequence: Column, workload: Workload) -> Column:
    """Return the hex sha256 of run id and sequence, repeated up to the payload's length."""
    text = F.concat(F.lit(workload.run_id + " "), sequence.cast("string"))
    digest = F.sha2(text.cast("binary"), 256)
    return F.substring(F.repeat(digest, workload.payload_bytes // DIGEST_LENGTH + 1), 1, workload.payload_bytes)
