"""The operations that molecule's scenarios go through name what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from operations import Nodes, Operation
from sweeps import taken

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(ROOT.glob("molecule/*/vars/operations.yml"))
SCENARIOS = {path.parents[1]: yaml.safe_load(path.read_text()) for path in FILES}
OPERATIONS = [(scenario, operation) for scenario, content in SCENARIOS.items() for operation in content["operations"]]
TASKS = "\n".join(path.read_text() for top in ("roles", "playbooks") for path in sorted((ROOT / top).rglob("*.yml")))
TASK_NAMES = {line.strip().removeprefix("- name: ") for line in TASKS.splitlines()}
#: Operations on a running cluster that must come through a run that is killed anywhere.
KILLED = {
    "upgrade_cluster",
    "add_nodes",
    "remove_nodes",
    "replace_node",
    "rebalance",
    "migrate_quorum",
    "balance_disks",
    "move_cluster",
    "deploy_cluster",
    "drill",
    "maintain_hosts",
    "migrate_security",
    "mirror_cluster",
    "mirror_cutover",
}


@pytest.mark.parametrize(("scenario", "entry"), OPERATIONS, ids=[str(one["name"]) for _, one in OPERATIONS])
def test_an_operation_names_what_there_is(scenario: Path, entry: dict[str, Any]) -> None:
    operation = Operation(**{name: value for name, value in entry.items() if name != "sweep"})
    assert (ROOT / f"playbooks/{operation.playbook}.yml").is_file()
    assert not operation.idle or (ROOT / f"playbooks/{operation.idle}.yml").is_file()
    assert not operation.beside or (scenario / operation.beside).is_dir()
    assert operation.kill.get("task", next(iter(TASK_NAMES))) in TASK_NAMES
    assert bool(operation.kills) == bool(operation.lasts)


@pytest.mark.parametrize("content", SCENARIOS.values(), ids=[path.name for path in SCENARIOS])
def test_operations_are_told_apart_by_their_names(content: dict[str, Any]) -> None:
    assert Nodes(**content["cluster"]).hosts
    assert len({operation["name"] for operation in content["operations"]}) == len(content["operations"])


@pytest.mark.parametrize("content", SCENARIOS.values(), ids=[path.name for path in SCENARIOS])
def test_long_sweep_leaves_nothing_out_that_others_stand_on(content: dict[str, Any]) -> None:
    kept = [at for at, one in enumerate(content["operations"]) if one.get("sweep") != "all"]
    left_out = [one for one in content["operations"][: max(kept)] if one.get("sweep") == "all"]
    assert not [one["name"] for one in left_out if {"settings", "beside", "adopt", "brokers", "voters"} & set(one)]


def test_each_operation_is_killed_at_three_random_moments() -> None:
    swept = {one["playbook"] for one in taken((one for _, one in OPERATIONS), "all") if one.get("kills", 0) >= 3}
    assert swept >= KILLED


def test_a_playbooks_own_probe_is_run_through_a_kill_a_refusal_and_a_lost_disk() -> None:
    probed = [one for _, one in OPERATIONS if one.get("probed", True)]
    assert any("kill" in one for one in probed)
    assert any("told" in one for one in probed)
    assert any(one["playbook"] == "replace_node" for one in probed)
