"""Results of modules as facts."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.control.remembered import remembered


def test_a_result_becomes_a_fact_without_what_ansible_adds() -> None:
    result = {"changed": True, "running": True, "invocation": {"a": 1}, "_ansible_no_log": False, "warnings": ["w"]}
    found = remembered({**result, "ansible_facts": {"kafka_other": 1}}, "kafka_process")
    assert found["ansible_facts"] == {"kafka_other": 1, "kafka_process": {"changed": True, "running": True}}
    assert {key: found[key] for key in result} == result


@pytest.mark.parametrize("trouble", [{"failed": True}, {"unreachable": True}])
def test_a_failure_leaves_the_fact_as_it_was(trouble: dict[str, Any]) -> None:
    assert "ansible_facts" not in remembered({"running": False, **trouble}, "kafka_process")
