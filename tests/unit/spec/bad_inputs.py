"""Every inventory that the tests of this folder declare wrong, gathered from their tables."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Parameters of `inventory.hosts` that are none of a variable's name.
PARAMETERS = ("count", "per_host", "facts")


def bad_inputs() -> list[dict[str, Any]]:
    """Arguments of `inventory.hosts`: the column ``given`` of each table in the tests of rules."""
    found = [
        each
        for path in sorted(Path(__file__).parent.glob("inventory_rules/test_rules_*.py"))
        for each in _tables(path.stem)
    ]
    return list({json.dumps(each, sort_keys=True, default=str): each for each in found}.values())


def _tables(module: str) -> Iterator[dict[str, Any]]:
    for test in vars(importlib.import_module(f"tests.unit.spec.inventory_rules.{module}")).values():
        for mark in getattr(test, "pytestmark", ()):
            names = mark.args[0] if mark.name == "parametrize" and len(mark.args) > 1 else ()
            columns = [names] if isinstance(names, str) else list(names)
            if "given" in columns:
                rows = mark.args[1]
                at = columns.index("given")
                yield from (row if len(columns) == 1 else row[at] for row in rows if _is_input(row, columns, at))


def _is_input(row: Any, columns: list[str], at: int) -> bool:
    given = row if len(columns) == 1 else row[at]
    return isinstance(given, dict) and all(key in PARAMETERS or key.startswith("kafka_") for key in given)
