"""Filters of rolls and maintenance: names for pure functions of ``operations/roll``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.roll import due_nodes, outcome


class FilterModule:
    """Filters for rolling restarts."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_due": due_nodes.due,
            "kraft_maintenance_failure": outcome.maintenance_failure,
            "kraft_undo": outcome.undo,
        }
