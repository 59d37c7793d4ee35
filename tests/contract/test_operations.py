"""The operations that molecule `day_two` goes through name what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DAY_TWO = ROOT / "molecule/day_two"
OPERATIONS: list[dict[str, Any]] = yaml.safe_load((DAY_TWO / "vars/operations.yml").read_text())["operations"]
TASKS = "\n".join(path.read_text() for top in ("roles", "playbooks") for path in sorted((ROOT / top).rglob("*.yml")))
TASK_NAMES = {line.strip().removeprefix("- name: ") for line in TASKS.splitlines()}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: str(one["name"]))
def test_an_operation_names_what_there_is(operation: dict[str, Any]) -> None:
    assert (ROOT / f"playbooks/{operation['playbook']}.yml").is_file()
    assert not operation.get("beside") or (DAY_TWO / operation["beside"]).is_dir()
    assert operation.get("kill", {}).get("task", next(iter(TASK_NAMES))) in TASK_NAMES


def test_operations_are_told_apart_by_their_names() -> None:
    assert len({operation["name"] for operation in OPERATIONS}) == len(OPERATIONS)


def test_long_sweep_leaves_nothing_out_that_others_stand_on() -> None:
    left_out = [one for one in OPERATIONS if one.get("sweep") == "all"]
    assert 0 < len(left_out) < len(OPERATIONS)
    assert not [one["name"] for one in left_out if {"settings", "beside", "adopt", "brokers", "voters"} & set(one)]
