"""What the account of a topic says of its newest record."""

from __future__ import annotations

import pytest

from spark_jobs.kafka_io import Window
from spark_jobs.proof.account import Account
from spark_jobs.proof.topics import TopicPair, TopicSide

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
