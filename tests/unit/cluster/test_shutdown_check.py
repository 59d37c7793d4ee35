from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import Reassignment
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.problems import named
from tests.wording_files import Wording


def test_a_node_of_a_whole_cluster_may_go() -> None:
    verdict = judge(cluster(topic("a", partition(0, [1, 2, 3]))), [2])
    assert verdict.allows()
    assert verdict.sentences() == ()


def test_in_sync_replicas_must_not_fall_below_the_minimum(wording: Wording) -> None:
    verdict = judge(cluster(topic("orders", partition(3, [1, 2, 3], [1, 2]))), [1])
    assert not verdict.allows(accept_unavoidable=True)
    assert named(verdict.reasons) == [["orders-3", "1", "2", "2", "1"]]
    wording(verdict.reasons)


def test_a_node_outside_the_in_sync_replicas_may_go_while_enough_are_left() -> None:
    assert judge(cluster(topic("a", partition(0, [1, 2, 3], [1, 2]))), [3]).allows()


def test_a_node_that_is_catching_up_is_needed_where_too_few_are_in_sync(wording: Wording) -> None:
    verdict = judge(cluster(topic("a", partition(0, [1, 2, 3], [1]))), [3])
    assert named(verdict.reasons) == [["a-0", "1", "2", "3"]]
    wording(verdict.reasons)


def test_internal_topics_count() -> None:
    verdict = judge(cluster(topic("__consumer_offsets", partition(0, [1, 2, 3], [1, 2]), internal=True)), [2])
    assert not verdict.allows()


def test_a_topic_with_no_replica_to_spare_is_named_apart(wording: Wording) -> None:
    snapshot = cluster(topic("scratch", partition(0, [2])), topic("pair", partition(0, [2, 3])))
    verdict = judge(snapshot, [2])
    assert verdict.reasons == ()
    assert named(verdict.unavoidable) == [["scratch-0", "2", "1", "0"], ["pair-0", "2", "3", "2", "1"]]
    wording(verdict.unavoidable)
    assert not verdict.allows()
    assert verdict.allows(accept_unavoidable=True)


def test_partitions_held_elsewhere_do_not_matter() -> None:
    assert judge(cluster(topic("a", partition(0, [1, 2], [1, 2]))), [3]).allows()


def test_the_majority_of_controllers_must_stay_caught_up(wording: Wording) -> None:
    verdict = judge(cluster(leader=quorum(2, voter(1), voter(2), voter(3, 12_000, 99))), [1])
    assert named(verdict.reasons) == [["3", "12.0", "99", "1", "1", "3", "2"]]
    wording(verdict.reasons)


def test_a_controller_that_is_behind_may_go_for_it_is_not_counted() -> None:
    assert judge(cluster(leader=quorum(2, voter(1), voter(2), voter(3, 12_000))), [3]).allows()


def test_a_quorum_of_one_is_named_apart() -> None:
    verdict = judge(cluster(brokers=[broker(1)], leader=quorum(1, voter(1))), [1])
    assert verdict.reasons == ()
    assert "only 0 of 1 controllers" in verdict.unavoidable[0]


def test_nothing_goes_while_there_is_no_leader() -> None:
    assert judge(cluster(leader=quorum(-1)), [1]).reasons == ("the controllers have no leader",)


def test_a_fenced_broker_may_go_whatever_the_partitions() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3], [1])), brokers=[broker(1), broker(2), broker(3, fenced=True)])
    assert judge(snapshot, [3]).allows()


def test_a_partition_on_its_way_to_the_node_holds_it() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3])), moves=[Reassignment("a", 0, (3,), (1,))])
    assert judge(snapshot, [3]).reasons == ("partition a-0 is being moved to 3",)
    assert judge(snapshot, [2]).allows()


def test_two_nodes_together_are_judged_together() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3])))
    assert judge(snapshot, [2]).allows()
    assert not judge(snapshot, [2, 3]).allows()


def test_what_is_not_known_forbids() -> None:
    silent = dataclasses.replace(cluster(), unanswered={"quorum": "no answer"})
    assert judge(silent, [1]).reasons == ("quorum is not known: no answer",)
    assert not judge(cluster(topic("a", partition(0, [1, 2, 3])), min_insync={}), [1]).allows()


def test_many_partitions_are_shortened() -> None:
    verdict = judge(cluster(topic("a", *(partition(n, [1, 2, 3], [1, 2]) for n in range(9)))), [1])
    assert len(verdict.reasons) == 6
    assert verdict.reasons[-1] == "and 4 partitions more"


replica_sets = st.lists(st.integers(1, 5), min_size=1, max_size=4, unique=True)


@given(
    st.lists(st.tuples(replica_sets, st.integers(0, 4)), max_size=6),
    st.integers(1, 3),
    st.sets(st.integers(1, 5), min_size=1, max_size=3),
)
def test_whoever_is_let_go_leaves_every_partition_writable(
    partitions: list[tuple[list[int], int]], least: int, going: set[int]
) -> None:
    """No verdict without reason lets a partition that could be written to fall below its effective minimum."""
    made = [partition(n, nodes, nodes[: max(1, size)]) for n, (nodes, size) in enumerate(partitions)]
    snapshot = cluster(
        topic("a", *made),
        brokers=[broker(n) for n in range(1, 6)],
        leader=quorum(9, voter(9)),
        min_insync=least,
    )
    if judge(snapshot, going).allows():
        for one in made:
            needed = min(least, len(one.replicas))
            assert len(set(one.isr) - going) >= needed or (len(one.isr) < needed and not going & set(one.replicas))
