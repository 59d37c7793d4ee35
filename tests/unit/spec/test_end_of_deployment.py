"""With what each node is compared at the end of a deployment."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.role_variables import rendered_in_task

HOSTS = ["k1", "k2"]
TASK = ("kafka/tasks/health.yml", "Wait until each node serves")
GIVEN: dict[str, Any] = {
    "inventory_hostname": "k2",
    "kafka_hosts": HOSTS,
    "kafka_install_dir": "/opt/kafka",
    "kafka_version": "4.4.0",
}


@pytest.mark.parametrize(
    ("deploys", "restarted", "expected"),
    [(True, HOSTS, True), (True, ["k1"], False), (False, HOSTS, False)],
)
def test_a_node_that_may_not_be_restarted_is_not_compared(deploys: bool, restarted: list[str], expected: bool) -> None:
    given: dict[str, Any] = {**GIVEN, "kafka_restart_nodes": restarted, "__kafka_deploys": deploys}
    to_run_with = {"host": "k2", "install_dir": "/opt/kafka", "release": "4.4.0", "settled": []}
    found = rendered_in_task(*TASK, "kafka_health", "deployed", omit="omitted", ansible_facts={}, **given)
    assert found == (to_run_with if expected else "omitted")


@pytest.mark.parametrize(
    ("change", "settled"),
    [
        ({"kafka_live": {"settled": {"k1": ["a"], "k2": ["num.io.threads"]}}}, ["num.io.threads"]),
        ({"kafka_live": {"settled": {"k1": ["a"]}}}, []),
        ({}, []),
    ],
)
def test_what_was_changed_live_is_settled_for_each_node(change: dict[str, Any], settled: list[str]) -> None:
    found = rendered_in_task(*TASK, "vars", "to_run_with", **GIVEN, ansible_facts=change)
    assert found == {"host": "k2", "install_dir": "/opt/kafka", "release": "4.4.0", "settled": settled}
