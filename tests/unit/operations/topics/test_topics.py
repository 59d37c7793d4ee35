from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.portions import portions
from ansible.module_utils.kraft.cluster.snapshot import Reassignment
from ansible.module_utils.kraft.operations.topics import report as topic_report
from ansible.module_utils.kraft.operations.topics.admin import records_of
from ansible.module_utils.kraft.operations.topics.plan import (
    Desired,
    Plan,
    config_value,
    desired,
    duplicates,
    plan,
    topic_refusals,
    unnamed,
)

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.unit.problems import named, values, worded
from tests.wording_files import Wording

ORDERS = topic("orders", partition(0, [1, 2]), partition(1, [2, 3]), topic_id="treD3uv0QAmoZ0zSbh97pw")
OFFSETS = topic("__consumer_offsets", partition(0, [1, 2, 3]), internal=True)
CLUSTER = cluster(ORDERS, OFFSETS)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (True, "true"),
        (1.0e9, "1000000000"),
        (False, "false"),
        (10, "10"),
        (0.5, "0.5"),
        (["compact", "delete"], "compact,delete"),
        (" 7 ", "7"),
    ],
)
def test_values_of_any_yaml_type_become_kafkas_strings(given: object, text: str) -> None:
    assert config_value(given) == text


def test_null_resets() -> None:
    assert desired({"name": "a", "config": {"retention.ms": None}}).config == {"retention.ms": None}


def test_a_topic_as_asked_for_needs_nothing() -> None:
    asked = Desired("orders", partitions=2, replication_factor=2, config={"retention.ms": "5", "flush.ms": None})
    assert not plan(asked, CLUSTER, {"retention.ms": "5"}).changes


def test_what_is_left_out_is_left_alone() -> None:
    assert not plan(Desired("orders"), CLUSTER, {"retention.ms": "5"}).changes


def test_a_topic_that_is_not_there_is_created_with_its_settings() -> None:
    made = plan(Desired("new", partitions=6, config={"retention.ms": "5", "flush.ms": None}), CLUSTER, {})
    assert made.create
    assert made.settings == {"retention.ms": "5"}


def test_absent_is_idempotent() -> None:
    assert plan(Desired("orders", present=False), CLUSTER, {}).delete
    assert not plan(Desired("nope", present=False), CLUSTER, {}).changes


@pytest.mark.parametrize(
    ("named", "refused"), [((), ["topic orders"]), (("nope",), ["topic orders"]), (("orders",), [])]
)
def test_a_topic_is_deleted_only_by_a_run_that_names_it(named: tuple[str, ...], refused: list[str]) -> None:
    gone = [plan(Desired(name, present=False), CLUSTER, {}) for name in ("orders", "nope")]
    found = unnamed(gone, named)
    assert [each.variable for each in found] == refused
    assert {each.rule for each in found} <= {"topic_delete"}
    assert all("-e kafka_delete_topics=orders" in each.remedy for each in found)


def test_partitions_go_up() -> None:
    assert plan(Desired("orders", partitions=5), CLUSTER, {}).add_to == 5


def test_settings_are_set_and_reset_only_where_they_differ() -> None:
    asked = Desired("orders", config={"retention.ms": "6", "flush.ms": None, "segment.ms": "7"})
    made = plan(asked, CLUSTER, {"retention.ms": "5", "flush.ms": "1", "segment.ms": "7"})
    assert made.settings == {"retention.ms": "6"}
    assert made.resets == ("flush.ms",)


def test_the_replication_factor_changes_by_moves() -> None:
    grown = plan(Desired("orders", replication_factor=3), CLUSTER, {})
    assert grown.moves == {0: (1, 2, 3), 1: (2, 3, 1)}
    assert grown.grows
    shrunk = plan(Desired("orders", replication_factor=1), CLUSTER, {})
    assert shrunk.moves == {0: (1,), 1: (2,)}
    assert not shrunk.grows


def test_a_move_under_way_is_awaited_and_not_started_twice() -> None:
    moving = cluster(topic("orders", partition(0, [1, 2, 3], isr=[1, 2])), moves=[Reassignment("orders", 0, (3,), ())])
    made = plan(Desired("orders", replication_factor=3), moving, {})
    assert made.awaited
    assert not made.changes


def texts(asked: Desired, snapshot: Any = CLUSTER) -> str:
    return "\n".join(str(one) for one in topic_refusals(asked, snapshot))


def test_partitions_are_never_taken_away(wording: Wording) -> None:
    (found,) = topic_refusals(Desired("orders", partitions=1), CLUSTER)
    assert {"orders", "2", "1"} <= values(str(found))
    wording(worded([found]))


def test_internal_topics_are_not_deleted_and_not_widened() -> None:
    assert "never deleted" in texts(Desired("__consumer_offsets", present=False))
    assert "separate keys from their state" in texts(Desired("__consumer_offsets", partitions=50))
    assert texts(Desired("__consumer_offsets", replication_factor=2)) == ""
    assert texts(Desired("__not_there", present=False)) == ""


