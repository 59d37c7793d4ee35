"""A failure is never hidden: a task that must go on without an answer gets the failure as data (`kafka_attempt`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.test_modules import documentation

ROOT = Path(__file__).resolve().parents[2]
TASK_FILES = sorted(path for top in ("playbooks", "roles") for path in (ROOT / top).rglob("*.yml"))


def tasks(content: Any) -> Iterator[dict[str, Any]]:
    """Plays and tasks of a file, with those in blocks."""
    for entry in content if isinstance(content, list) else []:
        if isinstance(entry, dict):
            yield entry
            for part in ("tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"):
                yield from tasks(entry.get(part))


EVERY = [(path, task) for path in TASK_FILES for task in tasks(yaml.safe_load(path.read_text()))]
ATTEMPTS = [task for _, task in EVERY if "kafka_attempt" in task]


def test_no_task_hides_that_it_failed() -> None:
    """With `failed_when: false` Ansible registers ``failed: false``, which readers would take for an answer."""
    hidden = [(path.name, task["name"]) for path, task in EVERY if task.get("failed_when") is False]
    assert not hidden
    assert not [(path.name, task["name"]) for path, task in EVERY if "ignore_errors" in task]


@pytest.mark.parametrize("task", ATTEMPTS, ids=lambda task: str(task["name"]))
def test_an_attempt_names_a_module_and_its_options(task: dict[str, Any]) -> None:
    attempt = task["kafka_attempt"]
    options = documentation(attempt["module"])["options"]
    assert set(attempt["options"]) <= set(options)
    assert {name for name, option in options.items() if option.get("required")} <= set(attempt["options"])
    assert "register" in task
