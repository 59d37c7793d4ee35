from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.cluster.health import Expected, away, caught_up, distance, expected, unhealthy_reasons
from ansible.module_utils.kraft.cluster.snapshot import LogDir, Reassignment, Snapshot

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.problems import named
from tests.wording_files import Wording

THREE = Expected("x", frozenset({1, 2, 3}), frozenset({1, 2, 3}))


def test_a_whole_cluster_has_no_problem() -> None:
    assert unhealthy_reasons(cluster(topic("a", partition(0, [1, 2, 3]))), THREE) == ()


def test_another_cluster_is_the_only_problem_named(wording: Wording) -> None:
    found = unhealthy_reasons(dataclasses.replace(cluster(), cluster_id="y"), THREE)
    assert [("cluster y" in each, "x is expected" in each) for each in found] == [(True, True)]
    wording(found)


def test_a_replica_that_is_on_the_move_is_not_missing() -> None:
    moving = [Reassignment("a", 0, (3,), (1,))]
    there = topic("a", partition(0, [1, 2, 3], isr=[1, 2]), partition(1, [1, 2, 3], isr=[1, 3]))
    snapshot = cluster(there, moves=moving)
    assert unhealthy_reasons(snapshot, Expected(only=frozenset({3}))) == ()
    (said,) = unhealthy_reasons(snapshot, Expected())
    assert "a-1" in said
    late = cluster(topic("a", partition(0, [1, 2, 3], isr=[1])), moves=moving)
    assert unhealthy_reasons(late, Expected(only=frozenset({3}))) == ()
    assert unhealthy_reasons(late, Expected(only=frozenset({2})))


def test_no_leader_is_a_problem() -> None:
    assert unhealthy_reasons(cluster(leader=quorum(-1)), THREE) == ("the controllers have no leader",)


def test_a_missing_voter_is_named_with_those_that_are_there(wording: Wording) -> None:
    found = unhealthy_reasons(cluster(leader=quorum(1, voter(1), voter(2))), THREE)
    assert named(found) == [["3", "1", "2"]]
    wording(found)


def test_a_voter_that_lags_or_is_silent_is_named(wording: Wording) -> None:
    found = unhealthy_reasons(cluster(leader=quorum(1, voter(1), voter(2, 12_000, 40), voter(3, None))), THREE)
    assert named(found) == [["2", "12.0", "40"], ["3"]]
    wording(found)


def test_a_voter_that_has_every_record_is_caught_up_however_long_ago() -> None:
    assert caught_up(voter(2, 60_000, lag=0))


def test_brokers_that_are_missing_or_fenced_are_named(wording: Wording) -> None:
    found = unhealthy_reasons(cluster(brokers=[broker(1), broker(2, fenced=True)]), THREE)
    assert named(found) == [["3"], ["2"]]
    assert [("fenced" in one) for one in found] == [False, True]
    wording(found)


def test_a_fenced_broker_that_no_one_expects_does_not_hurt() -> None:
    snapshot = cluster(brokers=[broker(1), broker(2), broker(3), broker(9, fenced=True)])
    assert unhealthy_reasons(snapshot, THREE) == ()
    assert named(unhealthy_reasons(snapshot, Expected())) == [["9"]]


def test_partitions_without_leader_and_under_replicated_ones_are_named(wording: Wording) -> None:
    found = unhealthy_reasons(cluster(topic("a", partition(0, [1, 2], []), partition(1, [1, 2, 3], [1, 2]))), THREE)
    assert named(found) == [["a-0", "1", "2"], ["a-1", "1", "2", "3"]]
    wording(found)


def test_many_partitions_are_counted_not_listed(wording: Wording) -> None:
    found = unhealthy_reasons(cluster(topic("a", *(partition(n, [1, 2], [1]) for n in range(40)))), THREE)
    assert len(found) == 6
    assert named(found[-1:]) == [["35"]]
    wording(found[-1:])


def test_what_was_not_answered_is_a_problem_and_what_was_not_asked_is_none() -> None:
    assert unhealthy_reasons(Snapshot("x", unanswered={"quorum": "no answer"}), Expected("x")) == (
        "quorum is not known: no answer",
    )
    assert unhealthy_reasons(Snapshot("x"), Expected("x")) == ()


def test_an_offline_log_directory_is_named(wording: Wording) -> None:
    snapshot = dataclasses.replace(cluster(), log_dirs=(LogDir(2, "/data/1", "offline"), LogDir(3, "/data/1")))
    found = unhealthy_reasons(snapshot, THREE)
    assert named(found) == [["/data/1", "2"]]
    wording(found)


def test_distance_falls_as_the_cluster_heals() -> None:
    ill = cluster(
        topic("a", partition(0, [1, 2, 3], [1])),
        brokers=[broker(1), broker(2)],
        leader=quorum(1, voter(1), voter(2, 9_000)),
    )
    better = cluster(topic("a", partition(0, [1, 2, 3], [1, 2])))
    assert distance(ill, THREE) == 2 + 1 + 2
    assert distance(better, THREE) == 1
    assert distance(cluster(), THREE) == 0


def test_expected_takes_the_modules_parameter_as_it_comes() -> None:
    assert expected({"cluster_id": None, "broker_ids": None, "voter_ids": [3], "largest_delay_ms": 2000}) == Expected(
        voter_ids=frozenset({3})
    )


def test_only_the_nodes_asked_about_are_judged(wording: Wording) -> None:
    topics = topic("a", partition(0, [1, 2, 3], [1]), partition(1, [3, 1], [1]), partition(2, [2, 3], [3], leader=-1))
    snapshot = cluster(topics, brokers=[broker(1), broker(2, fenced=True)], leader=quorum(1, voter(1), voter(2, 9000)))
    about_two = unhealthy_reasons(snapshot, dataclasses.replace(THREE, only=frozenset({2})))
    assert named(text.split(":")[0] for text in about_two) == [["2", "9.0", "9000"], ["2"], ["a-0"]]
    wording(about_two)
    assert unhealthy_reasons(snapshot, dataclasses.replace(THREE, only=frozenset({1}))) == ()


def test_a_partition_whose_last_copy_is_on_a_dead_node_does_not_count_against_another() -> None:
    brokers = [broker(1), broker(2, fenced=True), broker(3)]
    for in_sync in ([2], []):
        gone = cluster(topic("a", partition(0, [1, 2], in_sync, leader=-1)), brokers=brokers)
        assert unhealthy_reasons(gone, Expected(only=frozenset({1}))) == ()
        assert "a-0" in unhealthy_reasons(gone, Expected(only=frozenset({2})))[-1]
        assert "a-0" in unhealthy_reasons(gone, Expected())[-1]
    own = cluster(topic("a", partition(0, [1, 2], [1], leader=-1)), brokers=brokers)
    assert "a-0" in unhealthy_reasons(own, Expected(only=frozenset({1})))[-1]
    nobody = cluster(topic("a", partition(0, [1, 3], [], leader=-1)), brokers=brokers)
    assert "a-0" in unhealthy_reasons(nobody, Expected(only=frozenset({1})))[-1]


def test_who_else_is_away_is_named() -> None:
    late = cluster(brokers=[broker(1), broker(2, fenced=True)], leader=quorum(1, voter(1), voter(2), voter(3, None)))
    wanted = Expected(broker_ids=frozenset({1, 2, 3}), voter_ids=frozenset({1, 2, 3}))
    assert named(away(late, wanted, [1])) == [["3"], ["3"], ["2"]]
    assert named(away(late, wanted, [3])) == [["2"]]
    assert away(late, wanted, [1, 2, 3]) == ()
