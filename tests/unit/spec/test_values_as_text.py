"""Numbers and booleans that come as text, as ``-e name=value`` and templates give them, are converted."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.mirror import wanted
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from tests.unit.spec.inventories import ROOT
from tests.unit.spec.role_variables import rendered


def conditions(path: str) -> list[str]:
    """Return the conditions that tasks wait for or require, word by word."""
    found: list[str] = []
    for task in DataLoader().load_from_file(str(ROOT / path), trusted_as_template=True):
        for each in (task, *task.get("block", ()), *task.get("always", ())):
            for said in (each.get("when"), (each.get("ansible.builtin.assert") or {}).get("that")):
                found += said if isinstance(said, list) else [said] if said else []
    return found


def holds(condition: str, **variables: Any) -> bool:
    """Evaluate a task's condition with Ansible."""
    templar: Any = Templar(loader=DataLoader(), variables=variables)
    return bool(templar.evaluate_conditional(condition))


@pytest.mark.parametrize("budget", [20000, "20000"])
def test_a_partition_budget_decides_over_memory_maps(budget: Any) -> None:
    found = rendered("kafka_host", "__kafka_host_sysctl", kafka_host_partition_budget=budget, kafka_host_sysctl={})
    assert found["vm.max_map_count"] == 65530 + 20 * 20000


@pytest.mark.parametrize(("given", "expected"), [("7", 7), (0, 6), ("0", 6)])
def test_partitions_of_the_smoke_test_are_those_that_are_asked_for(given: Any, expected: int) -> None:
    found = rendered(
        "kafka_smoke", "__kafka_smoke_partition_count", kafka_smoke_partitions=given, __kafka_smoke_brokers="3"
    )
    assert int(found) == expected


@pytest.mark.parametrize(("left", "enough"), [("10", True), (10, True), ("9", False)])
def test_a_lag_that_may_be_left_is_a_number(left: Any, enough: bool) -> None:
    [asked] = [one for one in conditions("roles/kafka_mirror/tasks/caught_up.yml") if "kafka_mirror_cutover_lag" in one]
    seen = {"progress": {"lag_records": 10}}
    assert holds(asked, ansible_facts={"kafka_mirror_seen": seen}, kafka_mirror_cutover_lag=left) is enough


@pytest.mark.parametrize(("given", "removed"), [("false", True), (False, True), ("true", False)])
def test_the_topic_of_the_smoke_test_stays_where_that_is_asked_for(given: Any, removed: bool) -> None:
    [asked] = [one for one in conditions("roles/kafka_smoke/tasks/main.yml") if "kafka_smoke_keep_topic" in one]
    assert holds(asked, ansible_check_mode=False, kafka_smoke_keep_topic=given) is removed


@pytest.mark.parametrize(("given", "expected"), [("false", False), ("No", False), (False, False), ("true", True)])
def test_acls_are_copied_unless_that_is_switched_off(given: Any, expected: bool) -> None:
    assert wanted({"source": {"name": "old", "bootstrap_servers": ["a:1"]}, "acls": given}).acls is expected
