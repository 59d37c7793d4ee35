"""Targets of replicas: racks first, then the emptiest broker; and the replicas that stay."""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.snapshot import Broker, Topic
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, Goal
from ansible.module_utils.kraft.operations.reassignment.planner import plan

from tests.unit.cluster.snapshots import broker, cluster, partition, topic


def goal(state: str, *ids: int) -> Goal:
    return Goal(state, frozenset(ids))


def homes(replicas: list[int], *brokers: Broker, more: tuple[Topic, ...] = (), leaving: int) -> set[int]:
    """Return the brokers of one partition's replicas after a broker was emptied."""
    moves = plan(cluster(topic("a", partition(0, replicas)), *more, brokers=brokers), goal(DRAINED, leaving))
    (move,) = [one for one in moves if one.topic == "a"]
    return set(move.after)


def busy(*ids: int) -> Topic:
    return topic("busy", *(partition(number, [one]) for number, one in enumerate(ids)))


def test_a_replica_goes_to_a_rack_that_has_none_though_others_hold_less() -> None:
    racks = (broker(1, "a"), broker(2, "a"), broker(4, "c"), broker(5, "b"))
    assert homes([1, 4], *racks, more=(busy(5, 5, 5),), leaving=4) == {1, 5}


def test_a_broker_without_a_rack_is_one_of_its_own() -> None:
    mixed = (broker(1, "a"), broker(2, "a"), broker(4, "c"), broker(6))
    assert homes([1, 4], *mixed, more=(busy(6, 6, 6),), leaving=4) == {1, 6}


def test_of_racks_that_have_as_many_the_broker_that_holds_least_gets_it() -> None:
    racks = (broker(1, "a"), broker(2, "b"), broker(3, "c"), broker(4, "d"))
    assert homes([1, 4], *racks, more=(busy(2, 2),), leaving=4) == {1, 3}
    none = (broker(1), broker(2), broker(3), broker(4))
    assert homes([1, 4], *none, more=(busy(2, 2),), leaving=4) == {1, 3}


def test_replicas_that_share_a_rack_go_apart_to_a_broker_without_one() -> None:
    members = (broker(1, "a"), broker(2, "a"), broker(3), broker(4))
    (move,) = plan(cluster(topic("a", partition(0, [1, 2, 3])), brokers=members), goal(BALANCED))
    assert len(set(move.after)) == 3
    assert set(move.after) > {3, 4}


def test_the_rack_that_a_replica_leaves_is_as_good_as_any_other() -> None:
    racks = (broker(1, "a"), broker(4, "c"), broker(5, "b"), broker(7, "c"))
    assert homes([1, 4], *racks, more=(busy(5, 5),), leaving=4) == {1, 7}


def test_two_brokers_without_a_rack_are_apart() -> None:
    mixed = (broker(6), broker(4, "c"), broker(5, "b"), broker(7))
    assert homes([6, 4], *mixed, more=(busy(5, 5),), leaving=4) == {6, 7}


def test_a_broker_that_holds_nothing_is_empty_already() -> None:
    assert plan(cluster(topic("a", partition(0, [1, 2]))), goal(DRAINED, 9)) == ()


def test_a_drain_changes_no_partition_that_it_does_not_touch() -> None:
    """Broker 1 leads more than its share, and stays so."""
    others = [partition(number, [1, 2]) for number in range(4)]
    members = [broker(one) for one in (1, 2, 3, 4)]
    moves = plan(cluster(topic("a", *others, partition(4, [4, 2])), brokers=members), goal(DRAINED, 4))
    assert [one.name for one in moves] == [("a", 4)]


def test_a_partition_that_cannot_be_spread_keeps_no_other_from_it() -> None:
    members = (broker(1, "a"), broker(2, "a"), broker(3, "b"))
    stuck, shared = partition(0, [1, 2, 3]), partition(1, [1, 2])
    moves = plan(cluster(topic("a", stuck, shared), brokers=members), goal(BALANCED))
    assert [(one.partition, one.adding) for one in moves if one.adding] == [(1, (3,))]


def test_replicas_are_spread_until_each_has_a_rack_of_its_own() -> None:
    members = (broker(1, "a"), broker(2, "a"), broker(3, "a"), broker(4, "b"), broker(5, "c"))
    (move,) = plan(cluster(topic("a", partition(0, [1, 2, 3])), brokers=members), goal(BALANCED))
    assert {4, 5} < set(move.after)
