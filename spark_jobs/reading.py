"""From Kafka's rows to judged rows: what each record is and which one it was. Nothing here can fail on odd bytes."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.record_format import (
    CHECKSUM,
    EVENT_MS,
    KEY_LENGTH,
    MAGIC,
    PAYLOAD_START,
    SEQUENCE,
    TAIL_LENGTH,
    Field,
    Workload,
)
from spark_jobs.records import checksum, key_of, partition_of, payload_of, place_of

# Kinds of records; small numbers, because every one of millions carries it.
INTACT = 0
CORRUPT = 1
NULL_VALUE = 2
OTHER_RUN = 3
FOREIGN = 4
OURS = (INTACT, CORRUPT)

LOG_APPEND_TIME = 1  # Kafka's timestamp type: the broker's clock at the append, not the producer's


EVER = (0, 10**EVENT_MS.length - 1)


def judge(kafka_rows: DataFrame, workload: Workload, times: tuple[int, int] = EVER) -> DataFrame:
    """Rows of Spark's Kafka source to ``[partition, offset, bytes, kind, sequence, expected_partition, latency_ms,
    has_headers, odd_time]``.

    ``kind`` is one of the constants above. ``sequence`` is null when the record is not of this run, or so damaged that
    its number cannot be told. ``latency_ms`` is null unless the topic's timestamps are the brokers' own. The run writes
    no headers. ``odd_time``: an intact record that was made at another time than ``times`` (first and last ms).
    """
    parsed = kafka_rows.select(
        "partition",
        "offset",
        "key",
        "value",
        (_length("key") + _length("value")).alias("bytes"),
        _number(SEQUENCE.start).alias("front"),
        _tail_number(workload).alias("back"),
        _append_ms().alias("append_ms"),
        (F.coalesce(F.size("headers"), F.lit(0)) > 0).alias("has_headers"),
    )
    kinds = parsed.withColumn("kind", _kind(workload))
    numbered = kinds.withColumn("sequence", _sequence(workload))
    return numbered.select(
        "partition",
        "offset",
        "bytes",
        "kind",
        "sequence",
        partition_of("sequence", workload).alias("expected_partition"),
        F.when(F.col("kind") == INTACT, F.col("append_ms") - _event_ms()).alias("latency_ms"),
        "has_headers",
        ((F.col("kind") == INTACT) & ~F.coalesce(_event_ms().between(*times), F.lit(False))).alias("odd_time"),
    )


def as_written(kafka_rows: DataFrame, workload: Workload, times: tuple[int, int]) -> DataFrame:
    """Return ``[partition, offset, sequence, kind, start, latency_ms]`` of the records with right bytes, no headers.

    ``start`` is the offset minus the record's place in its partition; null for a record elsewhere, of another time, or
    with a number beyond the run's. So each ``start`` is that of a record without any fault by ``judge``. In a second
    filter each number would be parsed again.
    """
    sequence, event, offset = F.col("sequence"), F.col("event_ms"), F.col("offset")
    tail = workload.record_bytes - TAIL_LENGTH + 1
    sound = kafka_rows.where(
        (F.length("key") == KEY_LENGTH)
        & (F.length("value") == workload.record_bytes)
        & _starts("value", MAGIC + workload.padded_run_id)
        & (_bytes(SEQUENCE.start) == _bytes(tail))
        & (F.coalesce(F.size("headers"), F.lit(0)) <= 0)
        & (_checksum_of_row() == _slice(CHECKSUM).try_cast("long"))
    )
    numbered = sound.select(
        "partition",
        "offset",
        _number(SEQUENCE.start).alias("sequence"),
        _event_ms().alias("event_ms"),
        _append_ms().alias("append_ms"),
    )
    placed = F.col("partition") == partition_of("sequence", workload)
    fits = _in_range(sequence, workload) & event.between(*times) & placed
    return numbered.select(
        "partition",
        "offset",
        "sequence",
        F.lit(INTACT).cast("byte").alias("kind"),
        F.when(fits, offset - place_of("sequence", workload)).alias("start"),
        (F.col("append_ms") - event).alias("latency_ms"),
    )


def _kind(workload: Workload) -> Column:
    """Return the first kind that fits; a record is of this run if its value or its key has the run's mark."""
    value_says = _starts("value", MAGIC + workload.padded_run_id)
    key_says = _starts("key", workload.tag.encode() + b"-")
    kind = (
        F.when(F.col("value").isNull(), NULL_VALUE)
        .when(value_says & _is_intact(workload), INTACT)
        .when(value_says | key_says, CORRUPT)
        .when(_starts("value", MAGIC), OTHER_RUN)
        .otherwise(FOREIGN)
    )
    return kind.cast("byte")


def _is_intact(workload: Workload) -> Column:
    """Check the checksum, which covers the key and every byte; payload and key follow from the number."""
    agree = (F.col("front") == F.col("back")) & _in_range(F.col("front"), workload)
    right = _checksum_of_row() == _slice(CHECKSUM).try_cast("long")
    return (_length("value") == workload.record_bytes) & F.coalesce(agree & right, F.lit(False))


def _sequence(workload: Workload) -> Column:
    """Return the number of this run's record: of the two it carries, the one that payload or key confirms."""
    front, back = F.col("front"), F.col("back")
    usable = [F.coalesce(_in_range(number, workload), F.lit(False)) for number in (front, back)]
    return F.when(
        F.col("kind") == INTACT,
        front,
    ).when(
        F.col("kind") == CORRUPT,
        F.when(usable[0] & (front.eqNullSafe(back) | _payload_fits(front, workload)), front)
        .when(usable[1] & _payload_fits(back, workload), back)
        .when(usable[0] & (F.col("key") == key_of("front", workload).cast("binary")), front),
    )


def _payload_fits(number: Column, workload: Workload) -> Column:
    actual = F.substring("value", PAYLOAD_START + 1, workload.payload_bytes)
    return actual == payload_of(number, workload).cast("binary")


def _checksum_of_row() -> Column:
    head = F.substring("value", 1, CHECKSUM.start)
    tail = F.substring("value", CHECKSUM.end + 1, 2**31 - 1)
    return checksum(F.coalesce("key", F.lit(b"")), head, tail)


def _in_range(number: Column, workload: Workload) -> Column:
    return (number >= 0) & (number < workload.records)


def _starts(column: str, prefix: bytes) -> Column:
    return F.substring(column, 1, len(prefix)).eqNullSafe(F.lit(prefix))


def _slice(field: Field) -> Column:
    return F.substring("value", field.start + 1, field.length).cast("string")


def _number(start: int) -> Column:
    """Return twelve digits of the value, or null if they are not digits."""
    return _bytes(start).cast("string").try_cast("long")


def _bytes(start: int) -> Column:
    return F.substring("value", start + 1, SEQUENCE.length)


def _tail_number(workload: Workload) -> Column:
    return _number(workload.record_bytes - TAIL_LENGTH + 1)


def _length(column: str) -> Column:
    return F.coalesce(F.length(column), F.lit(0))


def _event_ms() -> Column:
    return _slice(EVENT_MS).try_cast("long")


def _append_ms() -> Column:
    return F.when(F.col("timestampType") == LOG_APPEND_TIME, F.unix_millis("timestamp"))
