"""kafka_cluster_info: its control side refuses a release, and chooses the hosts of a fault."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.errors import AnsibleAction

from plugins.action import kafka_cluster_info


def acted(answer: dict[str, Any], **given: Any) -> dict[str, Any]:
    task: Any = SimpleNamespace(args=given, check_mode=False, async_val=0, diff=False, environment=[], action="x")
    plugin: Any = kafka_cluster_info
    made = plugin.ActionModule(task, *[MagicMock()] * 5)
    made._execute_module = lambda **_: answer
    desired = {"nodes": {"k1": {"node_id": 1}}}
    return dict(made.run(task_vars={"ansible_facts": {"kafka_desired": desired}}))


@pytest.mark.parametrize(
    ("version", "level", "fails"), [("4.4.0", 30, False), ("4.2.1", 30, True), ("9.9.9", 30, True), (None, 30, False)]
)
def test_an_upgrade_fails_if_the_release_does_not_support_the_features(
    version: str | None, level: int, fails: bool
) -> None:
    seen = {"snapshot": {"features": [{"name": "metadata.version", "level": level}]}}
    found = acted(seen, **({"upgrade_to": version} if version else {}))
    assert bool(found.get("failed")) is fails
    assert found["snapshot"] == seen["snapshot"]
    assert not fails or version in found["msg"]


def test_an_upgrade_fails_without_a_remedy_for_features_that_are_not_known() -> None:
    found = acted({"snapshot": {"features": None, "unanswered": {"features": "k1:9092 is late"}}}, upgrade_to="4.4.0")
    assert found["failed"]
    assert found["msg"] == "The finalised features are not known: k1:9092 is late. Run this again."


def test_a_cluster_that_does_not_answer_fails_with_its_own_message() -> None:
    answer = {"failed": True, "msg": "no answer"}
    assert acted(answer, upgrade_to="4.4.0") == answer


def snapshot(**quorum: Any) -> dict[str, Any]:
    empty = {"cluster_id": "a3JhZnR3cmlnaHQtZGVtbw", "brokers": [], "topics": []}
    return {"snapshot": {**empty, "quorum": quorum or None}}


def test_a_cluster_without_an_active_controller_is_not_broken() -> None:
    with pytest.raises(AnsibleAction, match="no leader"):
        acted(snapshot(), fault="broker_killed")


def test_a_fault_of_every_node_breaks_the_hosts_of_the_inventory() -> None:
    assert acted(snapshot(), fault="all_killed")["hosts"] == ["k1"]
