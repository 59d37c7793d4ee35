"""Plans of moves: what holds for every layout, how little is moved, and that large clusters are planned in seconds."""

from __future__ import annotations

import dataclasses
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Partition, Reassignment, Snapshot, Topic
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, SPREAD, Goal, Move, placement
from ansible.module_utils.kraft.operations.reassignment.planner import able_brokers, plan, reassignment_refusals
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.unit.problems import named, worded
from tests.wording_files import Wording

#: The promise; it takes a third of that on a quiet machine.
LONGEST_PLAN_SECONDS = 15.0


def done(snapshot: Snapshot, moves: Iterable[Move]) -> Snapshot:
    """The cluster when all moves have ended."""
    after = {one.name: one.after for one in moves}

    def there(name: str, one: Partition) -> Partition:
        replicas = after.get((name, one.partition), one.replicas)
        return Partition(one.partition, replicas[0], replicas, replicas)

    topics = [
        Topic(one.name, False, tuple(there(one.name, part) for part in one.partitions)) for one in snapshot.topics or ()
    ]
    return dataclasses.replace(snapshot, topics=tuple(topics), reassignments=())


def held(snapshot: Snapshot) -> Counter[int]:
    return Counter(node for replicas in placement(snapshot).replicas for node in replicas)


def leads(snapshot: Snapshot) -> Counter[int]:
    return Counter(replicas[0] for replicas in placement(snapshot).replicas)


def unevenness(replicas: Sequence[int], racks: dict[int, str | None]) -> int:
    """Return 0 if all replicas are in different racks; more, the more of them share one."""
    named = Counter(racks[node] or f"broker {node}" for node in replicas)
    return sum(number * number for number in named.values()) - len(replicas)


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """Up to 9 brokers in 1 to 4 racks or none, up to 40 partitions of RF 1 to 4, some brokers empty."""
    brokers = draw(st.integers(4, 9))
    racks = draw(st.sampled_from([(None,), ("a", "b", "c"), ("a", "b"), ("a",), ("a", "b", None)]))
    empty = draw(st.integers(0, 2))
    ids = list(range(1, brokers + 1))
    factor = draw(st.integers(1, min(4, brokers - empty)))
    rows = draw(st.lists(st.permutations(ids[: brokers - empty]), min_size=1, max_size=40))
    parts = [partition(number, row[: draw(st.integers(1, factor))]) for number, row in enumerate(rows)]
    half = len(parts) // 2
    members = [broker(one, rack=racks[one % len(racks)]) for one in ids]
    return cluster(topic("a", *parts[:half]), topic("b", *parts[half:]), brokers=members)


goals = st.one_of(
    st.just(Goal()),
    st.sets(st.integers(1, 4), min_size=1, max_size=2).map(lambda ids: Goal(DRAINED, frozenset(ids))),
    st.sets(st.integers(1, 4), min_size=1, max_size=2).map(lambda ids: Goal(SPREAD, frozenset(ids))),
)


@given(clusters(), goals)
@settings(max_examples=300)
def test_factors_stay_racks_stay_spread_no_broker_holds_two_and_a_second_plan_is_empty(
    snapshot: Snapshot, goal: Goal
) -> None:
    if reassignment_refusals(snapshot, goal):
        return
    moves, racks = plan(snapshot, goal), {one.node_id: one.rack for one in snapshot.brokers}
    for one in moves:
        assert len(one.after) == len(one.before) == len(set(one.after))
        assert set(one.adding) <= able_brokers(snapshot, goal)
        assert goal.state != SPREAD or set(one.adding) <= goal.broker_ids
        if goal.state != DRAINED:
            assert unevenness(one.after, racks) <= unevenness(one.before, racks)
        else:
            assert set(one.before) - set(one.after) <= goal.broker_ids
    after = done(snapshot, moves)
    assert goal.state != DRAINED or not goal.broker_ids & set(held(after))
    assert plan(after, goal) == ()
    assert plan(snapshot, goal) == moves


