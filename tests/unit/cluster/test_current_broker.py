"""The broker whose word counts has itself caught up with the metadata log; old replicas in sync are never judged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import Patience, through_current_broker
from ansible.module_utils.kraft.cluster.outcome import Known
from ansible.module_utils.kraft.cluster.shutdown_check import PARTS, judge
from ansible.module_utils.kraft.cluster.snapshot import Replica, Snapshot

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter

FIRST, SECOND = "kafka1:9092", "kafka2:9092"
#: Node 1 still believes that all replicas are in sync; in fact 2 alone is.
OLD = cluster(topic("orders", partition(0, [1, 2, 3])))
FRESH = cluster(topic("orders", partition(0, [1, 2, 3], [2])))


class Asked(Client):
    """A client whose first server is node 1; notes who is asked."""

    def __init__(self, says: Mapping[str, Snapshot]) -> None:
        self.says, self.asked = says, list[str]()

    def reach(self, addresses: Iterable[str] = ()) -> str:
        return next(iter(addresses), FIRST)


@pytest.fixture(autouse=True)
def observed(monkeypatch: pytest.MonkeyPatch) -> None:
    def observe(client: Asked, _: Any, address: str = "", *__: Any) -> Snapshot:
        place = address or client.reach()
        client.asked.append(place)
        return client.says[place]

    monkeypatch.setattr(gather, "observe", observe)


def with_quorum(snapshot: Snapshot, *voters: Replica) -> Snapshot:
    return dataclasses.replace(snapshot, quorum=quorum(2, *voters))


def test_a_broker_that_has_caught_up_is_asked_once() -> None:
    client = Asked({FIRST: OLD})
    assert through_current_broker(client, PARTS) == OLD
    assert client.asked == [FIRST]


@pytest.mark.parametrize("late", [voter(1, 2001), voter(1, None), voter(9)])
def test_the_word_of_a_broker_that_is_behind_or_not_heard_of_does_not_count(late: Replica) -> None:
    """It pauses, its leader is new, or it follows no leader at all: another one is asked."""
    client = Asked({FIRST: with_quorum(OLD, late, voter(2), voter(3)), SECOND: FRESH})
    found = through_current_broker(client, PARTS)
    assert client.asked == [FIRST, SECOND]
    assert judge(found, [2]).reasons
    assert not judge(with_quorum(OLD, voter(1), voter(2), voter(3)), [2]).reasons


def test_a_broker_counts_as_an_observer_too_and_a_fenced_one_never() -> None:
    brokers = (broker(1), broker(2, fenced=True), broker(3))
    observers = (voter(1, 60_000), voter(2), voter(3))
    watched = dataclasses.replace(quorum(901, voter(901)), observers=observers)
    seen = dataclasses.replace(OLD, quorum=watched, brokers=brokers)
    client = Asked({FIRST: seen, "kafka3:9092": FRESH})
    assert through_current_broker(client, PARTS) == FRESH
    assert client.asked == [FIRST, "kafka3:9092"]


def test_no_node_may_go_where_no_broker_has_caught_up() -> None:
    late = with_quorum(OLD, voter(1, 9000), voter(2, 9000), voter(3, None))
    found = through_current_broker(Asked({FIRST: late}), PARTS)
    assert found.topics is None
    assert "topics" in found.unanswered
    assert not judge(found, [3]).allows(accept_unavoidable=True)


@pytest.mark.parametrize("seen", [cluster(leader=quorum(-1)), dataclasses.replace(cluster(), quorum=None)])
def test_without_a_leader_the_answer_stays_as_it_is_and_lets_no_node_go(seen: Snapshot) -> None:
    assert through_current_broker(Asked({FIRST: seen}), PARTS) == seen
    assert not judge(seen, [1]).allows(accept_unavoidable=True)


def test_the_looks_of_a_roll_and_of_a_shutdown_go_through_it() -> None:
    client = Asked({FIRST: with_quorum(OLD, voter(1, 60_000), voter(2), voter(3)), SECOND: FRESH})
    seen = Patience().observe(client, PARTS, 2000)
    assert isinstance(seen, Known)
    assert seen.value.topics == FRESH.topics
