"""A module's failure becomes data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.contract.test_modules import loaded

ACTIONS = Path(__file__).resolve().parents[3] / "plugins/action"
AS_DATA = loaded("action_kafka_attempt", ACTIONS / "kafka_attempt.py").as_data


@pytest.mark.parametrize(
    ("result", "data"),
    [
        ({"changed": False, "controllers": []}, {"changed": False, "controllers": []}),
        (
            {"failed": True, "changed": False, "msg": "no library", "exception": "(traceback unavailable)"},
            {"failed": False, "changed": False, "error": "no library"},
        ),
        (
            {"failed": True, "rc": 127, "module_stderr": "python3: not found\n", "module_stdout": "", "msg": "no JSON"},
            {"failed": False, "changed": False, "rc": 127, "error": "python3: not found\nno JSON"},
        ),
        ({"unreachable": True, "msg": "sudo asks"}, {"unreachable": True, "msg": "sudo asks"}),
    ],
)
def test_a_failed_module_leaves_its_words_as_an_error(result: dict[str, Any], data: dict[str, Any]) -> None:
    assert AS_DATA(result) == data
