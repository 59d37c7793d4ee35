"""Queries of the source that are repeated before a switch."""

from __future__ import annotations

from typing import Any, cast

from spark_jobs.kafka_io import Window
from spark_jobs.proof.topics import Cluster, TopicPair, TopicSide, grown, undecided


class Admin:
    """A source whose partitions end at ``decided`` for who reads committed records, and at ``written``."""

    def __init__(self, decided: dict[int, int], written: dict[int, int]) -> None:
        self._decided, self._written = decided, written

    def end_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        assert (topic, partitions) == ("orders", [0, 1])
        return self._decided

    def written_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        assert (topic, partitions) == ("orders", [0, 1])
        return self._written


def source(decided: dict[int, int], written: dict[int, int]) -> tuple[Cluster, list[TopicPair]]:
    side = TopicSide("orders", Window({0: 0, 1: 0}, {0: 5, 1: 7}))
    cluster = Cluster(cast("Any", None), cast("Any", None), cast("Any", Admin(decided, written)))
    return cluster, [TopicPair(side, side)]


def behind(side: tuple[Cluster, list[TopicPair]], at_rest: bool) -> dict[str, int]:
    return undecided(side[0], [pair.target for pair in side[1]], at_rest)


def test_a_source_at_rest_has_nothing_more() -> None:
    at_rest = source({0: 5, 1: 7}, {0: 5, 1: 7})
    assert (grown(*at_rest), behind(at_rest, True)) == ({}, {})


def test_records_behind_an_open_transaction_are_undecided_and_no_growth() -> None:
    waiting = source({0: 5, 1: 7}, {0: 5, 1: 10})
    assert (grown(*waiting), behind(waiting, True)) == ({}, {"orders": 3})
    assert behind(waiting, False) == {"orders": 3}


def test_what_is_written_between_the_two_answers_is_growth_alone() -> None:
    growing = source({0: 5, 1: 9}, {0: 5, 1: 8})
    assert (grown(*growing), behind(growing, True)) == ({"orders": 2}, {})


def test_a_transaction_that_began_during_the_proof_counts_only_before_a_switch() -> None:
    """A copy at work opens one after the other."""
    copying = source({0: 5, 1: 9}, {0: 5, 1: 10})
    assert behind(copying, False) == {}
    assert behind(copying, True) == {"orders": 1}
