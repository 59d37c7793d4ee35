"""Messages of ``rebalance.yml`` about cancelled moves."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

TASKS = yaml.safe_load((Path(__file__).parents[4] / "roles/kafka/tasks/rebalance.yml").read_text())
[MESSAGE] = [task["ansible.builtin.debug"]["msg"] for task in TASKS if "ansible.builtin.debug" in task]


@pytest.mark.parametrize(
    ("under_way", "changed", "said"),
    [(4, True, "The moves were cancelled."), (0, True, "limit"), (0, False, "Nothing was on the move.")],
)
def test_only_moves_that_were_there_are_said_to_be_cancelled(under_way: int, changed: bool, said: str) -> None:
    found = {"under_way": under_way, "changed": changed}
    text = Environment(autoescape=True).from_string(MESSAGE).render(__kafka_rebalanced=found)
    assert said in text
    assert ("were cancelled" in text) == (under_way > 0)
