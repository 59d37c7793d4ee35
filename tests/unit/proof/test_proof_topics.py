"""Queries of both sides that are repeated before a switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from spark_jobs.errors import UsageError
from spark_jobs.kafka_io import Window
from spark_jobs.native import TopicView
from spark_jobs.proof import topics
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.group_positions import Course, Outcome
from spark_jobs.proof.meanwhile import changes, moved, replaced
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.stretches import Block
from spark_jobs.proof.topics import SIDES, Cluster, TopicPair, TopicSide, undecided
from spark_jobs.proof.verdict import Change


class Admin:
    """A side whose partitions end at ``decided`` for who reads committed records, and at ``written``."""

    def __init__(
        self,
        decided: dict[int, int],
        written: dict[int, int],
        started: Mapping[int, int] = {},
        identity: tuple[str, int] = ("id1", 2),
    ) -> None:
        self._decided, self._written, self._started = decided, written, {0: 0, 1: 0, **started}
        self._identity = identity

    def identity(self, topic: str) -> tuple[str, int]:
        assert topic == "orders"
        return self._identity

    def begin_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        assert (topic, partitions) == ("orders", [0, 1])
        return self._started

    def end_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        assert (topic, partitions) == ("orders", [0, 1])
        return self._decided

    def written_offsets(self, topic: str, partitions: list[int]) -> dict[int, int]:
        assert (topic, partitions) == ("orders", [0, 1])
        return self._written


WINDOW = Window({0: 0, 1: 0}, {0: 5, 1: 7})
AT_REST = ({0: 5, 1: 7}, {0: 5, 1: 7})


class Native:
    """Holds the records of ``orders``, which are at each offset."""

    def read(self, spans: Mapping[tuple[str, int], tuple[int, int]]) -> dict[tuple[str, int], list[int]]:
        return {place: [*range(*span)] for place, span in spans.items()}


class Side(Cluster):
    native = cast("Any", Native())


def now(
    source: Admin,
    target: Admin,
    pairs: bool = False,
    topic_id: str = "id1",
    asked: Callable[[Comparison], list[Change]] = changes,
) -> dict[str, int]:
    """Changes of both sides since a proof in which all records were the same: kind -> offsets."""
    one = TopicSide("orders", WINDOW, {}, topic_id)
    clusters = [Side(cast("Any", None), Address(""), cast("Any", admin)) for admin in (source, target)]
    blocks = {
        (side, "orders", at): [Block(0, 2, 0, 1, 9), Block(1, end - 2, 2, end - 1, 9)]
        for side in (0, 1)
        for at, end in WINDOW.ends.items()
    }
    courses = {
        ("orders", at): Course(end, (end, end), [(n, n) for n in range(end)] if pairs else None)
        for at, end in WINDOW.ends.items()
    }
    made = Comparison(clusters, [TopicPair(one, one)], lambda _: None, blocks=blocks, courses=courses)
    assert {one.name for one in asked(made)} <= {"orders"}
    return {one.kind: one.number for one in asked(made)}


def source(decided: dict[int, int], written: dict[int, int]) -> tuple[Cluster, list[TopicPair]]:
    side = TopicSide("orders", WINDOW)
    cluster = Cluster(cast("Any", None), cast("Any", None), cast("Any", Admin(decided, written)))
    return cluster, [TopicPair(side, side)]


def behind(side: tuple[Cluster, list[TopicPair]], at_rest: bool) -> dict[str, int]:
    return undecided(side[0], [pair.target for pair in side[1]], at_rest)


def test_a_source_at_rest_has_nothing_more() -> None:
    at_rest = source({0: 5, 1: 7}, {0: 5, 1: 7})
    assert (now(Admin(*AT_REST), Admin(*AT_REST)), behind(at_rest, True)) == ({}, {})


def test_records_behind_an_open_transaction_are_undecided_and_no_growth() -> None:
    waiting = source({0: 5, 1: 7}, {0: 5, 1: 10})
    assert now(Admin({0: 5, 1: 7}, {0: 5, 1: 10}), Admin(*AT_REST)) == {}
    assert behind(waiting, True) == {"orders": 3}
    assert behind(waiting, False) == {"orders": 3}


def test_what_is_written_between_the_two_answers_is_growth_alone() -> None:
    growing = source({0: 5, 1: 9}, {0: 5, 1: 8})
    assert now(Admin({0: 5, 1: 9}, {0: 5, 1: 8}), Admin(*AT_REST)) == {"grown": 2}
    assert behind(growing, True) == {}


def test_a_transaction_that_began_during_the_proof_counts_only_before_a_switch() -> None:
    """A copy at work opens one after the other."""
    copying = source({0: 5, 1: 9}, {0: 5, 1: 10})
    assert behind(copying, False) == {}
    assert behind(copying, True) == {"orders": 1}


def test_a_side_that_is_shorter_or_was_written_is_not_at_rest() -> None:
    assert now(Admin({0: 3, 1: 9}, {}), Admin(*AT_REST)) == {"grown": 2, "shorter_on_source": 2}
    assert now(Admin(*AT_REST), Admin({0: 6, 1: 7}, {})) == {"written": 1}
    assert now(Admin(*AT_REST), Admin({0: 6, 1: 4}, {})) == {"written": 1, "shorter_on_target": 3}


def test_a_copy_at_work_may_grow_and_delete_but_its_topics_stay_the_compared_ones() -> None:
    """Else records were not compared, or those that were are gone."""
    at_work, more = Admin({0: 9, 1: 9}, {}), Admin({0: 8, 1: 9}, {}, {1: 3}, ("id1", 3))
    assert now(at_work, more, asked=replaced) == {}
    assert now(Admin({0: 3, 1: 9}, {}), at_work, asked=replaced) == {"shorter_on_source": 2}
    assert now(at_work, Admin(*AT_REST, identity=("id2", 2)), asked=replaced) == {"remade_on_target": 1}


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    ("identity", "kind", "number"),
    [(("id2", 2), "remade", 1), (("", 0), "remade", 1), (("id2", 3), "remade", 1), (("id1", 3), "split", 3)],
)
def test_a_topic_that_is_made_again_or_gets_partitions_during_the_proof_fails_it(
    identity: tuple[str, int], kind: str, number: int, side: int
) -> None:
    """Even with as many records as before: those that were compared are gone, or others were not compared."""
    admins = [Admin(*AT_REST), Admin(*AT_REST)]
    admins[side] = Admin(*AT_REST, identity=identity)
    assert now(admins[0], admins[1]) == {f"{kind}_on_{SIDES[side]}": number}


def test_a_broker_that_gives_topics_no_id_is_no_change() -> None:
    nameless = Admin(*AT_REST, identity=("", 2))
    assert now(nameless, nameless, topic_id="") == {}


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize(("here", "there", "deleted"), [(0, 1, 1), (2, 3, 3), (3, 3, 0), (4, 3, 0), (4, 0, 0)])
def test_records_that_the_target_deletes_during_the_proof_while_the_source_holds_them_fail_it(
    here: int, there: int, deleted: int, pairs: bool
) -> None:
    found = now(Admin(*AT_REST, {1: here}), Admin(*AT_REST, {1: there}), pairs)
    assert found == ({"deleted": deleted} if deleted else {})


def judged(outcome: Outcome) -> Position:
    return Position(
        group="g",
        topic="orders",
        partition=0,
        source_offset=4,
        target_offset=3,
        outcome=outcome,
        records=1,
        exact=True,
        set_to=None,
    )


@pytest.mark.parametrize(
    ("here", "there", "outcome", "found"),
    [
        (4, 3, "same", 0),
        (5, 3, "same", 1),  # a consumer of the source went on
        (0, 3, "same", 1),  # it was rewound
        (None, 3, "same", 1),
        (4, 4, "same", 1),  # a consumer of the target began
        (4, None, "same", 1),
        (4, 4, "earlier", 0),  # translated meanwhile
        (4, 2, "earlier", 1),
        (4, None, "earlier", 1),
        (4, 9, "later", 1),
    ],
)
def test_a_group_that_moves_during_the_proof_fails_it(
    here: int | None, there: int | None, outcome: Outcome, found: int
) -> None:
    pair = TopicPair(TopicSide("orders", WINDOW), TopicSide("orders.copy", WINDOW))
    known = {1: 7}
    sides = [{("orders", at): offset for at, offset in {0: here, **known}.items() if offset is not None}]
    sides.append({("orders.copy", at): offset for at, offset in {0: there, **known}.items() if offset is not None})
    before = [{("orders", 0): 4, ("orders", 1): 7}, {("orders.copy", 0): 3, ("orders.copy", 1): 7}]
    seen = moved([pair], {"g": before}, {"g": sides}, [judged(outcome)])
    assert [(one.name, one.kind, one.number) for one in seen] == [("g", "moved", 1)] * found


@pytest.mark.parametrize(("side", "outcome", "found"), [(0, "same", 1), (1, "absent", 0), (1, "same", 1)])
def test_an_offset_that_appears_during_the_proof_is_a_move_unless_it_was_awaited(
    side: int, outcome: Outcome, found: int
) -> None:
    pair = TopicPair(TopicSide("orders", WINDOW), TopicSide("orders.copy", WINDOW))
    after: list[dict[tuple[str, int], int]] = [{}, {}]
    after[side] = {(pair.sides[side].name, 0): 3}
    seen = moved([pair], {"g": [{}, {}]}, {"g": after}, [judged(outcome)])
    assert [one.number for one in seen] == [1] * found


class Described:
    """A cluster with one topic."""

    def __init__(self, cluster_id: str) -> None:
        self._cluster_id = cluster_id

    def describe_topic(self, _: str) -> TopicView:
        return TopicView({0: 1}, {1: "a:9092"}, 1, self._cluster_id)


def test_a_topic_is_not_compared_with_itself_through_another_address() -> None:
    config = ProofConfig("p", Address("a:9092"), Address("b:9092"), {"orders": "orders"}, cast("Any", None))
    clusters = [
        Cluster(cast("Any", None), side, cast("Any", Described("c1"))) for side in (config.source, config.target)
    ]
    with pytest.raises(UsageError, match=r"orders would be compared with itself.*\(c1\)"):
        topics.found(config, clusters)


@pytest.mark.parametrize(
    ("source", "ids", "problems"),
    [
        ("old:9092,old:9093", {"old:9092": "x", "old:9093": "x"}, 0),
        ("old:9092,new:9092", {"old:9092": "x", "new:9092": "y"}, 1),
        ("old:9092, old:9093 ,new:9092", {"old:9092": "x", "old:9093": "", "new:9092": "y"}, 1),
        ("old:9092,new:9092", {"old:9092": "x", "new:9092": ""}, 0),
        ("old:9092", {}, 0),
    ],
)
def test_bootstrap_servers_of_several_clusters_are_refused(
    source: str, ids: dict[str, str], problems: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "_cluster_id", lambda server, _: ids[server])
    config = ProofConfig("p", Address(source), Address("new:9092"), {"orders": "orders"}, cast("Any", None))
    said = topics.mixed(config)
    assert len(said) == problems
    assert all("source.bootstrap_servers" in one and "new:9092 (y)" in one for one in said)
    if problems:
        with pytest.raises(UsageError, match="several clusters"):
            topics.found(config, [])
