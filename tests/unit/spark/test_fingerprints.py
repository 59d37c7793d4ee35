"""Records that differ in anything that is compared have different numbers; what has no meaning changes nothing."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import combinations
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_jobs.proof import fingerprints

SCHEMA = (
    "key binary, value binary, topic string, partition int, offset long, timestamp timestamp, timestampType int, "
    "headers array<struct<key: string, value: binary>>"
)
WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)
LATER = datetime(2026, 1, 1, 0, 0, 0, 1000, tzinfo=timezone.utc)
Headers = list[tuple[str, bytes | None]] | None
#: Each differs from every other in key, value, headers or timestamp, some in a way that a plain hash would not see.
DIFFERENT: list[tuple[bytes | None, bytes | None, Headers, datetime]] = [
    (b"a", b"b", None, WHEN),
    (b"a", b"b", None, LATER),
    (b"ab", b"", None, WHEN),
    (b"", b"ab", None, WHEN),
    (None, b"ab", None, WHEN),
    (b"ab", None, None, WHEN),
    (None, None, None, WHEN),
    (b"", b"", None, WHEN),
    (b"a", b"b", [("a", b"b")], WHEN),
    (b"a", b"b", [("b", b"a")], WHEN),
    (b"a", b"b", [("a", None), ("b", b"x")], WHEN),
    (b"a", b"b", [("a", b"b"), ("x", None)], WHEN),
    (b"a", b"b", [("a", b"b"), ("x", b"")], WHEN),
    (b"a", b"b", [("x", b""), ("a", b"b")], WHEN),
    (b"a", b"b", [("ab", b"")], WHEN),
    (b"a", b"b", [("", b"ab")], WHEN),
]


def rows(spark: SparkSession, some: list[Any], topic: str = "t", at: int = 0) -> DataFrame:
    """Rows as Kafka's source gives them, in one task."""
    made = [(key, value, topic, 0, at + n, when, 0, headers) for n, (key, value, headers, when) in enumerate(some)]
    return spark.createDataFrame(made, SCHEMA).coalesce(1)


def wholes(frame: DataFrame, *append_time: str) -> list[int]:
    return [row["whole"] for row in fingerprints.records(frame, append_time).collect()]


def prints(frame: DataFrame, bits: int = 10) -> list[tuple[int, int, int]]:
    found = fingerprints.blocks(frame, (), bits).orderBy("block").collect()
    return [(row["block"], row["records"], row["fingerprint"]) for row in found]


def test_any_difference_shows(spark: SparkSession) -> None:
    found = wholes(rows(spark, DIFFERENT))
    assert [pair for pair in combinations(range(len(found)), 2) if found[pair[0]] == found[pair[1]]] == []


def test_offsets_and_the_name_of_the_topic_do_not_count(spark: SparkSession) -> None:
    assert wholes(rows(spark, DIFFERENT)) == wholes(rows(spark, DIFFERENT, "other", 500))
    assert prints(rows(spark, DIFFERENT)) == prints(rows(spark, DIFFERENT, "other", 500))


def test_a_block_knows_when_its_newest_record_was_written(spark: SparkSession) -> None:
    found = fingerprints.blocks(rows(spark, DIFFERENT[:3]), ("t",), 1).orderBy("block").collect()
    assert [row["newest"] for row in found] == [1000 * when.timestamp() for when in (LATER, WHEN)]


def test_timestamps_count_unless_brokers_set_them(spark: SparkSession) -> None:
    frame = rows(spark, DIFFERENT[:2])
    assert len(set(wholes(frame))) == 2
    assert len(set(wholes(frame, "t"))) == 1


def test_details_say_which_part_differs(spark: SparkSession) -> None:
    found = fingerprints.details(rows(spark, DIFFERENT), ()).orderBy("offset").collect()
    for (n, one), (m, other) in combinations(enumerate(found), 2):
        for part, index in (("key", 0), ("value", 1), ("timestamp", 3)):
            assert (one[part] == other[part]) == (DIFFERENT[n][index] == DIFFERENT[m][index])
    assert len({row["headers"] for row in found}) == 9
    assert [row["value"] is None for row in found] == [value is None for _, value, _, _ in DIFFERENT]


def test_a_block_differs_when_records_change_places(spark: SparkSession) -> None:
    swapped = [DIFFERENT[1], DIFFERENT[0], *DIFFERENT[2:]]
    first, second = prints(rows(spark, DIFFERENT), 2), prints(rows(spark, swapped), 2)
    assert [block[:2] for block in first] == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert [here == there for here, there in zip(first, second)] == [False, True, True, True]


def test_a_record_that_stands_twice_does_not_cancel_itself(spark: SparkSession) -> None:
    assert prints(rows(spark, [DIFFERENT[0]] * 2)) != prints(rows(spark, [DIFFERENT[1]] * 2))


def test_blocks_from_the_end_are_equal_however_many_records_stand_before(spark: SparkSession) -> None:
    both = []
    for some in (DIFFERENT, DIFFERENT[3:]):
        frame = fingerprints.blocks_from_end(rows(spark, some), (), 2, {("t", 0): (len(some), len(some))})
        both.append([(row["records"], row["fingerprint"]) for row in frame.orderBy("block").collect()])
    assert both[0][:3] == both[1][:3]
    assert [len(one) for one in both] == [4, 4]
