"""Results of modules of moves for Ansible."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.reassignment import moves_module
from ansible.module_utils.kraft.operations.reassignment.moves_module import Attempt


def test_warnings_of_a_run_are_no_part_of_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """ansible-core takes them from ``warn`` alone, and shows a deprecation if they are in the result."""
    warned: list[str] = []
    module = cast(KraftModule, SimpleNamespace(params={"client": {}}, warn=warned.append))
    monkeypatch.setattr(moves_module, "Client", lambda *_, **__: nullcontext())

    def attempt() -> dict[str, Any]:
        return {"finished": True, "warnings": ["broker 2 is away"]}

    assert moves_module.moved(module, lambda _: cast(Attempt, attempt)) == {"finished": True}
    assert warned == ["broker 2 is away"]