@given(clusters())
@settings(max_examples=300)
def test_a_balanced_cluster_is_even_and_got_there_by_the_fewest_moves(snapshot: Snapshot) -> None:
    ids = [one.node_id for one in snapshot.brokers]
    racks = {one.node_id: one.rack for one in snapshot.brokers}
    moves = plan(snapshot, Goal())
    after = done(snapshot, moves)
    for rack in set(racks.values()):
        counts = [held(after)[one] for one in ids if racks[one] == rack]
        assert max(counts) - min(counts) <= 1
    if set(racks.values()) != {None}:
        return
    before, total = held(snapshot), sum(held(snapshot).values())
    above = sum(max(0, before[one] - -(-total // len(ids))) for one in ids)
    below = sum(max(0, total // len(ids) - before[one]) for one in ids)
    assert sum(len(one.adding) for one in moves) == max(above, below)


@given(clusters())
@settings(max_examples=200)
def test_no_order_of_the_replicas_spreads_preferred_leaders_better(snapshot: Snapshot) -> None:
    after = done(snapshot, plan(snapshot, Goal()))
    load = leads(after)
    reach: dict[int, set[int]] = {one.node_id: set() for one in after.brokers}
    for replicas in placement(after).replicas:
        reach[replicas[0]] |= set(replicas[1:])
    for one in reach:
        seen, ring = {one}, {one}
        while ring:
            ring = {other for each in ring for other in reach[each]} - seen
            seen |= ring
        assert min(load[other] for other in seen) >= load[one] - 1


def test_a_new_broker_gets_a_quarter_and_nothing_moves_between_the_old_ones() -> None:
    three = topic("a", *(partition(number, [1, 2, 3]) for number in range(8)))
    four = cluster(three, brokers=[broker(one) for one in (1, 2, 3, 4)])
    moves = plan(four, Goal(SPREAD, frozenset({4})))
    after = done(four, moves)
    assert [len(one.adding) for one in moves] == [1] * 6
    assert held(after) == {1: 6, 2: 6, 3: 6, 4: 6}
    assert leads(after)[4] == 2


def test_replicas_that_share_a_rack_go_to_one_that_has_none() -> None:
    racks = [broker(one, rack="aabc"[one - 1]) for one in (1, 2, 3, 4)]
    (only,) = plan(cluster(topic("a", partition(0, [1, 2, 3])), brokers=racks), Goal())
    assert set(only.after) in ({1, 3, 4}, {2, 3, 4})


def test_of_two_partitions_the_smaller_is_moved() -> None:
    snapshot = cluster(topic("a", partition(0, [1]), partition(1, [1]), partition(2, [3])))
    (only,) = plan(snapshot, Goal(), {("a", 0): 900, ("a", 1): 10, ("a", 2): 5})
    assert (only.partition, only.after, only.bytes) == (1, (2,), 10)


def test_what_is_on_the_move_counts_as_arrived() -> None:
    moving = [Reassignment("a", 0, (2,), (1,))]
    snapshot = cluster(topic("a", partition(0, [2, 1]), partition(1, [1]), partition(2, [3])), moves=moving)
    assert plan(snapshot, Goal()) == ()
    back = plan(snapshot, Goal(DRAINED, frozenset({2})))
    assert [(one.before, one.after) for one in back] == [((2,), (1,))] or back[0].after == (3,)


def test_a_drain_needs_as_many_brokers_as_replicas(wording: Wording) -> None:
    snapshot = cluster(*(topic(f"t{one}", partition(0, [1, 2, 3])) for one in range(7)))
    found = reassignment_refusals(snapshot, Goal(DRAINED, frozenset({3})))
    assert {one.rule for one in found} == {"too_few_brokers"}
    assert named(found[-1:]) == [["2"]]
    wording(worded(found))


def test_nothing_is_moved_to_a_broker_that_is_away_and_nothing_without_a_leader(wording: Wording) -> None:
    away = [broker(1), broker(2), broker(3, fenced=True)]
    snapshot = cluster(topic("a", partition(0, [1, 2])), brokers=away)
    assert reassignment_refusals(snapshot, Goal(DRAINED, frozenset({3}))) == []
    orphan = cluster(topic("a", partition(0, [2, 3], isr=[], leader=-1)), brokers=away)
    orphaned = cluster(topic("a", partition(0, [3], isr=[], leader=-1)), brokers=away)
    found = [
        reassignment_refusals(snapshot, Goal())[0],
        reassignment_refusals(snapshot, Goal(SPREAD, frozenset({9})))[0],
        reassignment_refusals(orphan, Goal(DRAINED, frozenset({2})))[-1],
        reassignment_refusals(orphaned, Goal(DRAINED, frozenset({3})))[0],
    ]
    assert [one.rule for one in found] == ["fenced_broker", "unknown_broker", "no_leader", "only_replica"]
    wording(worded(found))


TWENTY_NEW = Goal(SPREAD, frozenset(range(280, 300)))


@pytest.mark.parametrize(
    ("racks", "goal"), [(0, TWENTY_NEW), (3, Goal()), (6, Goal(DRAINED, frozenset(range(10))))], ids=str
)
def test_three_hundred_brokers_are_planned_within_seconds(racks: int, goal: Goal) -> None:
    chance = random.Random(7)  # noqa: S311
    old = list(range(280))
    by_rack = [[one for one in old if one % racks == rack] for rack in range(racks)]

    def replicas() -> list[int]:
        return [chance.choice(members) for members in chance.sample(by_rack, 3)] if racks else chance.sample(old, 3)

    topics = [topic(f"t{one}", *(partition(number, replicas()) for number in range(100))) for one in range(2000)]
    brokers = [broker(one, rack=f"r{one % racks}" if racks else None) for one in range(300)]
    snapshot, began = cluster(*topics, brokers=brokers), time.process_time()
    moves = plan(snapshot, goal)
    assert time.process_time() - began < LONGEST_PLAN_SECONDS
    after = held(done(snapshot, moves))
    if goal.state == DRAINED:
        assert not goal.broker_ids & set(after)
    else:
        assert sum(len(one.adding) for one in moves) == 40_000  # 20 new brokers with 2,000 replicas each
        assert {after[one] for one in range(280, 300)} == {2000}
    if goal.state == BALANCED:
        assert set(after.values()) == {2000}
