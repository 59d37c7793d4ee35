"""The role of the smoke test shows no verdict of an earlier run, however early its own run fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

TASKS = Path(__file__).resolve().parents[2] / "roles/kafka_smoke/tasks"


def place(tasks: list[dict[str, Any]], word: str) -> int:
    """Return the place of the first task that bears the word, as a module or in its name."""
    return next(number for number, task in enumerate(tasks) if word in task or word in task.get("name", ""))


def test_the_last_report_goes_before_anything_that_can_fail_and_after_its_directory_was_claimed() -> None:
    tasks = yaml.safe_load((TASKS / "main.yml").read_text())
    assert place(tasks, "kafka_reports") < place(tasks, "Delete the last report") < place(tasks, "block")
    copying = yaml.safe_load((TASKS / "copy.yml").read_text())[0]["block"]
    assert place(copying, "kafka_reports") < place(copying, "Delete the last report")
    assert place(copying, "Delete the last report") < place(copying, "ansible.builtin.command")


def test_the_report_goes_with_its_page() -> None:
    for tasks in (
        yaml.safe_load((TASKS / "main.yml").read_text()),
        yaml.safe_load((TASKS / "copy.yml").read_text())[0]["block"],
    ):
        assert tasks[place(tasks, "Delete the last report")]["loop"] == ["report.json", "page.html"]
