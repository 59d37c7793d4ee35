from __future__ import annotations

from collections import Counter

from ansible.module_utils.kraft.operations.topics.placement import with_factor
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, partition, topic

SIX = [broker(n, rack="abc"[n % 3]) for n in range(1, 7)]


def test_a_topic_that_has_the_factor_is_left_alone() -> None:
    assert with_factor(topic("a", partition(0, [1, 2, 3])), 3, SIX) == {}


def test_growing_appends_and_spreads_over_racks() -> None:
    moves = with_factor(topic("a", partition(0, [1]), partition(1, [4])), 3, SIX)
    racks = {one.node_id: one.rack for one in SIX}
    assert all(len({racks[node] for node in nodes}) == 3 for nodes in moves.values())
    assert [nodes[0] for nodes in moves.values()] == [1, 4]


def test_growing_spreads_over_brokers_without_racks() -> None:
    brokers = [broker(n) for n in (1, 2, 3)]
    moves = with_factor(topic("a", *(partition(n, [n % 3 + 1]) for n in range(6))), 2, brokers)
    held = Counter(node for nodes in moves.values() for node in nodes)
    assert set(held.values()) == {4}


def test_growing_looks_at_what_other_topics_hold() -> None:
    other = topic("full", *(partition(n, [2]) for n in range(9)))
    small = topic("a", partition(0, [1]))
    assert with_factor(small, 2, [broker(1), broker(2), broker(3)], [other, small]) == {0: (1, 3)}


def test_shrinking_keeps_the_leader_though_it_is_not_the_preferred_one() -> None:
    assert with_factor(topic("a", partition(0, [1, 2, 3], leader=3)), 2, SIX) == {0: (1, 3)}
    assert with_factor(topic("a", partition(0, [1, 2, 3], leader=3)), 1, SIX) == {0: (3,)}


def test_shrinking_takes_the_replica_that_is_out_of_sync() -> None:
    assert with_factor(topic("a", partition(0, [1, 2, 3], isr=[1, 3])), 2, SIX) == {0: (1, 3)}


def test_shrinking_keeps_those_in_sync_though_the_preferred_leader_is_behind() -> None:
    behind = topic("a", partition(0, [1, 2, 3], isr=[2, 3], leader=2))
    assert with_factor(behind, 2, SIX) == {0: (2, 3)}
    assert with_factor(behind, 1, SIX) == {0: (2,)}
    assert with_factor(topic("a", partition(0, [1, 2, 3, 4], isr=[3], leader=3)), 2, SIX)[0][0] == 1


@given(st.permutations([1, 2, 3, 4, 5, 6]), st.integers(1, 6), st.integers(1, 5), st.data())
def test_shrinking_never_takes_one_in_sync_while_another_is_behind(
    replicas: list[int], size: int, factor: int, data: st.DataObject
) -> None:
    isr = data.draw(st.lists(st.sampled_from(replicas), min_size=1, max_size=6, unique=True))
    made = topic("a", partition(0, replicas[: max(size, factor)], isr=[one for one in isr if one in replicas[:size]]))
    (one,) = made.partitions
    after = with_factor(made, factor, SIX).get(0, one.replicas)
    assert len(set(after) & set(one.isr)) == min(factor, len(one.isr))


def test_shrinking_takes_the_second_replica_of_a_rack() -> None:
    assert with_factor(topic("a", partition(0, [1, 2, 5])), 2, [*SIX]) == {0: (1, 2)}


def test_a_replica_that_leaves_already_is_not_counted() -> None:
    moving = topic("a", partition(0, [1, 2, 3, 4]))
    assert with_factor(moving, 3, SIX, leaving={0: [4]}) == {}
    assert with_factor(moving, 2, SIX, leaving={0: [4]})[0][0] == 1


@given(
    st.integers(1, 6),
    st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=6, unique=True), min_size=1, max_size=12),
    st.booleans(),
)
def test_whatever_the_topic_the_result_has_the_factor_and_moves_least(
    factor: int, replicas: list[list[int]], racks: bool
) -> None:
    brokers = SIX if racks else [broker(n) for n in range(1, 7)]
    made = topic("a", *(partition(n, nodes, leader=nodes[-1]) for n, nodes in enumerate(replicas)))
    moves = with_factor(made, factor, brokers)
    assert moves == with_factor(made, factor, brokers)
    for number, nodes in enumerate(replicas):
        after = moves.get(number, tuple(nodes))
        assert len(after) == len(set(after)) == factor
        assert nodes[-1] in after
        assert len(set(after) & set(nodes)) == min(factor, len(nodes))
        assert after[0] == nodes[0] or factor == 1
