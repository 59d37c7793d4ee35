"""The reader's view: the outcome, the reasons, and the next steps."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from spark_jobs import report, verdict
from spark_jobs.config import SmokeConfig
from spark_jobs.progress import Progress
from spark_jobs.record_format import Workload
from spark_jobs.report_schema import (
    Changes,
    Counts,
    Fault,
    LeaderMoved,
    Missing,
    PartitionResult,
    Report,
    Stream,
    Verdict,
)
from tests.unit.spark.kafka_log import clean

WORKLOAD = Workload("run-a", 300, 100, 3, 2)
BROKERS = {1: "a:9092", 2: "b:9092", 3: "c:9092"}
SAME = Stream(batches=4, records=300, corrupt=0, misplaced=0, unexpected=0, same_as_batch=True)
UNCHANGED = Changes(brokers_gone={}, leaders_moved=[], tasks_retried=0)


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
            undecided=0,
            duplicated=0,
            corrupt=0,
            out_of_order=0,
            misplaced=0,
            foreign_headers=0,
            unexpected=0,
        )
        for partition, leader in enumerate(leaders)
    ]


def drafted() -> Report:
    return report.begun(SmokeConfig("run-a", "a:9092", "smoke", 3, 300, 100, Path("/nowhere")), Progress(Path()))


def judge(
    stream: Stream = SAME,
    first: list[Missing] | None = None,
    faults: list[Fault] | None = None,
    changed: Changes = UNCHANGED,
    needed: int = 0,
    **counts: int,
) -> Verdict:
    draft = drafted()
    draft["counts"] = Counts(**{**clean(WORKLOAD), **counts})  # type: ignore[typeddict-item]
    draft["first_missing"], draft["first_faults"] = first or [], faults or []
    draft["per_partition"] = partitions(1, 2, 3)
    draft["per_partition"][2]["undecided"] = counts.get("undecided", 0)
    return verdict.of_run(draft, verdict.Account(cast("Counts", draft["counts"]), stream, changed, BROKERS, needed))


def test_a_clean_run_is_proven() -> None:
    assert judge() == Verdict(
        outcome="proven",
        sentences=[
            "All 300 records written to 3 partitions were read back exactly once, whole and in order.",
            "Both readings, batch and streaming, saw the same records.",
            "All 3 brokers lead partitions that took part.",
        ],
    )


@pytest.mark.parametrize(
    ("retried", "needed", "outcome"), [(1, 1, "proven"), (3, 1, "proven"), (0, 1, "failed"), (1, 2, "failed")]
)
def test_duplicates_are_forgiven_where_repeated_tasks_explain_them(retried: int, needed: int, outcome: str) -> None:
    found = judge(changed={**UNCHANGED, "tasks_retried": retried}, needed=needed, duplicated=41)
    said = " ".join(found["sentences"])
    assert found["outcome"] == outcome
    assert ("at least once" in said) is (outcome == "proven")
    assert ("the brokers hold records more than once" in said) is (outcome == "failed")
    assert ("loss of producer state" in said) is (outcome == "failed")
    assert (f"Spark tried {retried} task" in said) is bool(retried)


def test_what_was_there_at_the_beginning_and_is_gone_is_said() -> None:
    moved = [LeaderMoved(partition=number, before=2, after=None if number else 1) for number in range(7)]
    changed = Changes(brokers_gone={"9": "d:9092"}, leaders_moved=moved, tasks_retried=0)
    found = judge(changed=changed)
    assert found["outcome"] == "proven"
    gone = found["sentences"].index("Gone since the beginning: node 9 (d:9092).")
    assert found["sentences"][gone + 1] == "Next: find the cause of that with playbooks/cluster_status.yml."
    (said,) = [sentence for sentence in found["sentences"] if sentence.startswith("Leaders moved")]
    assert "partition 0 from node 2 to node 1, partition 1 from node 2 to none" in said
    assert said.endswith("and 2 more.")
    assert "All 3 brokers that are left lead partitions that took part." in found["sentences"]


def test_records_behind_an_open_transaction_are_undecided_and_not_lost() -> None:
    found = judge(undecided=7)
    assert found["outcome"] == "undecided"
    assert found["sentences"][0].startswith("7 records of 300 are undecided")
    assert "partition 2 from offset 100 on" in found["sentences"][0]
    assert "kafka-transactions.sh describe-producers --topic smoke --partition 2" in found["sentences"][1]
    assert judge(undecided=7, lost=1)["outcome"] == "failed"


def test_times_that_cannot_be_are_told() -> None:
    found = judge(odd_times=2)
    assert found["outcome"] == "proven"
    assert any(sentence.startswith("2 records were made at a time") for sentence in found["sentences"])


def test_unexpected_records_do_not_fail() -> None:
    assert judge(unexpected=9, other_runs=9)["outcome"] == "proven"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("lost", "1 of 300 records acknowledged are lost."),
        ("corrupt", "1 record came back with other bytes"),
        ("out_of_order", "1 record came back behind a later record of the same writer"),
        ("misplaced", "1 record came back from another partition"),
        ("foreign_headers", "1 record came back with headers"),
    ],
)
def test_each_fault_fails_the_run_and_is_named(fault: str, words: str) -> None:
    found = judge(SAME, [], [], UNCHANGED, 0, **{fault: 1})
    assert found["outcome"] == "failed"
    assert found["sentences"][0].startswith(words)
    assert [sentence for sentence in found["sentences"] if sentence.startswith("Next: ")]


def test_readings_that_differ_fail_the_run() -> None:
    found = judge(stream={**SAME, "same_as_batch": False})
    assert found["outcome"] == "failed"
    assert "The streaming reading did not see the same records as the batch reading." in found["sentences"]


def test_the_first_missing_record_is_in_the_first_sentence_and_its_leader_in_the_last() -> None:
    found = judge(first=[missing(5, 6)], lost=1)
    assert "number 77 (key k), partition 2 led by node 2, between offsets 5 and 6" in found["sentences"][0]
    assert "Next: look in the logs of node 2 for truncation and unclean elections." in found["sentences"]


def test_each_kind_of_fault_has_its_own_next_step_and_names_its_records() -> None:
    fault = Fault(kind="corrupt", sequence=None, partition=1, leader=3, offset=4711)
    found = judge(faults=[fault], corrupt=1)
    assert verdict.named(fault) == ("a record, partition 1 led by node 3, offset 4711: other bytes than were written")
    steps = [sentence for sentence in found["sentences"] if sentence.startswith("Next: ")]
    assert steps == ["Next: dump the records with kafka-dump-log.sh, then test disk and memory of node 3."]
    assert len({*verdict.NEXT.values()}) == len(verdict.FATAL) + 1


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
    assert verdict.missing_text(missing(before, after)).endswith(words)


def test_a_partition_without_a_leader_is_said_to_have_none() -> None:
    assert "partition 2 without a leader" in verdict.missing_text(missing(1, 2, None))


def test_a_broker_that_took_no_part_is_named() -> None:
    found = verdict._places(partitions(1, 1, 2), BROKERS, UNCHANGED)
    assert found == ["No partition that took part is led by node 3 (c:9092): nothing was written through it."]


def test_unreachable_says_why_and_what_is_not_known() -> None:
    found = verdict.unreachable("10.0.0.1:9092: refused")
    assert found["outcome"] == "unreachable"
    assert "10.0.0.1:9092: refused" in found["sentences"][0]
    assert found["sentences"][1] == verdict.NOTHING_KNOWN


@pytest.mark.parametrize(
    ("counts", "reached", "outcome"),
    [
        (None, False, "unreachable"),
        (None, True, "undecided"),
        ({}, False, "unreachable"),
        ({}, True, "undecided"),
        ({"lost": 1}, False, "failed"),
        ({"lost": 1}, True, "failed"),
        ({"undecided": 1}, True, "undecided"),
    ],
)
def test_a_run_that_broke_keeps_what_it_had_found(counts: dict[str, int] | None, reached: bool, outcome: str) -> None:
    draft = drafted()
    if counts is not None:
        draft["counts"] = Counts(**{**clean(WORKLOAD), **counts})  # type: ignore[typeddict-item]
        draft["changes"], draft["per_partition"] = UNCHANGED, partitions(1, 2, 3)
    found = verdict.ended(draft, "x broke", reached)
    assert found["outcome"] == outcome
    assert found["sentences"][0] == "The run could not be finished: x broke"
    assert (verdict.NOTHING_KNOWN in found["sentences"]) is (counts is None)
    assert (verdict.READINGS[None] in found["sentences"]) is (counts is not None)
