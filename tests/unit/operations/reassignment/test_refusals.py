"""Reasons against moves of replicas: each refusal by its id, with its limit."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Snapshot, Topic
from ansible.module_utils.kraft.operations.reassignment import leaderless, throttle
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, SPREAD, Goal, Move
from ansible.module_utils.kraft.operations.reassignment.planner import plan, reassignment_refusals
from ansible.module_utils.kraft.operations.reassignment.throttle import LISTS, RATES, Throttles

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.unit.problems import told, values

FOUR = [broker(one) for one in (1, 2, 3, 4)]


def goal(state: str, *ids: int) -> Goal:
    return Goal(state, frozenset(ids))


def rules(snapshot: Snapshot, wanted: Goal) -> list[str]:
    return [rule for rule, *_ in told(reassignment_refusals(snapshot, wanted))]


@pytest.mark.parametrize(
    ("wanted", "fenced", "expected"),
    [
        (goal(SPREAD, 4), (), []),
        (goal(SPREAD, 9), (), ["unknown_broker"]),
        (goal(DRAINED, 9), (), []),
        (goal(BALANCED), (4,), ["fenced_broker"]),
        (goal(SPREAD, 4), (4,), ["fenced_broker"]),
        (goal(SPREAD, 3), (4,), []),
        (goal(DRAINED, 4), (4,), []),
    ],
)
def test_brokers_that_are_needed_must_be_there(wanted: Goal, fenced: tuple[int, ...], expected: list[str]) -> None:
    members = [broker(one, fenced=one in fenced) for one in (1, 2, 3, 4)]
    assert rules(cluster(brokers=members), wanted) == expected


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [([1, 2, 4], []), ([1, 2, 3, 4], ["too_few_brokers"]), ([1, 2, 3], [])],
)
def test_a_drain_leaves_as_many_brokers_as_a_partition_has_replicas(replicas: list[int], expected: list[str]) -> None:
    assert rules(cluster(topic("a", partition(0, replicas)), brokers=FOUR), goal(DRAINED, 4)) == expected


def test_a_broker_that_is_away_is_to_be_started_before_another_is_added() -> None:
    away = [broker(one, fenced=one == 2) for one in (1, 2, 3, 4)]
    (found,) = reassignment_refusals(cluster(topic("a", partition(0, [1, 3, 4])), brokers=away), goal(DRAINED, 4))
    assert (found.rule, "start broker 2" in found.remedy) == ("too_few_brokers", True)


def wide(number: int) -> list[Topic]:
    return [topic(f"t{one}", partition(0, [1, 2, 3, 4])) for one in range(number)]


def test_a_topic_that_the_drain_does_not_concern_is_no_obstacle() -> None:
    five = [broker(one, fenced=one == 5) for one in (1, 2, 3, 4, 5)]
    apart = topic("apart", partition(0, [1, 2, 3, 4]))
    assert rules(cluster(apart, brokers=five), goal(DRAINED, 5)) == []
    three = [broker(one, fenced=one in (4, 5)) for one in (1, 2, 3, 4, 5)]
    assert rules(cluster(apart, brokers=three), goal(DRAINED, 5)) == []


@pytest.mark.parametrize(("number", "named", "more"), [(5, 5, 0), (6, 5, 1), (9, 5, 4)])
def test_some_topics_are_named_and_the_rest_is_counted(number: int, named: int, more: int) -> None:
    found = reassignment_refusals(cluster(*wide(number), brokers=FOUR), goal(DRAINED, 4))
    assert {one.rule for one in found} == {"too_few_brokers"}
    assert told(found[:named])
    assert [(one.message, one.remedy) for one in found[named:]] == ([(f"and {more} more topics", "")] if more else [])


DEAD = [broker(one, fenced=one == 2) for one in (1, 2, 3, 4)]


def orphans(*replicas: list[int]) -> Topic:
    """A topic whose partitions have no leader."""
    return topic("a", *(partition(number, one, []) for number, one in enumerate(replicas)))


@pytest.mark.parametrize(
    ("number", "ending"), [(1, "a-0 (in sync none, held by 2, 4)"), (5, "a-4"), (7, " and 2 more")]
)
def test_partitions_that_no_one_leads_are_named_and_the_rest_counted(number: int, ending: str) -> None:
    found = reassignment_refusals(cluster(orphans(*[[2, 4]] * number), brokers=DEAD), goal(DRAINED, 4))
    assert told(found) == [("no_leader", "", "", None)]
    assert ending in found[0].message
    assert "start broker 2" in found[0].remedy


@pytest.mark.parametrize(
    ("held", "leaving", "rules", "rules_if_accepted"),
    [
        ([2], {2}, ["only_replica"], []),  # only the broker that leaves has them, and is away
        ([2, 3], {2}, ["only_replica"], []),  # broker 3 serves, and goes on with what it has
        ([2, 5], {2}, ["no_leader"], ["no_leader"]),  # broker 5 stays, and may come back with the records
        ([2, 5], {2, 5}, ["only_replica"], []),
        ([3, 4], {4}, ["no_leader"], ["no_leader"]),  # all serve: one of them is elected in a moment
        ([2], {4}, [], []),  # nothing of it is moved
    ],
)
def test_records_are_given_up_only_where_each_broker_that_may_have_them_is_away_and_leaves(
    held: list[int], leaving: set[int], rules: list[str], rules_if_accepted: list[str]
) -> None:
    away = [broker(one, fenced=one in (2, 5)) for one in (1, 2, 3, 4, 5)]
    snapshot, wanted = cluster(orphans(held), brokers=away), goal(DRAINED, *leaving)
    assert [one.rule for one in reassignment_refusals(snapshot, wanted)] == rules
    assert [one.rule for one in reassignment_refusals(snapshot, wanted, accepted=True)] == rules_if_accepted
    assert bool(leaderless.given_up(snapshot, wanted)) == (rules == ["only_replica"])


def test_a_refusal_names_the_broker_and_both_ways_to_give_records_up() -> None:
    [found] = reassignment_refusals(cluster(orphans([2]), brokers=DEAD), goal(DRAINED, 2))
    assert {"a-0", "2"} <= values(found.message)
    assert {"replace_node.yml", "kafka_accepted_risks", "only_replica"} <= values(
        found.remedy.replace('"', " ").replace(":", " ")
    )


@pytest.mark.parametrize("wanted", [goal(BALANCED), goal(SPREAD, 4), goal(DRAINED, 4)], ids=lambda one: str(one.state))
def test_a_partition_without_a_leader_stops_only_what_would_move_it(wanted: Goal) -> None:
    members = FOUR if wanted.state == BALANCED else DEAD
    moving = topic("b", *(partition(number, [1, 4 if wanted.state == DRAINED else 3]) for number in range(4)))
    snapshot = cluster(orphans([2], [2, 3]), moving, brokers=members)
    assert reassignment_refusals(snapshot, wanted) == []
    moves = plan(snapshot, wanted)
    assert {one.topic for one in moves} == {"b"}


MOVES = [Move(name, 0, (1,), (2,)) for name in "abcdefg"]


@pytest.mark.parametrize(("number", "ending"), [(1, "topics a"), (5, "topics a, b, c, d, e"), (7, "d, e and 2 more")])
def test_lists_of_another_owner_are_named_and_the_rest_counted(number: int, ending: str) -> None:
    theirs = Throttles(lists={one.topic: {LISTS[0]: "*"} for one in MOVES[:number]})
    found = list(throttle.foreign_throttle_refusals(theirs, throttle.wanted(MOVES, {1, 2}, 1000)))
    assert told(found) == [("foreign_throttle", "", "", None)]
    assert found[0].message.endswith(ending)


def test_rates_of_another_owner_are_named_with_their_brokers() -> None:
    theirs = Throttles(rates={2: {RATES[0]: "5"}, 1: {RATES[0]: "5"}})
    found = list(throttle.foreign_throttle_refusals(theirs, throttle.wanted(MOVES, {1, 2}, 1000)))
    assert told(found) == [("foreign_throttle", "", "", None)]
    assert found[0].message.endswith("brokers 1, 2")
