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
    WRITER,
    Workload,
)

# current_timestamp() is one constant for a whole query; a latency needs the moment of each record.
CLOCK_MS = 'java_method("java.lang.System", "currentTimeMillis")'


def generate(spark: SparkSession, workload: Workload) -> DataFrame:
    """Return ``[key: binary, value: binary, partition: int]``, one task for each writer, in the sequence's order."""
    sequences = spark.range(0, workload.records, 1, workload.writers).withColumn("event_ms", F.expr(CLOCK_MS))
    return encode(sequences.withColumnRenamed("id", "sequence"), workload)


def encode(sequences: DataFrame, workload: Workload) -> DataFrame:
    """Convert ``[sequence: long, event_ms: 13 digits]`` to ``[key: binary, value: binary, partition: int]``."""
    sequence = F.col("sequence")
    number = digits(sequence, SEQUENCE.length)
    head = F.concat(
        F.lit((MAGIC + workload.padded_run_id).decode() + " "),
        digits(writer_of(sequence, workload), WRITER.length),
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


def writer_of(sequence: Column, workload: Workload) -> Column:
    """Return the writer whose range holds the sequence; exact, in whole numbers."""
    numerator = (sequence + 1) * workload.writers - 1
    return F.call_function("div", numerator, F.lit(workload.records).cast("long"))


def key_number_of(sequence: Column, workload: Workload) -> Column:
    """Return the number of the sequence's key among its writer's keys."""
    return sequence % workload.keys_per_writer


def key_of(sequence: Column, workload: Workload) -> Column:
    """Return ``<tag>-<writer>-<number>``."""
    writer = digits(writer_of(sequence, workload), WRITER.length)
    number = digits(key_number_of(sequence, workload), KEY_NUMBER_LENGTH)
    return F.concat(F.lit(workload.tag + "-"), writer, F.lit("-"), number)


def partition_of(sequence: Column, workload: Workload) -> Column:
    """Return the partition of the sequence."""
    return (sequence % workload.partitions).cast("int")


def payload_of(sequence: Column, workload: Workload) -> Column:
    """Return the hex sha256 of run id and sequence, repeated up to the payload's length."""
    text = F.concat(F.lit(workload.run_id + " "), sequence.cast("string"))
    digest = F.sha2(text.cast("binary"), 256)
    return F.substring(F.repeat(digest, workload.payload_bytes // DIGEST_LENGTH + 1), 1, workload.payload_bytes)
