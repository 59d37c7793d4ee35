"""Obstacles to a switch, and the changes to make if there is none."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from spark_jobs.proof.group_positions import Outcome
from spark_jobs.proof.report_schema import Exempt, Position, Topic, Undecided
from spark_jobs.proof.unmatched_records import FAULTS
from spark_jobs.proof.verdict import (
    GROWN,
    MEANWHILE,
    REMADE,
    Change,
    pause,
    remedies,
    switch,
    verdict,
    without_offsets,
)


def topic(name: str) -> Topic:
    return Topic(
        source=name,
        target=name,
        partitions=1,
        source_records=3,
        target_records=3,
        paired=3,
        newest="2026-11-22T10:00:00Z",
        faults=dict.fromkeys(FAULTS, 0),
        excused={},
        rules=[],
        examples=[],
    )


def position(group: str, outcome: Outcome, records: int) -> Position:
    return Position(
        group=group,
        topic="orders",
        partition=0,
        source_offset=9,
        target_offset=7,
        outcome=outcome,
        records=records,
        exact=True,
        set_to=None,
    )


def test_a_topic_that_still_grows_fails_the_proof_before_a_switch() -> None:
    assert verdict([topic("orders")], [], duplicates_allowed=False)["outcome"] == "proven"
    found = verdict([topic("orders")], [], duplicates_allowed=False, meanwhile=[Change("orders", GROWN, 1200)])
    assert found["outcome"] == "failed"
    assert "orders still grows on the source: 1,200 offsets" in found["sentences"][-1]


@pytest.mark.parametrize("kind", MEANWHILE)
def test_each_change_since_the_proof_began_fails_it_with_a_remedy(kind: str) -> None:
    found = verdict([topic("orders")], [], duplicates_allowed=False, meanwhile=[Change("orders", kind, 1200)])
    assert found["outcome"] == "failed"
    assert ("1,200 " in found["sentences"][-1]) == (kind not in REMADE)
    assert "orders" in found["sentences"][-1]
    assert remedies(found["sentences"])


def open_on(side: str) -> Undecided:
    return Undecided(topic="orders", side=side, offsets=3)


@pytest.mark.parametrize("side", ["source", "target"])
def test_an_open_transaction_of_either_side_fails_the_proof(side: str) -> None:
    found = verdict([topic("orders")], [], duplicates_allowed=False, undecided=[open_on(side)])
    assert found["outcome"] == "failed"
    assert f"orders has an open transaction on the {side}: 3 offsets" in found["sentences"][-1]


def test_groups_whose_offsets_were_not_compared_are_named() -> None:
    assert without_offsets(["billing"], [position("billing", "same", 0)]) == []
    assert without_offsets(["billing", "biling"], [position("billing", "same", 0)])[0].endswith(": biling.")
    assert without_offsets([f"g{n:02}" for n in range(12)], [])[0].endswith("g09 and 2 more.")


def test_the_pause_of_producers_is_counted_from_the_newest_record_of_all_topics() -> None:
    topics = [topic("orders"), topic("mail"), topic("old")]
    topics[1]["newest"], topics[2]["newest"] = "2026-11-22T10:00:05Z", None
    now = datetime(2026, 11, 22, 10, 1, 19, tzinfo=timezone.utc)
    assert pause(topics, now) == [
        "Producers have paused for 0:01:14 so far: the newest record is of 2026-11-22T10:00:05Z."
    ]
    assert pause([topics[2]], now) == []
    assert "paused for 0:00:00" in pause(topics, datetime(2026, 11, 22, 9, tzinfo=timezone.utc))[0]


def test_producers_and_groups_are_told_where_to_go() -> None:
    positions = [position("billing", "earlier", 40), position("billing", "earlier", 2), position("mail", "same", 0)]
    assert switch("old:1", "new:1", [topic("orders")], positions) == [
        "Producers of orders: bootstrap.servers=new:1 in place of old:1.",
        "Group billing: bootstrap.servers=new:1. Its offsets are there already. It reads 42 records again.",
        "Group mail: bootstrap.servers=new:1. Its offsets are there already.",
    ]


def test_a_group_without_an_offset_on_the_target_gets_the_remedy() -> None:
    one = position("billing", "absent", 0)
    found = verdict([topic("orders")], [one], duplicates_allowed=False)
    assert found["outcome"] == "failed"
    assert "the target has no committed offset" in found["sentences"][-1]
    assert "kafka-consumer-groups.sh --reset-offsets" in found["sentences"][-1]


def test_an_offset_that_mirrormaker_never_translates_is_set_where_its_place_is_known() -> None:
    one = position("billing", "absent", 0)
    one["set_to"] = 7
    found = verdict([topic("orders")], [one], duplicates_allowed=False)
    assert found["outcome"] == "failed"
    assert "set to 7: -e kafka_mirror_set_offsets=true" in found["sentences"][-1]
    one["outcome"] = "set"
    found = verdict([topic("orders")], [one], duplicates_allowed=False)
    assert found["outcome"] == "proven"
    assert found["sentences"][-2].startswith("1 committed offset that MirrorMaker never translates")
    assert found["sentences"][-1].endswith("source offset 9: set to 7 on the target.")
    found = verdict([topic("orders")], [one], False, [Change("orders", GROWN, 1)])
    assert not any("set to 7" in sentence for sentence in found["sentences"])  # nothing is set


def test_the_first_sentence_counts_what_was_compared_and_each_exception_has_its_count_and_bound() -> None:
    one = topic("history")
    one["source_records"], one["paired"] = 3000, 2155
    one["target_records"] = 2155
    one["excused"] = {"deleted_on_target": Exempt(records=845, at_most=917)}
    found = verdict([one], [], duplicates_allowed=False)
    assert found["outcome"] == "proven"
    assert found["sentences"][0].startswith("2,155 records of 1 topic are the same on both sides")
    assert "history: 845 " in found["sentences"][1]
    assert "917" in found["sentences"][1]


def test_a_topic_without_records_is_named_and_not_counted_as_the_same() -> None:
    full, empty = topic("orders"), topic("audit")
    for one, records in ((full, 7), (empty, 0)):
        one["source_records"] = one["target_records"] = one["paired"] = records
    said = verdict([full, empty], [], duplicates_allowed=False)["sentences"]
    assert said[:2] == [
        "All 7 records of 1 topic are the same on both sides.",
        "Nothing to compare, since no side holds a visible record: audit.",
    ]
    assert verdict([empty], [], duplicates_allowed=False)["sentences"] == said[1:2]


def test_what_the_target_has_deleted_and_the_source_holds_fails() -> None:
    one = topic("history")
    one["faults"]["deleted"] = 845
    found = verdict([one], [], duplicates_allowed=False)
    assert found["outcome"] == "failed"
    assert found["sentences"][0].startswith("history: 845 deleted on the target")


def test_a_count_that_is_not_exact_says_at_least() -> None:
    one = position("billing", "later", 3000)
    one["exact"] = False
    assert "would skip at least 3,000 records" in verdict([topic("orders")], [one], False)["sentences"][-1]