def test_more_replicas_than_brokers_are_refused_with_both_numbers(wording: Wording) -> None:
    one_fenced = dataclasses.replace(CLUSTER, brokers=(broker(1), broker(2), broker(3, fenced=True)))
    (found,) = topic_refusals(Desired("new", replication_factor=3), one_fenced)
    assert named([found.message]) == [["3", "2"]]
    wording(worded([found]))
    assert plan(Desired("orders", replication_factor=9), CLUSTER, {}).moves == {}


@pytest.mark.parametrize("name", ["", "a b", "ä", ".", "..", "x" * 250])
def test_names_that_kafka_does_not_allow_are_refused(name: str) -> None:
    assert "Kafka does not allow this name" in texts(Desired(name))


@pytest.mark.parametrize(("partitions", "replicas"), [(0, None), (-1, None), (None, 0), (None, -2)])
def test_numbers_below_one_are_refused(partitions: int | None, replicas: int | None) -> None:
    assert "ask for 1 or more" in texts(Desired("new", partitions=partitions, replication_factor=replicas))


def test_a_topic_listed_twice_is_refused_once() -> None:
    assert [one.variable for one in duplicates([Desired("a"), Desired("b"), Desired("a")])] == ["topic a"]


def test_a_creation_reports_what_kafka_chooses() -> None:
    made = plan(Desired("new", config={"retention.ms": "5"}), CLUSTER, {})
    entry = topic_report.entry(made, None, {}, {"new": (4, 3)})
    assert entry["steps"] == ["create: partitions 4, replicas 3", "set retention.ms = 5"]
    assert entry["diff"]["before"] == ""
    assert entry["diff"]["after"] == "partitions: 4\nreplication_factor: 3\nconfig:\n  retention.ms: 5\n"


def test_a_change_reports_only_what_differs_and_in_the_order_of_the_steps() -> None:
    made = plan(
        Desired("orders", partitions=3, replication_factor=3, config={"a": "1", "b": None}),
        CLUSTER,
        {"b": "2", "c": "3"},
    )
    entry = topic_report.entry(made, ORDERS, {"b": "2", "c": "3"}, {})
    assert entry["steps"] == [
        "add partitions: 2 -> 3",
        "move partition 0: [1, 2] -> [1, 2, 3]",
        "move partition 1: [2, 3] -> [2, 3, 1]",
        "set a: default -> 1",
        "reset b: 2 -> default",
    ]
    assert (entry["partitions"], entry["replication_factor"], entry["config"]) == (3, 3, {"a": "1", "c": "3"})
    assert "  0: [1, 2]\n" in entry["diff"]["before"]
    assert "  0: [1, 2, 3]\n" in entry["diff"]["after"]


@pytest.mark.parametrize(
    ("now", "step"), [({"a": "2"}, "set a: 2 -> 1"), ({}, "set a: default -> 1"), ({"a": "1"}, None)]
)
def test_a_change_reports_the_value_that_it_replaces(now: dict[str, str], step: str | None) -> None:
    made = plan(Desired("orders", config={"a": "1"}), CLUSTER, now)
    assert topic_report.entry(made, ORDERS, now, {})["steps"] == ([step] if step else [])


def test_a_deletion_leaves_nothing() -> None:
    entry = topic_report.entry(plan(Desired("orders", present=False), CLUSTER, {}), ORDERS, {}, {})
    assert entry["steps"] == ["delete: topic id treD3uv0QAmoZ0zSbh97pw, partitions 2"]
    assert entry["diff"]["after"] == ""
    assert "partitions" not in entry


@pytest.mark.parametrize(
    ("weights", "found"),
    [
        ([], []),
        ([1, 2, 3], [[1, 2, 3]]),
        ([4000, 1000, 1], [[4000, 1000], [1]]),
        ([4000, 4000, 4000], [[4000], [4000], [4000]]),
        ([9000, 1], [[9000], [1]]),
    ],
)
def test_no_request_makes_more_partitions_than_kafka_takes_at_once(weights: list[int], found: list[list[int]]) -> None:
    made = portions([(Plan(Desired(str(weight))), weight) for weight in weights])
    assert [[int(one.desired.name) for one in some] for some in made] == found


def test_a_topic_of_one_partition_is_more_than_one_record() -> None:
    assert records_of(Plan(Desired("small", partitions=1), create=True, settings={"retention.ms": "1000"})) == 3


AWAY = (broker(1), broker(2), broker(3, fenced=True))


@pytest.mark.parametrize(
    ("there", "asked", "remedy"),
    [
        ((1, 2, 3), 3, None),
        ((1, 2), 3, "start the brokers that are away (3)"),
        ((), 3, "start the brokers that are away (3)"),
        ((1, 2, 3), 4, "ask for at most 2, or add brokers"),
    ],
)
def test_a_topic_that_has_its_replicas_asks_nothing_of_a_broker_that_is_away(
    there: tuple[int, ...], asked: int, remedy: str | None
) -> None:
    topics = [topic("orders", partition(0, there, isr=there[:2]))] if there else []
    snapshot = dataclasses.replace(cluster(*topics), brokers=AWAY)
    wanted = desired({"name": "orders", "replication_factor": asked})
    assert [each.remedy for each in topic_refusals(wanted, snapshot)] == ([remedy] if remedy else [])
    if remedy is None:
        assert not plan(wanted, snapshot, {}).moves
