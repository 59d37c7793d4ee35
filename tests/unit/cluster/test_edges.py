"""Gate, health, order and batches at their edges: what is not known, what is just enough, and who is not concerned."""

from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.cluster.health import Expected, caught_up, distance, expected, unhealthy_reasons
from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import Reassignment, Snapshot
from ansible.module_utils.kraft.operations.roll.batches import batches
from ansible.module_utils.kraft.operations.roll.restart_order import order, ready

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter

CONTROLLERS = quorum(903, voter(901), voter(902), voter(903))
FOUR = [broker(one) for one in (1, 2, 3, 4)]


def test_the_gate_names_the_node_that_a_partition_moves_to_and_no_other() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3])), moves=[Reassignment("a", 0, (3,), (1,))], min_insync=1)
    assert judge(snapshot, [2, 3]).reasons[0].endswith("moved to 3")


def test_the_gate_names_who_holds_a_replica_of_a_partition_without_leader() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3], [], leader=-1)))
    assert judge(snapshot, [2]).reasons == ("partition a-0 has no leader, and 2 holds a replica",)


def test_the_gate_holds_a_node_for_topics_that_no_one_told() -> None:
    silent = dataclasses.replace(cluster(), topics=None, unanswered={"topics": "no answer"})
    assert judge(silent, [1]).reasons == ("topics is not known: no answer",)


def test_a_controller_that_is_behind_stays_where_the_others_are_no_majority() -> None:
    verdict = judge(cluster(leader=quorum(1, voter(1), voter(2, 9_000), voter(3, 9_000))), [3])
    assert len(verdict.reasons) == 1
    assert verdict.unavoidable == ()


def test_as_many_as_are_named_are_not_counted_besides() -> None:
    five = topic("a", *(partition(one, [1, 2, 3], [1, 2]) for one in range(5)))
    assert len(judge(cluster(five), [1]).reasons) == 5
    assert len(unhealthy_reasons(cluster(five), Expected())) == 5


def test_every_part_of_what_is_expected_counts() -> None:
    given = {"cluster_id": "x", "broker_ids": [1], "voter_ids": [2], "only": [3], "largest_delay_ms": 9}
    assert expected(given) == Expected("x", frozenset({1}), frozenset({2}), 9, frozenset({3}))


def test_without_a_quorum_no_one_is_measured_by_it() -> None:
    silent = Snapshot("x", (broker(1),))
    assert distance(silent, Expected()) == 0
    assert distance(silent, Expected(voter_ids=frozenset({1, 2}))) == 2
    assert ready(silent) == {1}
    assert ready(silent, voter_ids=[1]) == frozenset()


def test_brokers_with_the_smaller_ids_still_go_after_the_controllers() -> None:
    snapshot = cluster(brokers=[broker(1), broker(2)], leader=quorum(12, voter(11), voter(12), voter(13)))
    assert order([1, 2, 11, 12, 13], snapshot) == (11, 13, 1, 2, 12)
    assert order([1, 2, 11], snapshot, broker_ids=[2, 11]) == (1, 11, 2)


def test_a_replica_that_is_catching_up_and_is_not_needed_goes_with_others() -> None:
    """In sync are just as many as the minimum: those two must stay, and the third is not missed."""
    snapshot = cluster(topic("a", partition(0, [1, 2, 3], [1, 2])), brokers=FOUR, leader=CONTROLLERS)
    assert batches(snapshot, {3, 4}, together=2) == ((3, 4),)
    needed = cluster(topic("a", partition(0, [1, 2, 3], [1])), brokers=FOUR, leader=CONTROLLERS)
    assert batches(needed, {3, 4}, together=2) == ((3,), (4,))


def test_where_the_minimum_is_not_known_nothing_can_be_spared() -> None:
    unknown = cluster(topic("a", partition(0, [1, 2, 3])), brokers=FOUR, leader=CONTROLLERS, min_insync={})
    assert batches(unknown, {1, 2, 4}, together=3) == ((1,), (2,), (4,))


def test_a_broker_that_a_partition_moves_to_goes_alone() -> None:
    a = topic("a", partition(0, [1, 2, 3]))
    snapshot = cluster(a, brokers=FOUR, leader=CONTROLLERS, moves=[Reassignment("a", 0, (3,), (1,))])
    assert batches(snapshot, {3, 4}, together=2) == ((3,), (4,))


def test_a_voter_is_caught_up_just_as_long_as_it_may_be_behind() -> None:
    assert caught_up(voter(2, 2_000, lag=5), 2_000)
    assert not caught_up(voter(2, 2_001, lag=5), 2_000)


def test_without_a_quorum_batches_are_made_from_partitions_alone() -> None:
    silent = Snapshot("x", tuple(FOUR), (topic("a", partition(0, [1, 2, 3])),), min_insync={"a": 2})
    assert batches(silent, {1, 2, 4}, together=3) == ((1, 4), (2,))


def test_a_batch_is_filled_from_one_rack_first_though_the_next_id_would_fit() -> None:
    apart = topic("a", partition(0, [1, 4]), partition(1, [3, 2]))
    racks = [broker(one, rack="ba"[one % 2]) for one in (1, 2, 3, 4)]
    snapshot = cluster(apart, brokers=racks, leader=CONTROLLERS, min_insync=1)
    assert batches(snapshot, {1, 2, 3, 4}, together=2) == ((1, 3), (2, 4))
