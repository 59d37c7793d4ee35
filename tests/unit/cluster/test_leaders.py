from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.cluster.leaders import (
    ELECTION_TIMEOUT,
    LARGEST,
    NOT_YET,
    Displaced,
    PreferredLeaderElection,
    displaced,
    grouped,
    next_size,
)

from tests.unit.cluster.snapshots import cluster, partition, topic

NOT_LEADER = 6
NOT_FOLLOWED = 78
NOT_AVAILABLE = 80


def test_a_leader_comes_back_only_where_it_is_preferred_and_in_sync() -> None:
    snapshot = cluster(
        topic(
            "a", partition(0, [2, 1, 3], leader=1), partition(1, [2, 1, 3], [1, 3]), partition(2, [3, 1, 2], leader=1)
        ),
        topic("b", partition(0, [2, 3, 1])),
    )
    assert displaced(snapshot, [2]) == [("a", 0, 2, False)]
    assert displaced(snapshot, [2, 3]) == [("a", 0, 2, False), ("a", 2, 3, False)]


def test_partitions_are_asked_for_topic_by_topic() -> None:
    assert grouped([Displaced("a", 0, 1), Displaced("b", 1, 1), Displaced("a", 2, 1)]) == {"a": [0, 2], "b": [1]}


@pytest.mark.parametrize(
    ("size", "seconds", "total", "following"),
    [
        (1, 0.05, 20, 2),
        (16, 0.05, 400, 32),
        (16, 1.0, 400, 10),  # no less than a fortieth of all
        (4, 1.0, 40, 2),
        (1, 1.0, 20, 1),
        (LARGEST, 0.05, 4000, LARGEST),
        (LARGEST, 1.0, 200_000, LARGEST),
    ],
)
def test_elections_grow_while_the_new_leader_keeps_up(size: int, seconds: float, total: int, following: int) -> None:
    assert next_size(size, seconds, total) == following


class Cluster:
    """Answers elections; the elected leads after the `pace` of the broker, in seconds of the double's clock."""

    def __init__(self, pace: float = 0.0, refused: Sequence[int] = (), late: int = NOT_LEADER) -> None:
        self.elections: list[list[int]] = []
        self._late = late
        self._pace, self._refused, self._now, self._led_at = pace, refused, 0.0, 0.0

    def clock(self) -> float:
        return self._now

    def request(self, name: str, **fields: Any) -> tuple[str, dict[str, Any]]:
        return name, fields

    def struct(self, _: str, __: str, **fields: Any) -> dict[str, Any]:
        return fields

    def error(self, what: str, code: int, detail: str | None) -> ApiError | None:
        return ApiError(what, f"code {code}", detail or "", retriable=code in NOT_YET) if code else None

    def send(self, _: str, request: tuple[str, dict[str, Any]], __: float) -> dict[str, Any]:
        numbers = [number for _, some in request[1]["topic_partitions"] for number in some]
        self.elections.append(numbers)
        self._led_at = self._now + self._pace * len(numbers)
        results = [
            {"partition_id": one, "error_code": NOT_AVAILABLE if one in self._refused else 0, "error_message": None}
            for one in numbers
        ]
        return {"error_code": 0, "replica_election_results": [{"topic": "a", "partition_result": results}]}

    def send_all(self, questions: Sequence[Any]) -> list[dict[str, Any]]:
        self._now += 0.1
        answers = []
        for question in questions:
            topics = question.request[1]["topics"]
            asked = [one["partition_index"] for some in topics for one in some["partitions"]]
            late = self._now < self._led_at or set(asked) & set(self._refused)
            said = [{"partition_index": one, "error_code": self._late if late else 0} for one in asked]
            answers.append({"topics": [{"name": "a", "partitions": said}]})
        return answers


def handed_back(brokers: Cluster, count: int, monkeypatch: pytest.MonkeyPatch) -> PreferredLeaderElection:
    monkeypatch.setattr("time.sleep", lambda _: None)
    found = PreferredLeaderElection(brokers, "a:1", cluster(), brokers.clock)  # type: ignore[arg-type]
    found.run([Displaced("a", number, 2) for number in range(count)])
    return found


def test_each_election_waits_for_the_one_before_and_is_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Cluster()
    handed_back(brokers, 20, monkeypatch)
    assert [len(one) for one in brokers.elections] == [1, 2, 4, 8, 5]
    assert [number for one in brokers.elections for number in one] == list(range(20))


def test_kafkas_own_topics_go_first_and_the_others_begin_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    brokers = Cluster()
    mixed = [Displaced("a", number, 2, internal=number % 2 == 1) for number in range(8)]
    PreferredLeaderElection(brokers, "a:1", cluster(), brokers.clock).run(mixed)  # type: ignore[arg-type]
    assert brokers.elections == [[1], [3, 5], [7], [0], [2, 4], [6]]


@pytest.mark.parametrize("late", [NOT_LEADER, NOT_FOLLOWED])
def test_a_slow_leader_gets_few_at_a_time(late: int, monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Cluster(pace=0.15, late=late)
    handed_back(brokers, 20, monkeypatch)
    assert max(len(one) for one in brokers.elections) <= 2


def test_what_was_refused_is_told_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Cluster(refused=[1])
    assert handed_back(brokers, 4, monkeypatch).refused == ["a-1: ElectLeaders: code 80: "]
    assert brokers.clock() < ELECTION_TIMEOUT


def test_a_broker_that_is_gone_meanwhile_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    brokers = Cluster()
    PreferredLeaderElection(brokers, "a:1", cluster(), brokers.clock).run([Displaced("a", 0, 9)])  # type: ignore[arg-type]
    assert brokers.elections == [[0]]


def test_a_leader_that_never_answers_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Cluster(pace=10 * ELECTION_TIMEOUT)
    handed_back(brokers, 20, monkeypatch)
    assert sum(len(one) for one in brokers.elections) == 20
    assert brokers.clock() < 2 * ELECTION_TIMEOUT + 20
