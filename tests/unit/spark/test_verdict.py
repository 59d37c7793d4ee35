"""What a reader sees: the outcome, why, and what to do next."""

from __future__ import annotations

import pytest

from spark_jobs import verdict
from spark_jobs.record_format import Workload
from spark_jobs.report_schema import Counts, Missing, PartitionResult, Stream, Verdict
from tests.unit.spark.kafka_log import clean

WORKLOAD = Workload("run-a", 300, 100, 3, 2)
BROKERS = {1: "a:9092", 2: "b:9092", 3: "c:9092"}
SAME = Stream(batches=4, records=300, corrupt=0, misplaced=0, unexpected=0, same_as_batch=True)


def missing(before: int | None, after: int | None, leader: int | None = 2) -> Missing:
    return Missing(sequence=77, key="k", partition=2, leader=leader, offset_before=before, offset_after=after)


def partitions(*leaders: int | None) -> list[PartitionResult]:
    return [
        PartitionResult(
            partition=partition,
            leader=leader,
            first_offset=0,
            end_offset=100,
            records=100,
            bytes=12_000,
            holes=0,
            lost=0,
            duplicated=0,
            corrupt=0,
            out_of_order=0,
            misplaced=0,
            unexpected=0,
        )
        for partition, leader in enumerate(leaders)
    ]


def judge(stream: Stream = SAME, first: list[Missing] | None = None, **counts: int) -> Verdict:
    found = Counts(**{**clean(WORKLOAD), **counts})  # type: ignore[typeddict-item]
    return verdict.of_run(found, first or [], partitions(1, 2, 3), BROKERS, stream)


def test_a_clean_run_is_proven() -> None:
    assert judge() == Verdict(
        outcome="proven",
        sentences=[
            "All 300 records written to 3 partitions were read back exactly once, whole and in order.",
            "Both readings, batch and streaming, saw the same records.",
            "All 3 brokers lead partitions that took part.",
        ],
    )


def test_duplicates_are_told_but_do_not_fail() -> None:
    found = judge(duplicated=41)
    assert found["outcome"] == "proven"
    assert "at least once" in found["sentences"][0]
    assert "41 duplicates: the sink is at-least-once, so they do not fail the run." in found["sentences"]


def test_unexpected_records_do_not_fail() -> None:
    assert judge(unexpected=9, other_runs=9)["outcome"] == "proven"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("lost", "1 of 300 records acknowledged are lost."),
        ("corrupt", "1 record came back with other bytes"),
        ("out_of_order", "1 record came back behind a later record of the same key"),
        ("misplaced", "1 record came back from another partition"),
    ],
)
def test_each_fault_fails_the_run_and_is_named(fault: str, words: str) -> None:
    found = judge(SAME, [], **{fault: 1})
    assert found["outcome"] == "failed"
    assert found["sentences"][0].startswith(words)
    assert found["sentences"][-1].startswith("Next: ")


def test_readings_that_differ_fail_the_run() -> None:
    found = judge(stream={**SAME, "same_as_batch": False})
    assert found["outcome"] == "failed"
    assert "The streaming reading did not see the same records as the batch reading." in found["sentences"]


def test_the_first_missing_record_is_in_the_first_sentence_and_its_leader_in_the_last() -> None:
    found = judge(first=[missing(5, 6)], lost=1)
    assert "number 77 (key k), partition 2 led by node 2, between offsets 5 and 6" in found["sentences"][0]
    assert "look in the log of node 2" in found["sentences"][-1]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, None, "nothing of its writer is left in that partition"),
        (None, 6, "before offset 6"),
        (5, None, "after offset 5"),
        (0, 0, "between offsets 0 and 0"),
    ],
)
def test_the_neighbourhood_is_described(before: int | None, after: int | None, words: str) -> None:
    assert verdict.describe(missing(before, after)).endswith(words)


def test_a_partition_without_a_leader_is_said_to_have_none() -> None:
    assert "partition 2 without a leader" in verdict.describe(missing(1, 2, None))


def test_a_broker_that_took_no_part_is_named() -> None:
    found = verdict.of_run(clean(WORKLOAD), [], partitions(1, 1, 2), BROKERS, SAME)
    assert (
        "No partition that took part is led by node 3 (c:9092): nothing was written through it." in found["sentences"]
    )


def test_unreachable_says_why_and_what_is_not_known() -> None:
    found = verdict.unreachable("10.0.0.1:9092: refused")
    assert found["outcome"] == "unreachable"
    assert "10.0.0.1:9092: refused" in found["sentences"][0]
    assert found["sentences"][1] == verdict.NOTHING_KNOWN
