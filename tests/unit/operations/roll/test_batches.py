"""Batches: what is safe is safe for every layout, and large clusters are planned in seconds."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import Replica, Snapshot
from ansible.module_utils.kraft.operations.roll.batches import Members, Room, batches
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter

#: The promise; it takes a tenth of that on a quiet machine.
LONGEST_PLAN_SECONDS = 10.0
CONTROLLERS = quorum(903, voter(901), voter(902), voter(903))


def test_three_combined_nodes_go_one_by_one_the_active_controller_last() -> None:
    assert batches(cluster(topic("a", partition(0, [1, 2, 3]))), {1, 2, 3}, together=3) == ((2,), (3,), (1,))


def test_racks_that_each_hold_one_replica_go_rack_by_rack() -> None:
    racks = [broker(one, rack="abc"[one % 3]) for one in range(9)]
    spread = topic("a", *(partition(one, [one % 9, (one + 1) % 9, (one + 2) % 9]) for one in range(9)))
    found = batches(cluster(spread, brokers=racks, leader=CONTROLLERS), range(9), together=9)
    assert found == ((0, 3, 6), (1, 4, 7), (2, 5, 8))


def test_brokers_without_racks_go_together_where_they_share_nothing() -> None:
    apart = topic("a", partition(0, [1, 2, 3]), partition(1, [4, 5, 6]))
    snapshot = cluster(apart, brokers=[broker(one) for one in range(1, 7)], leader=CONTROLLERS)
    assert batches(snapshot, range(1, 7), together=4) == ((1, 4), (2, 5), (3, 6))
    assert batches(snapshot, range(1, 7)) == tuple((one,) for one in range(1, 7))


def test_a_node_that_does_not_serve_goes_first_and_alone() -> None:
    snapshot = cluster(brokers=[broker(1), broker(2), broker(3, fenced=True), broker(4)], leader=CONTROLLERS)
    assert batches(snapshot, {1, 2, 3, 4}, Members(brokers=frozenset({1, 2, 3, 4})), 4) == ((3,), (1, 2, 4))


def test_five_controllers_can_spare_two() -> None:
    five = quorum(5, *(voter(one) for one in range(1, 6)))
    assert batches(cluster(brokers=[broker(9)], leader=five), {1, 2, 3, 4, 5}, together=5) == ((1, 2), (3, 4), (5,))


def test_a_late_controller_fits_only_while_the_others_are_a_majority() -> None:
    def room(*voters: Replica) -> Room:
        return Room(cluster(leader=quorum(903, *voters)), frozenset({901, 902}), 2000)

    assert room(voter(901), voter(902, None), voter(903)).fits(902)
    assert not room(voter(901, 60_000), voter(902, None), voter(903)).fits(902)


def test_a_partition_without_a_replica_to_spare_leaves_its_brokers_for_the_gate() -> None:
    tight = topic("a", partition(0, [1, 2], [1, 2]))
    snapshot = cluster(tight, brokers=[broker(one) for one in (1, 2, 3, 4)], leader=CONTROLLERS)
    assert batches(snapshot, {1, 2, 3, 4}, together=4) == ((1,), (2,), (3, 4))


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """Brokers 1.., RF 1 to 3, some replicas out of sync, some brokers fenced, racks or none, three controllers."""
    brokers = draw(st.integers(3, 9))
    racks = draw(st.sampled_from([(None,), ("a", "b", "c"), ("a", "b")]))
    layout = draw(st.lists(st.permutations(range(1, brokers + 1)), min_size=1, max_size=12))
    factors = draw(st.lists(st.integers(1, 3), min_size=len(layout), max_size=len(layout)))
    missing = draw(st.lists(st.booleans(), min_size=len(layout), max_size=len(layout)))
    parts = [
        partition(number, row[:factor], row[1:factor] if gone and factor > 1 else row[:factor])
        for number, (row, factor, gone) in enumerate(zip(layout, factors, missing, strict=True))
    ]
    fenced = draw(st.sets(st.integers(1, brokers), max_size=1))
    ids = range(1, brokers + 1)
    members = [broker(one, rack=racks[one % len(racks)], fenced=one in fenced) for one in ids]
    return cluster(topic("t", *parts), brokers=members, leader=draw(st.sampled_from([CONTROLLERS, quorum(1)])))


@given(clusters(), st.integers(1, 9))
@settings(max_examples=200, deadline=None)
def test_every_node_goes_once_and_the_gate_lets_every_shared_batch_pass(snapshot: Snapshot, together: int) -> None:
    ids = {one.node_id for one in snapshot.brokers}
    found = batches(snapshot, ids, together=together)
    assert Counter(one for batch in found for one in batch) == Counter(ids)
    assert max(map(len, found)) <= together
    for batch in found:
        if len(batch) > 1:
            assert judge(snapshot, batch).allows(), (batch, judge(snapshot, batch).sentences())
    if snapshot.controller_id in ids:
        assert found[-1] == (snapshot.controller_id,)


@pytest.mark.parametrize("racks", [3, 1])
def test_three_hundred_brokers_are_planned_within_seconds(racks: int) -> None:
    chance = random.Random(7)  # noqa: S311
    ids = list(range(300))
    by_rack = [[one for one in ids if one % racks == rack] for rack in range(racks)]

    def replicas() -> list[int]:
        if racks == 1:
            return chance.sample(ids, 3)
        return [chance.choice(members) for members in by_rack]

    topics = [topic(f"t{one}", *(partition(number, replicas()) for number in range(100))) for one in range(2000)]
    brokers = [broker(one, rack=f"r{one % racks}") for one in ids]
    snapshot, began = cluster(*topics, brokers=brokers, leader=CONTROLLERS), time.process_time()
    found = batches(snapshot, ids, together=300)
    assert time.process_time() - began < LONGEST_PLAN_SECONDS
    assert sum(map(len, found)) == 300
    assert len(found) == (3 if racks == 3 else 300)  # by chance every two brokers share some partition
