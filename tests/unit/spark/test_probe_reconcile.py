"""The probe's audit catches what it is there for: each fault is made on purpose, in a log of real Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.errors import UsageError
from spark_jobs.probe import audit, client, reconcile
from spark_jobs.probe.events import ACK, EPOCH, FAILED, RECEIPT, RETRY, SEND, Event, write_part
from spark_jobs.probe.records import encode

RUN = "20261122T000000"
MS = 1000
BYTES = 100
KAFKA = "key binary, value binary, partition int, offset long"
Row = tuple[None, bytes, int, int]


def worked(records: int, partition: int = 0, every_ms: int = 10, took_ms: int = 4) -> list[Event]:
    """The log of a partition where everything went well."""
    events = []
    for number in range(records):
        at = number * every_ms * MS
        events += [
            Event(SEND, at, "producer-0", partition, number),
            Event(ACK, at + took_ms * MS, "producer-0", partition, number, number),
            Event(RECEIPT, at + 2 * took_ms * MS, "consumer-0", partition, number, number),
        ]
    return events


def held(sequences: Sequence[int], partition: int = 0, place: int | None = None) -> list[Row]:
    """A partition's content in the order of its offsets, as Spark's Kafka source gives it."""
    lies = partition if place is None else place
    return [(None, encode(RUN, partition, number, BYTES), lies, at) for at, number in enumerate(sequences)]


@pytest.fixture
def judge(spark: SparkSession, tmp_path: Path) -> Callable[[list[Event], list[Row]], dict[str, Any]]:
    def run(events: list[Event], rows: list[Row], steps: Sequence[Any] = ()) -> dict[str, Any]:
        (tmp_path / client.EVENTS).mkdir()
        half = len(events) // 2
        for number, part in enumerate(filter(None, (events[:half], events[half:]))):
            write_part(tmp_path / client.EVENTS / f"part-{number}.parquet", part)
        return audit.judged(audit.read_events(spark, tmp_path), found(spark, rows), list(steps))

    return run


@pytest.mark.parametrize("damage", [b"", b"not parquet"])
def test_a_damaged_part_has_no_events_and_the_others_are_read(
    spark: SparkSession, tmp_path: Path, damage: bytes
) -> None:
    """The account compares the number of events with that which the probe wrote."""
    (tmp_path / client.EVENTS).mkdir()
    for number in (1, 2):
        write_part(tmp_path / client.EVENTS / f"part-{number}.parquet", worked(4))
    (tmp_path / client.EVENTS / "part-2.parquet").write_bytes(damage)
    events = audit.read_events(spark, tmp_path)
    assert audit.judged(events, found(spark, held(range(4))), [])["events"] == 12
    (tmp_path / client.EVENTS / "part-1.parquet").write_bytes(damage)
    with pytest.raises(UsageError, match="no log"):
        audit.read_events(spark, tmp_path)


def found(spark: SparkSession, rows: list[Row]) -> DataFrame:
    return reconcile.content(spark.createDataFrame(rows, KAFKA), RUN, BYTES)


Judge = Callable[..., dict[str, Any]]


def test_a_log_without_fault_is_proven_with_exact_latencies(judge: Judge) -> None:
    result = judge(worked(20) + worked(20, partition=1, took_ms=6), held(range(20)) + held(range(20), partition=1))
    assert result["outcome"] == "proven"
    assert result["counts"]["acked"] == 40
    assert result["latency"]["p50_ms"] == 5
    assert result["latency"]["most_ms"] == 6
    assert [stall["length_us"] for stall in result["stalls"]] == [4 * MS, 6 * MS]


def test_a_stall_is_listed_beside_longer_ones_of_many_partitions(judge: Judge) -> None:
    """A drill would take its fault for one that clients did not feel."""
    events: list[Event] = []
    for partition, took in [(number, 30_000) for number in range(70)] + [(0, 20_000)]:
        first = 0 if took == 30_000 else 2
        for number, at in ((first, 100_000 * first), (first + 1, 100_000 * first + 1000)):
            until = at + (took if number % 2 else 4)
            events.append(Event(SEND, at * MS, "producer-0", partition, number))
            events.append(Event(ACK, until * MS, "producer-0", partition, number, number))
    result = judge(events, [row for at in range(70) for row in held(range(2 if at else 4), partition=at)])
    assert sorted(stall["length_us"] // MS for stall in result["long_stalls"]) == [20_000] + [30_000] * 70


def test_a_record_deleted_on_purpose_is_lost_and_named(judge: Judge) -> None:
    result = judge(worked(20), held([n for n in range(20) if n != 7]))
    assert result["outcome"] == "failed"
    assert result["counts"]["lost"] == 1
    assert [(one["partition"], one["sequence"]) for one in result["lost"]] == [(0, 7)]


@pytest.mark.parametrize("change", [lambda value: value[:60], lambda value: value[:-1] + b"X"], ids=["cut", "changed"])
def test_a_damaged_record_is_lost(judge: Judge, change: Callable[[bytes], bytes]) -> None:
    rows = held(range(6))
    rows[4] = (None, change(rows[4][1]), 0, 4)
    result = judge(worked(6), rows)
    assert (result["outcome"], result["counts"]["lost"]) == ("failed", 1)
    assert [(one["partition"], one["sequence"]) for one in result["lost"]] == [(0, 4)]


@pytest.mark.parametrize(
    ("source", "at_ms", "copies", "duplicated", "resent"),
    [
        ("producer-0", 32, [3], 0, 1),
        ("producer-0", 32, [3, 3], 1, 1),
        ("producer-0", 32, [5], 1, 0),
        ("producer-1", 32, [3], 1, 0),
        ("producer-0", 38, [3], 1, 0),
    ],
    ids=["under way", "a copy too many", "another record", "another producer", "acknowledged before"],
)
def test_a_copy_is_its_producers_only_when_it_was_under_way_at_a_new_epoch(  # noqa: PLR0913, PLR0917 - a table
    judge: Judge, source: str, at_ms: int, copies: list[int], duplicated: int, resent: int
) -> None:
    result = judge([*worked(20), Event(EPOCH, at_ms * MS, source)], held([*range(20), *copies]))
    assert (result["counts"]["duplicated"], result["counts"]["resent"]) == (duplicated, resent)
    assert result["outcome"] == ("failed" if duplicated else "proven")


@pytest.mark.parametrize(
    ("failed_ms", "epoch_ms", "duplicated", "resent"),
    [(None, 930, 0, 1), (950, 930, 0, 1), (920, 930, 1, 0)],
    ids=["no answer came", "given up afterwards", "given up before"],
)
def test_a_record_without_an_acknowledgement_is_under_way_until_it_is_given_up(
    judge: Judge, failed_ms: int | None, epoch_ms: int, duplicated: int, resent: int
) -> None:
    events = [*worked(6), Event(SEND, 900 * MS, "producer-0", 0, 6), Event(EPOCH, epoch_ms * MS, "producer-0")]
    if failed_ms is not None:
        events.append(Event(FAILED, failed_ms * MS, "producer-0", 0, 6, detail="_MSG_TIMED_OUT"))
    counts = judge(events, held([*range(7), 6]))["counts"]
    assert (counts["duplicated"], counts["resent"]) == (duplicated, resent)


def test_a_duplicate_made_on_purpose_is_counted_and_is_not_out_of_order(judge: Judge) -> None:
    result = judge(worked(20), held([*range(20), 3, 3]))
    assert result["outcome"] == "failed"
    assert (result["counts"]["duplicated"], result["counts"]["reordered"]) == (2, 0)


def test_a_swapped_order_made_on_purpose_is_found(judge: Judge) -> None:
    result = judge(worked(6), held([0, 1, 3, 2, 4, 5]))
    assert result["outcome"] == "failed"
    assert (result["counts"]["reordered"], result["counts"]["lost"]) == (1, 0)


def test_a_record_in_another_partition_is_misplaced_and_not_lost(judge: Judge) -> None:
    rows = [*held(range(1, 6)), *held([0], place=1)]
    result = judge(worked(6), rows)
    assert result["outcome"] == "failed"
    assert (result["counts"]["misplaced"], result["counts"]["lost"]) == (1, 0)


def test_records_of_another_run_count_for_nothing(judge: Judge) -> None:
    foreign = [(None, encode("another", 0, 0, 100), 0, 900), (None, b"kcat", 0, 901)]
    result = judge(worked(6), [*held(range(6)), *foreign])
    assert result["outcome"] == "proven"
    assert result["counts"]["unlogged"] == 0


def test_what_was_never_acknowledged_is_not_lost(judge: Judge) -> None:
    events = [*worked(6), Event(SEND, 900 * MS, "producer-0", 0, 6), Event(SEND, 901 * MS, "producer-0", 0, 7)]
    events.append(Event(FAILED, 950 * MS, "producer-0", 0, 7, detail="_MSG_TIMED_OUT"))
    result = judge(events, held(range(7)))  # number 6 was written all the same
    assert result["outcome"] == "proven"
    assert (result["counts"]["unanswered"], result["counts"]["failed"]) == (1, 1)


def test_a_killed_probes_last_seconds_are_unlogged_and_no_fault(judge: Judge) -> None:
    result = judge(worked(6), held(range(9)))
    assert result["outcome"] == "proven"
    assert result["counts"]["unlogged"] == 3


def test_a_log_without_an_acknowledgement_proves_nothing(judge: Judge) -> None:
    assert judge([Event(SEND, 0, "producer-0", 0, 0)], [])["outcome"] == "failed"


def test_a_stall_belongs_to_the_step_that_was_under_way(judge: Judge) -> None:
    late = [event._replace(at_us=event.at_us + 700 * MS) for event in worked(20)[30:]]
    events = [*worked(10), late[0]._replace(at_us=100 * MS), *late[1:]]
    steps = [
        {"host": "kraft1", "phase": "roll", "task": "Ask", "start": 0.0, "end": 0.09, "changed": False, "ok": True},
        {"host": "kraft2", "phase": "roll", "task": "Restart", "start": 0.09, "end": 2, "changed": True, "ok": True},
    ]
    stall = judge(events, held(range(20)), steps)["stalls"][0]
    assert stall["length_us"] == 704 * MS
    assert stall["step"] == {"task": "Restart", "host": "kraft2", "phase": "roll", "into_s": 0.01}


def test_silence_while_nothing_was_sent_is_no_stall(judge: Judge) -> None:
    later = [event._replace(at_us=event.at_us + 5_000 * MS) for event in worked(10)[15:]]
    assert judge([*worked(5), *later], held(range(10)))["stalls"][0]["length_us"] == 4 * MS


def test_a_stall_that_nothing_ends_is_open(judge: Judge) -> None:
    events = [*worked(5), Event(SEND, 60 * MS, "producer-0", 0, 5), Event(RETRY, 960 * MS, "producer-0", 0, detail="x")]
    stall = judge(events, held(range(5)))["stalls"][0]
    assert (stall["open"], stall["length_us"]) == (True, 900 * MS)


def test_giving_up_ends_no_stall(judge: Judge) -> None:
    events = [
        *worked(5),
        Event(SEND, 60 * MS, "producer-0", 0, 5),
        Event(FAILED, 400 * MS, "producer-0", 0, 5, detail="_MSG_TIMED_OUT"),
        Event(SEND, 500 * MS, "producer-0", 0, 6),
        Event(ACK, 560 * MS, "producer-0", 0, 6, 5),
    ]
    assert judge(events, held([*range(5), 6]))["stalls"][0]["length_us"] == 500 * MS


def test_acknowledgements_of_one_answer_may_come_in_any_order(judge: Judge) -> None:
    events = [*worked(1), *(Event(SEND, 10 * MS + number, "producer-0", 0, number) for number in range(1, 5))]
    events += [Event(ACK, 20 * MS + at, "producer-0", 0, number, number) for at, number in enumerate((4, 2, 1, 3))]
    assert judge(events, held(range(5)))["stalls"][0]["length_us"] == 10 * MS + 1


def test_the_clients_own_way_in_is_no_stall_of_the_cluster(judge: Judge) -> None:
    slow = Event(SEND, -900 * MS, "producer-0", 0, 0)
    assert judge([slow, *worked(5)[1:]], held(range(5)))["stalls"][0]["length_us"] == 4 * MS


def test_a_partition_that_never_answered_is_an_open_stall(judge: Judge) -> None:
    events = [*worked(5), *(Event(SEND, number * 10 * MS, "producer-0", 1, number) for number in range(6))]
    stalls = {stall["partition"]: stall for stall in judge(events, held(range(5)))["stalls"]}
    assert (stalls[1]["open"], stalls[1]["length_us"]) == (True, 50 * MS)
