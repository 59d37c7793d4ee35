"""The end of read-only modules: with their result, or with the message of the error."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import OtherClusterError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.testing import patch_module_args


def finished(capsys: pytest.CaptureFixture[str], found: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    with patch_module_args({}), pytest.raises(SystemExit):
        KraftModule(argument_spec={}, without_lock=True).finish(found)
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.parametrize(("found", "changed"), [({"plan": [1]}, False), ({"plan": [1], "changed": True}, True)])
def test_what_was_found_is_the_result(capsys: pytest.CaptureFixture[str], found: dict[str, Any], changed: bool) -> None:
    result = finished(capsys, lambda: found)
    assert (result["plan"], result["changed"], result.get("failed")) == ([1], changed, None)


@pytest.mark.parametrize("error", [UnreachableError("nothing listens"), OtherClusterError("k1:9092", "b", "a")])
def test_an_error_of_ours_is_a_failure_with_its_words(capsys: pytest.CaptureFixture[str], error: Exception) -> None:
    def fails() -> Mapping[str, Any]:
        raise error

    result = finished(capsys, fails)
    assert result["failed"]
    assert result["msg"] == str(error)
