"""Plugins and pure code get what they need as parameters. They never read a variable that a task has registered."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: It still reads the registers of the two steps before it, to find hosts that did not answer.
READS_REGISTERS = {"plugins/action/kafka_preflight.py"}
SOURCES = [path for top in ("plugins", "module_utils") for path in sorted((ROOT / top).rglob("*.py"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_plugin_names_an_internal_variable(path: Path) -> None:
    named = "__kafka_" in path.read_text()
    assert named == (str(path.relative_to(ROOT)) in READS_REGISTERS)
