"""Settings by which a topic means here what it means on the source, from values alone."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.operations.mirror import observe, plan, progress, side, topic_settings
from ansible.module_utils.kraft.operations.mirror.model import Source, Target, Topic
from ansible.module_utils.kraft.operations.mirror.observe import Seen
from ansible.module_utils.kraft.operations.mirror.topic_settings import BOUNDS, LIFTED, OLD_BOUND, UNLIMITED
from ansible.module_utils.kraft.spec.desired.mirror import Wanted

BEFORE, AFTER = BOUNDS
DEFAULTS: dict[str, str | None] = {
    "retention.ms": "604800000",
    "retention.bytes": "-1",
    "cleanup.policy": "delete",
    "max.message.bytes": "1048588",
    "compression.type": "producer",
    "delete.retention.ms": None,
    "segment.bytes": "1073741824",
    "min.insync.replicas": "2",
    BEFORE: UNLIMITED,
    AFTER: "3600000",
}
TARGET = Target("two", {}, defaults=DEFAULTS)
LIKE_HERE = {"retention.ms": "604800000", "cleanup.policy": "delete", "max.message.bytes": "1048588"}


def of_source(own: dict[str, str] | None = None, older: int | None = 0, **given: str) -> Source:
    """One topic; `given` by its brokers, with _ in place of dots."""
    own = own or {}
    by_brokers = {name.replace("_", "."): value for name, value in given.items()}
    topic = Topic({0: (0, 10), 1: (0, 5)}, own, 1000, {**LIKE_HERE, **by_brokers, **own}, older)
    return Source("one", {"orders": topic})


def found(source: Source, target: Target = TARGET) -> dict[str, str]:
    return topic_settings.wanted(source, target).get("orders", {})


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ({}, {}),
        ({"retention_ms": "-1"}, {"retention.ms": "-1"}),
        ({"retention_ms": "1000"}, {"retention.ms": "1000"}),
        ({"cleanup_policy": "compact,delete"}, {"cleanup.policy": "compact,delete"}),
        ({"max_message_bytes": "4194304"}, {"max.message.bytes": "4194304"}),
        ({"max_message_bytes": "1000012"}, {}),  # larger records may come
        ({"compression_type": "zstd"}, {"compression.type": "zstd"}),
        ({"segment_bytes": "1"}, {}),  # of brokers: it changes no meaning
        ({"min_insync_replicas": "1"}, {}),
        ({"unknown_setting": "1"}, {}),
    ],
)
def test_what_brokers_of_the_source_give_a_topic_is_set_where_it_differs(
    given: dict[str, str], needed: dict[str, str]
) -> None:
    assert found(of_source(None, 0, **given)) == {**needed, AFTER: LIFTED}


def test_a_topics_own_settings_are_set_but_for_what_is_a_clusters_own_affair() -> None:
    own = {"segment.bytes": "1", "min.insync.replicas": "1", "max.message.bytes": "9", "gone.setting": "1"}
    assert found(of_source(own)) == {"segment.bytes": "1", "max.message.bytes": "9", AFTER: LIFTED}


def test_nothing_is_set_twice() -> None:
    source = of_source(retention_ms="-1")
    here = {**LIKE_HERE, **found(source)}
    target = dataclasses.replace(TARGET, topics={"orders": Topic({0: (0, 0), 1: (0, 0)}, {}, 0, here)})
    assert topic_settings.topics(source, target, 3) == []
    assert topic_settings.status(source, target) == []


def test_a_new_topic_is_created_with_them_and_one_that_is_here_keeps_its_size() -> None:
    config = {"retention.ms": "-1", AFTER: LIFTED}
    source, here = of_source(retention_ms="-1"), Topic({0: (0, 0)}, {}, 0, LIKE_HERE)
    made = {"name": "orders", "config": config, "partitions": 2, "replication_factor": 3}
    assert topic_settings.topics(source, TARGET, 3) == [made]
    there = dataclasses.replace(TARGET, topics={"orders": here})
    assert topic_settings.topics(source, there, 3) == [{"name": "orders", "config": config}]
    (line,) = [
        one for one in progress.screen(Seen(source, there, {}, {})) if one.startswith("Different from the source")
    ]
    assert "retention.ms of orders" in line


def test_a_topic_that_needs_nothing_is_created_too() -> None:
    target = dataclasses.replace(TARGET, defaults={**DEFAULTS, AFTER: UNLIMITED})
    made = {"name": "orders", "config": {}, "partitions": 2, "replication_factor": 1}
    assert topic_settings.topics(of_source(), target, 1) == [made]


@pytest.mark.parametrize(
    ("own", "given", "back"),
    [
        ({}, {}, None),
        ({}, {AFTER: UNLIMITED}, None),  # Kafka 3.6 to 3.9 bounds nothing by default
        ({AFTER: UNLIMITED}, {}, UNLIMITED),
        ({AFTER: "5000"}, {}, "5000"),
        ({}, {AFTER: "5000"}, "5000"),
        ({OLD_BOUND: "7000"}, {}, "7000"),
        ({}, {OLD_BOUND: UNLIMITED}, None),
        ({}, {AFTER: "3600000"}, None),
    ],
)
def test_a_bound_on_timestamps_is_lifted_for_the_copy_and_put_back(
    own: dict[str, str], given: dict[str, str], back: str | None
) -> None:
    source = Source("one", {"orders": Topic({0: (0, 1)}, own, 0, {**given, **own})})
    assert found(source)[AFTER] == LIFTED
    here = Topic({0: (0, 1)}, {AFTER: LIFTED}, 0, {**LIKE_HERE, AFTER: LIFTED})
    target = dataclasses.replace(TARGET, topics={"orders": here, "others": Topic({}, {AFTER: UNLIMITED})})
    assert AFTER not in found(source, target)
    assert topic_settings.put_back(source.topics, target) == [{"name": "orders", "config": {AFTER: back}}]
    assert topic_settings.put_back({}, target) == [{"name": "orders", "config": {AFTER: None}}]


@pytest.mark.parametrize(
    ("values", "default"),
    [
        ({"log.retention.ms": None, "log.retention.minutes": None, "log.retention.hours": "168"}, "604800000"),
        ({"log.retention.ms": None, "log.retention.minutes": "2", "log.retention.hours": "168"}, "120000"),
        ({"log.retention.ms": "5", "log.retention.hours": "168"}, "5"),
        ({"log.retention.hours": "-1"}, "-1"),
        ({}, None),
    ],
)
def test_what_a_new_topic_gets_follows_from_a_brokers_settings(
    values: dict[str, str | None], default: str | None
) -> None:
    assert topic_settings.defaults({"retention.ms": "log.retention.ms"}, values) == {"retention.ms": default}


@pytest.mark.parametrize(
    ("source", "limits", "said"),
    [
        (of_source(older=845, retention_ms="-1"), {"orders": 604800000}, "845 records are older than 168 h"),
        (of_source(older=None, retention_ms="-1"), {"orders": 604800000}, "at least 0 records are older than 168 h"),
        (of_source(older=None, retention_ms="-1"), {"orders": 604800000}, "the number in orders is not known"),
        (of_source(retention_ms="1000"), {}, "records would stay longer"),
        (of_source(retention_bytes="1000"), {}, "records would stay longer"),
        (of_source(delete_retention_ms="1"), {}, "delete.retention.ms=1 of orders (it is unknown here)"),
        (of_source(cleanup_policy="compact"), {}, "other records would be deleted"),
        (of_source(max_message_bytes="4194304"), {}, "larger records would be refused"),
        (of_source(), {}, "Any timestamp"),
    ],
)
def test_a_difference_is_in_the_plan_with_what_would_follow(source: Source, limits: dict[str, int], said: str) -> None:
    assert topic_settings.limits(source, TARGET) == limits
    shown = plan.screen(Wanted("old", ("a:1",)), source, TARGET, {})
    assert any(said in line and "orders" in line for line in shown)


class Sides:
    """A side that answers by topic: old records, new records alone, a format without timestamps, half an answer."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def offsets_at(self, names: list[str], _timestamp: int) -> dict[tuple[str, int], int]:
        self.asked.append(names)
        offsets = {("old", 0): -1, ("old", 1): 6, ("new", 0): 4, ("new", 1): 4, ("half", 0): -1}
        return {**offsets, ("stampless", 0): side.STAMPLESS, ("stampless", 1): side.STAMPLESS}


