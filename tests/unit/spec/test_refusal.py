"""A refused run as Ansible shows it."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.refusal import refusal

FOUND = [
    Problem(
        "port", "The port must be from 1 to 65535", "give a port in that range", "kafka_listeners[CLIENT].port", "k1", 0
    )
]
HEADING = "Host check failed: 1 error. No host was changed."


@pytest.mark.parametrize(("table", "remedy"), [(True, ""), (True, "Write a fresh plan."), (False, "")])
def test_the_heading_is_the_error_and_all_else_is_in_the_result(table: bool, remedy: str) -> None:
    failure = refusal("Host check failed", FOUND, 3, remedy, table)
    assert str(failure) == HEADING
    heading, *rest = failure.result["msg"].split("\n\n")
    assert (heading, failure.result["failed"]) == (HEADING, True)
    assert [("kafka_listeners[CLIENT].port" in each) for each in rest] == [True] * table + [False] * bool(remedy)
    assert rest[-1:] == ([remedy] if remedy else rest[-1:])
