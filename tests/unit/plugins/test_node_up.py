"""Steps after the start of a node: in which cases node_up.yml has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

TASKS = Path(__file__).resolve().parents[3] / "playbooks/tasks"
COLLECTOR, PROXIES = "Start the collector, or remove it", "Wait until the TLS proxies of the exporters answer"
BESIDE = {"collector": {"port": 9100}, "metrics_proxy": {"proxies": []}}


def loaded(name: str) -> Any:
    return DataLoader().load_from_file(str(TASKS / name), trusted_as_template=True)


def steps(process: dict[str, bool], node: dict[str, Any], plan: list[str]) -> list[str]:
    """Return the names of the steps after a start."""
    [up] = loaded("node_up.yml")
    variables = {
        "inventory_hostname": "a",
        "ansible_facts": {
            "kafka_plan": {"a": plan},
            "kafka_desired": {"nodes": {"a": node}},
            "kafka_process": process,
        },
        **up["vars"],
    }
    templar: Any = Templar(loader=DataLoader(), variables=variables)
    after = up["block"][-1]
    tasks = loaded(after["ansible.builtin.include_tasks"])
    if not templar.evaluate_conditional(after["when"]):
        return []
    return [one["name"] for one in tasks if templar.evaluate_conditional(one["when"])]


@pytest.mark.parametrize("reason", ["changed", "stale"])
def test_what_depends_on_the_node_follows_its_restart_also_if_a_killed_run_has_written_the_files(reason: str) -> None:
    process = {"changed": False, "stale": False, reason: True}
    assert steps(process, BESIDE, []) == [COLLECTOR, PROXIES]
    assert steps(process, {**BESIDE, "metrics_proxy": {}}, []) == [COLLECTOR]
    assert steps(process, {**BESIDE, "collector": {}}, []) == [PROXIES]
    assert steps(process, {"collector": {}, "metrics_proxy": {}}, []) == []


def test_a_node_that_did_not_change_has_only_what_the_inspection_found() -> None:
    process = {"changed": False, "stale": False}
    assert steps(process, BESIDE, []) == []
    assert steps(process, {"collector": {}, "metrics_proxy": {}}, ["collector"]) == [COLLECTOR]
