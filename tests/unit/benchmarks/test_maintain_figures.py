"""A maintenance is compared with plain reboots of the same round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks import maintain
from benchmarks.lab import FailedError
from benchmarks.roll import Roll

BATCH = Path(__file__).resolve().parents[3] / "roles/kafka/tasks/maintain_batch.yml"


def step(task: str, start: float, end: float) -> dict[str, Any]:
    return {"task": task, "start": start, "end": end, "phase": "other"}


def test_it_lasts_from_the_first_check_to_the_last_leaders() -> None:
    inside = [step(maintain.FIRST, 10, 12), step("Reboot the host", 12, 40), step(maintain.LAST, 40, 42)]
    steps = [step("Acquire the run lock", 1, 2), *inside, step("Release the run lock", 50, 51)]
    assert maintain.maintenance(steps) == inside


def test_a_run_without_a_maintenance_is_no_figure() -> None:
    with pytest.raises(FailedError, match="no step"):
        maintain.maintenance([step("Acquire the run lock", 1, 2)])


def test_the_steps_have_the_names_of_the_tasks() -> None:
    assert {maintain.FIRST, maintain.LAST} <= {task["name"] for task in yaml.safe_load(BATCH.read_text())}


def test_the_ratio_is_that_of_the_rounds_and_the_plain_reboots_promise_nothing() -> None:
    found = {
        maintain.PLAIN: [Roll(20.0, 0.9, 0, 100), Roll(40.0, 0.9, 0, 100)],
        maintain.MAINTENANCE: [Roll(40.0, 0.4, 0, 100), Roll(60.0, 0.4, 0, 100)],
    }
    plain, gated = maintain.rows(found)
    assert [cell for cell in plain if "kept" in cell or "missed" in cell] == []
    assert "1.75 (1.50 to 2.00)" in gated
    assert [cell for cell in gated if cell.startswith("≤")] == ["≤ 1.5: **missed**", "≤ 0.5 s: kept"]