def test_older_records_are_counted_by_one_question_for_each_limit() -> None:
    one = Topic({0: (4, 10), 1: (4, 10)}, {}, 0, {"retention.ms": "-1"})
    empty = dataclasses.replace(one, partitions={0: (4, 4)})
    of_topics = {**dict.fromkeys(("old", "new", "stampless", "half", "silent"), one), "empty": empty}
    sides = Sides()
    seen = observe.with_older(Seen(Source("one", of_topics), TARGET, {}, {}), cast("Any", sides))
    found = {name: topic.older for name, topic in seen.source.topics.items()}
    assert found == {"old": 8, "new": 0, "stampless": 0, "half": None, "silent": None, "empty": 0}
    assert [sorted(names) for names in sides.asked] == [sorted(of_topics)]


def test_all_topics_with_different_settings_can_be_named() -> None:
    source = Source("one", {f"t{number}": of_source(retention_ms="-1").topics["orders"] for number in range(9)})
    there = dataclasses.replace(
        TARGET,
        topics=dict.fromkeys(source.topics, Topic({}, {}, 0, LIKE_HERE)),
    )
    assert "and 3 more" in topic_settings.status(source, there)[0]
    assert "t5, t6, t7, t8." in topic_settings.status(source, there, 0)[0]


def test_what_is_above_a_size_is_said_in_bytes() -> None:
    target = dataclasses.replace(TARGET, defaults={**DEFAULTS, "retention.bytes": "100"})
    lines = "".join(topic_settings.lines(of_source({"retention.bytes": "-1"}), target))
    assert "at least 0.0 MB would be deleted" in lines  # 1,000 bytes in two partitions
