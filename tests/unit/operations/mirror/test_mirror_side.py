"""Answers of a broker that are no answer: denied, refused, or for topics without timestamps."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.errors import ToolError, UnreachableError
from ansible.module_utils.kraft.operations.mirror import observe
from ansible.module_utils.kraft.operations.mirror.side import STAMPLESS, WITHOUT_TIMESTAMPS, Side

UNKNOWN_TOPIC, DENIED, OFFLINE = 3, 29, 56


class Broker:
    """The client of a cluster of one broker, which gives every question the same answer."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def request(self, *_: Any, **fields: Any) -> Any:
        return fields

    struct = request

    def send(self, *_: Any) -> dict[str, Any]:
        return self.answer

    def send_all(self, questions: list[Any], _seconds: float) -> list[dict[str, Any]]:
        return [self.answer for _ in questions]

    def error(self, what: str, code: int, _detail: str | None) -> ApiError | None:
        return ApiError(what, f"error {code}", "", False) if code else None


def side(answer: dict[str, Any]) -> Side:
    made: Any = object.__new__(Side)
    made.client, made.address, made.brokers = Broker(answer), "a:1", {1: "a:1"}
    made.topics = {"orders": {"partitions": [{"partition_index": at, "leader_id": 1} for at in (0, 1)]}}
    return made  # type: ignore[no-any-return]


def described(code: int) -> dict[str, Any]:
    return {"results": [{"resource_name": "orders", "error_code": code, "configs": []}]}


def test_settings_that_are_denied_are_a_right_that_is_lacking() -> None:
    assert side(described(DENIED)).configs(["orders"])[1] == ["DESCRIBE_CONFIGS of topic orders"]


def test_settings_that_do_not_come_are_an_error_and_not_none_at_all() -> None:
    with pytest.raises(ApiError, match="settings of topic orders"):
        side(described(UNKNOWN_TOPIC)).configs(["orders"])


def test_settings_here_that_are_denied_are_not_taken_for_defaults() -> None:
    with pytest.raises(ToolError, match="this cluster lacks the right DESCRIBE_CONFIGS of topic orders"):
        observe.of_target(side(described(DENIED)), observe.NOTHING)


def test_a_partition_without_timestamps_has_no_offset_at_a_time() -> None:
    listed = [
        {"partition_index": 0, "error_code": 0, "offset": 7},
        {"partition_index": 1, "error_code": WITHOUT_TIMESTAMPS, "offset": -1},
    ]
    found = side({"topics": [{"name": "orders", "partitions": listed}]})
    assert found.offsets_at(["orders"], 5) == {("orders", 0): 7, ("orders", 1): STAMPLESS}
    with pytest.raises(ApiError, match="orders-1"):
        found.ends(["orders"])


def test_a_topic_has_no_size_while_the_leader_of_a_partition_does_not_report_it() -> None:
    replicas = [{"partition_index": at, "partition_size": 10} for at in (0, 1)]
    topic = {"name": "orders", "partitions": replicas}
    dirs = [{"error_code": 0, "topics": [topic]}, {"error_code": OFFLINE, "topics": []}]
    assert side({"results": dirs}).sizes(["orders"]) == ({"orders": 20}, [])
    del replicas[1]
    with pytest.raises(UnreachableError, match="orders-1"):
        side({"results": dirs}).sizes(["orders"])
