from __future__ import annotations

from ansible.module_utils.kraft.operations.roll.restart_order import order

from tests.unit.cluster.snapshots import broker, cluster, quorum, voter


def test_the_active_controller_is_last() -> None:
    assert order([1, 2, 3], cluster(leader=quorum(2))) == (1, 3, 2)


def test_nodes_that_do_not_serve_are_first() -> None:
    fenced = cluster(brokers=[broker(1), broker(2), broker(3, fenced=True)])
    behind = cluster(leader=quorum(1, voter(1), voter(2), voter(3, 30_000)))
    assert order([1, 2, 3], fenced) == (3, 2, 1)
    assert order([1, 2, 3], behind) == (3, 2, 1)


def test_a_node_that_is_missing_altogether_is_unready() -> None:
    assert order([1, 2, 3, 4], cluster(), voter_ids=[1, 2, 3], broker_ids=[1, 2, 3, 4]) == (4, 2, 3, 1)


def test_dedicated_controllers_go_before_brokers_and_the_active_one_after_all() -> None:
    snapshot = cluster(brokers=[broker(11), broker(12)], leader=quorum(2))
    assert order([11, 12, 1, 2, 3], snapshot) == (1, 3, 11, 12, 2)


def test_only_the_nodes_asked_for_are_ordered() -> None:
    assert order([3, 1], cluster()) == (3, 1)


def test_without_a_leader_no_one_is_last_for_it() -> None:
    assert order([1, 2, 3], cluster(leader=quorum(-1))) == (1, 2, 3)
