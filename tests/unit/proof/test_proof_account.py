"""The newest record in the account of a topic."""

from __future__ import annotations

import pytest

from spark_jobs.kafka_io import Window
from spark_jobs.proof.account import Account
from spark_jobs.proof.law import Excused
from spark_jobs.proof.topics import TopicPair, TopicSide

NONE = {"records": 0, "at_most": 0}
SIDE = TopicSide("orders", Window({0: 0}, {0: 1}))


@pytest.mark.parametrize(
    ("newest", "said"),
    [
        (1_795_228_541_053, "2026-11-21T02:35:41Z"),
        (0, None),
        (1_795_228_541_053_000, None),
    ],
    ids=["milliseconds", "none", "a producer that counts microseconds"],
)
def test_the_newest_record_is_named_where_its_timestamp_is_a_time(newest: int, said: str | None) -> None:
    account = Account()
    account.read(1, 1, 1, newest)
    assert account.topic(TopicPair(SIDE, SIDE))["newest"] == said


@pytest.mark.parametrize("allowed", [True, False])
def test_what_the_target_alone_has_deleted_is_a_fault_unless_it_is_allowed(allowed: bool) -> None:
    excused = Excused()
    excused.take("deleted_on_target", [7, 8], 900, more=843)
    account = Account(deletions_allowed=allowed)
    account.excuse(excused, 3)
    found = account.topic(TopicPair(SIDE, SIDE))
    assert found["faults"]["deleted"] == (0 if allowed else 845)
    assert found["excused"]["deleted_on_target"] == ({"records": 845, "at_most": 900} if allowed else NONE)
    named = [(one["partition"], one["source_offset"]) for one in found["examples"]]
    assert named == ([] if allowed else [(3, 7), (3, 8)])
