"""From Kafka's rows to judged rows: what each record is and which one it was. Nothing here can fail on odd bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping

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
from spark_jobs.records import checksum, key_of, partition_of, payload_of

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


def as_written(
    kafka_rows: DataFrame, workload: Workload, times: tuple[int, int], spans: Mapping[int, tuple[int, int]]
) -> DataFrame:
    """Return ``[partition, offset, sequence, kind, in_time, latency_ms]`` of the records with right bytes, no headers.

    Each is at its own offset of ``spans``, and without any fault by ``judge`` if it is ``in_time``. Its number follows
    from the offset, so that a comparison replaces the arithmetic of places. No condition parses a number twice.
    """
    due = _due(workload, spans)
    sound = kafka_rows.where(
        (F.length("key") == KEY_LENGTH)
        & (F.length("value") == workload.record_bytes)
        & F.startswith("value", F.lit(MAGIC + workload.padded_run_id))
        & F.endswith("value", _bytes(SEQUENCE.start))
        & (F.coalesce(F.size("headers"), F.lit(0)) <= 0)
        & (_number(SEQUENCE.start) == due)
        & (_checksum_of_row() == _slice(CHECKSUM).try_cast("long"))
    )
    numbered = sound.select(
        "partition",
        "offset",
        due.alias("sequence"),
        F.lit(INTACT).cast("byte").alias("kind"),
        _event_ms().alias("event_ms"),
        _append_ms().alias("append_ms"),
    )
    event = F.col("event_ms")
    in_time, latency = event.between(*times).alias("in_time"), (F.col("append_ms") - event).alias("latency_ms")
    return numbered.select("partition", "offset", "sequence", "kind", in_time, latency)


def _due(workload: Workload, spans: Mapping[int, tuple[int, int]]) -> Column:
    """Return the number that belongs to each offset if ``spans`` begin with the run; null in other partitions."""
    numbers = {one: workload.numbers_in(one) for one in spans if one < workload.partitions}
    at_zero = _by_partition({one: own.start - own.step * spans[one][0] for one, own in numbers.items()})
    steps = {one: own.step for one, own in numbers.items()}
    different = set(steps.values())
    step = F.lit(different.pop()) if len(different) == 1 else _by_partition(steps)
    return at_zero + step * F.col("offset")


def _by_partition(values: Mapping[int, int]) -> Column:
    """Return the value of the row's partition, or null. One text costs a plan less than thousands of columns."""
    every = json.dumps([values.get(one) for one in range(max(values, default=-1) + 1)])
    return F.get(F.from_json(F.lit(every), "array<bigint>"), F.col("partition"))


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
