"""Nodes go unchecked only on evidence that the cluster is down; unknown is not down."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.health import Expected
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.roll.decision import (
    Batch,
    HostLook,
    Sight,
    as_result,
    decide,
    known_down,
    led,
    warnings,
)
from ansible.module_utils.kraft.problem import Problem
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.cluster.strategies import snapshots
from tests.wording_files import Wording

THREE = Expected("x", frozenset({1, 2, 3}), frozenset({1, 2, 3}))
RUNNING = dict.fromkeys((1, 2, 3), True)
DOWN: Outcome[Snapshot] = Unreachable("k1:9092: nothing listens")
START = 120.0
LEADERLESS = tuple(Claim(one, -1, 7) for one in (1, 2, 3))
PARTS = {"quorum": "quorum", "topics": "topics", "configs": "min_insync", "reassignments": "reassignments"}


def without(part: str) -> Known[Snapshot]:
    """Return a whole snapshot with one late part."""
    missing: dict[str, Any] = {PARTS[part]: None}
    return Known(dataclasses.replace(cluster(), **missing, unanswered={part: "k1:9092 did not answer within 5 s"}))


def made(seen: Sight, running: dict[int, bool] | None = None, wanted: Expected = THREE) -> list[Batch]:
    return decide(seen, RUNNING if running is None else running, wanted, 3, START)


def refused(seen: Sight) -> list[str]:
    with pytest.raises(RefusedError) as error:
        made(seen)
    return [str(one) for one in error.value.problems]


@pytest.mark.parametrize("part", PARTS)
def test_no_node_is_restarted_while_a_part_is_unknown(part: str, wording: Wording) -> None:
    wording(refused(Sight(without(part))))


def test_an_answer_that_says_nothing_ends_the_roll_with_its_words() -> None:
    [text] = refused(Sight(Unknown("k1:9092: certificate expired")))
    assert "k1:9092: certificate expired" in text


def test_a_refusal_has_a_rule() -> None:
    with pytest.raises(RefusedError) as error:
        made(Sight(Unknown("denied")))
    assert [one.rule for one in error.value.problems if isinstance(one, Problem)] == ["roll_unknown"]


def test_nodes_go_unchecked_one_by_one_where_nothing_can_be_reached() -> None:
    looks = (HostLook("k1", "unreachable", 30), HostLook("k2"), HostLook("k3", "unreachable", 120))
    assert made(Sight(DOWN, looks=looks), {1: True, 2: False, 3: True}) == [
        Batch((1,), False, frozenset({1})),
        Batch((2,), False),
        Batch((3,), False, frozenset({3})),
    ]


@pytest.mark.parametrize(
    "look", [HostLook("k2", "known"), HostLook("k2", "unknown"), HostLook("k2", "unreachable", 120.5)]
)
def test_a_host_that_had_an_answer_or_runs_for_long_speaks_against_a_dead_cluster(look: HostLook) -> None:
    [first, second] = refused(Sight(DOWN, looks=(HostLook("k1"), look)))
    assert "nothing listens" in first
    assert "k2" in second


def test_controllers_without_a_leader_are_evidence_for_nodes_that_run_for_long() -> None:
    old = (HostLook("k1", "unreachable", 9000.0),)
    assert [one.checked for one in made(Sight(DOWN, LEADERLESS, old))] == [False, False, False]


def test_a_controller_that_follows_a_leader_speaks_against_a_dead_cluster() -> None:
    claims = (Claim(1, 2, 7), Claim(2, error="nothing listens"), Claim(3, error="nothing listens"))
    assert len(refused(Sight(DOWN, claims))) == 2


@pytest.mark.parametrize("seen", [Known(cluster(leader=quorum(-1))), without("quorum")])
def test_without_a_leader_controllers_go_unchecked_one_by_one_and_each_broker_is_checked(seen: Known[Snapshot]) -> None:
    wanted = Expected("x", frozenset({1, 2}), frozenset({901, 902, 903}))
    claims = (Claim(901, -1, 7), Claim(902, -1, 7), Claim(903, error="nothing listens"))
    found = made(Sight(seen, claims), {1: True, 2: True, 901: True, 902: False}, wanted)
    assert [(one.node_ids, one.checked) for one in found] == [
        ((901,), False),
        ((902,), False),
        ((1,), True),
        ((2,), True),
    ]
    assert [sorted(one.keep) for one in found] == [[901], [], [], []]


@pytest.mark.parametrize(
    "claims",
    [
        (),
        (Claim(1, -1, 7), Claim(2, error="late"), Claim(3, error="late")),
        (Claim(1, -1, 7), Claim(2, 3, 7), Claim(3, 3, 7)),
    ],
)
def test_too_few_controllers_without_a_leader_are_no_evidence(claims: tuple[Claim, ...]) -> None:
    assert refused(Sight(without("quorum"), claims))


def test_with_a_leader_every_batch_is_checked_and_who_serves_keeps_its_files() -> None:
    found = made(Sight(Known(cluster())))
    assert found == [Batch((one,), True, frozenset({one})) for one in (2, 3, 1)]


def test_who_is_late_or_not_heard_of_keeps_its_files_and_who_is_known_to_be_down_does_not() -> None:
    voters = (voter(1), voter(2, 2500), voter(3, None), voter(4, 9001), voter(5))
    seen = cluster(leader=quorum(1, *voters), brokers=[broker(one, fenced=one == 5) for one in range(1, 6)])
    every = frozenset(range(1, 6))
    found = decide(Sight(Known(seen)), dict.fromkeys(every, True), Expected("x", every, every), 1, START)
    assert {one for batch in found for one in batch.keep} == {1, 2, 3}
    found = decide(Sight(Known(seen)), dict.fromkeys(every, True), Expected(), 1, START)
    assert {one for batch in found for one in batch.keep} == {1, 2, 3}
    more = Expected("x", every | {6}, every | {7})
    found = decide(Sight(Known(seen)), dict.fromkeys((2, 6, 7), True), more, 1, START)
    assert {one for batch in found for one in batch.keep} == {2}


def test_what_the_inventory_expects_decides_the_order() -> None:
    """Broker 4 is not registered, and controller 901 is late: both go first, and the controller before the broker."""
    wanted = Expected("x", frozenset({1, 2, 3, 4}), frozenset({901, 902, 903}))
    late = cluster(leader=quorum(902, voter(901, 60_000), voter(902), voter(903)))
    found = decide(Sight(Known(late)), dict.fromkeys((4, 901), True), wanted, 1, START)
    assert [one.node_ids for one in found] == [(901,), (4,)]
    whole = cluster(leader=quorum(902, voter(901), voter(902), voter(903)))
    found = decide(Sight(Known(whole)), dict.fromkeys((1, 901), True), wanted, 1, START)
    assert [one.node_ids for one in found] == [(901,), (1,)]


def test_batches_have_the_size_and_the_delay_that_are_wanted() -> None:
    wanted = Expected("x", frozenset({1, 2, 3}), frozenset({901, 902, 903}), largest_delay_ms=5000)
    late = cluster(leader=quorum(902, voter(901, 4000), voter(902), voter(903)))
    found = decide(Sight(Known(late)), dict.fromkeys((1, 2, 3, 901), True), wanted, 2, START)
    assert [one.node_ids for one in found] == [(901, 1), (2, 3)]
    assert all(one.keep == frozenset(one.node_ids) for one in found)


def test_a_batch_is_given_with_its_nodes_as_they_came() -> None:
    nodes = {1: {"host": "k1"}, 2: {"host": "k2"}}
    [found] = as_result([Batch((1, 2), True, frozenset({2}))], nodes)
    assert found == {
        "node_ids": [1, 2],
        "checked": True,
        "nodes": [{"host": "k1", "keep": False}, {"host": "k2", "keep": True}],
    }


def test_a_topic_without_a_replica_to_spare_is_known_before_the_first_node_goes(wording: Wording) -> None:
    tight = cluster(
        topic("one", partition(0, [1])), topic("two", partition(0, [2, 3])), topic("ok", partition(0, [1, 2, 3]))
    )
    assert warnings(Sight(Known(tight)), {3}) == warnings(Sight(Known(tight)), {2})
    assert warnings(Sight(Unknown("late")), {1}) == []
    alone = cluster(leader=quorum(1, *cluster().quorum.voters[:2]))  # type: ignore[union-attr]
    assert len(warnings(Sight(Known(alone)), {1})) == 1
    assert warnings(Sight(Known(alone)), {3}) == []
    wording(warnings(Sight(Known(tight)), {1, 2}))


def test_a_case_that_was_forgotten_is_an_error() -> None:
    with pytest.raises(AssertionError, match="forgotten"):
        never(3)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="another case"):
        made(Sight("another case"))  # type: ignore[arg-type]


outcomes = st.one_of(
    st.just(DOWN), st.just(Unknown("denied")), st.just(Known(cluster())), st.sampled_from([*map(without, PARTS)])
)
claims = st.lists(st.sampled_from([*LEADERLESS, Claim(1, 2, 7), Claim(2, error="late")]), max_size=3).map(tuple)
looks = st.lists(
    st.builds(HostLook, st.just("k1"), st.sampled_from(["", "known", "unknown", "unreachable"]), st.floats(0, 300)),
    max_size=3,
).map(tuple)


@given(outcomes, claims, looks, st.integers(1, 3))
def test_a_node_goes_unchecked_only_on_evidence_and_never_beside_another(
    seen: Outcome[Snapshot], said: tuple[Claim, ...], own: tuple[HostLook, ...], together: int
) -> None:
    """The law: unchecked means that nothing was reached from anywhere, or that most controllers have no leader."""
    try:
        found = decide(Sight(seen, said, own), RUNNING, THREE, together, START)
    except RefusedError:
        assert not led(seen)
        return
    if led(seen):
        assert all(one.checked for one in found)
        return
    assert all(len(one.node_ids) == 1 and one.keep == frozenset(one.node_ids) for one in found)
    leaderless = len(said) >= 2 and all(one.leader_id == -1 and not one.error for one in said[:2])
    nothing = isinstance(seen, Unreachable) and all(
        one.answer in ("", "unreachable") and one.running_seconds <= START for one in own
    )
    assert nothing or leaderless or sum(one.leader_id == -1 and not one.error for one in said) >= 2


@st.composite
def blind(draw: st.DrawFn) -> tuple[Sight, Snapshot]:
    """Draw observations with at least one unknown part, and the whole snapshot."""
    whole = draw(snapshots())
    late = draw(st.sets(st.sampled_from(sorted(PARTS)), min_size=1))
    missing: dict[str, Any] = {PARTS[part]: None for part in late}
    seen = dataclasses.replace(whole, **missing, unanswered=dict.fromkeys(late, "late"))
    said = st.lists(st.builds(Claim, st.integers(1, 5), st.sampled_from([-1, 1, 2]), st.just(7)), max_size=5)
    return Sight(Known(seen), tuple(draw(said)), draw(looks)), whole


@given(blind(), st.integers(1, 5), st.sets(st.integers(1, 5), min_size=1))
def test_no_unknown_part_lets_more_than_one_serving_node_go_unchecked(
    drawn: tuple[Sight, Snapshot], together: int, due: set[int]
) -> None:
    """The law, from its text: with any part unknown, no plan has an unchecked batch of more than one serving node."""
    seen, whole = drawn
    wanted = Expected("x", frozenset(range(1, 6)), frozenset(range(1, 6)))
    try:
        found = decide(seen, dict.fromkeys(due, True), wanted, together, START)
    except RefusedError:
        return
    assert sorted(one for batch in found for one in batch.node_ids) == sorted(due)
    assert all(batch.checked or len(whole.unfenced.intersection(batch.node_ids)) <= 1 for batch in found)


def test_without_a_quorum_only_brokers_are_known_to_be_down() -> None:
    seen = dataclasses.replace(cluster(brokers=[broker(1), broker(2, fenced=True)]), quorum=None)
    assert known_down(seen, THREE) == {2, 3}
