"""Filters of the disks' operation: thin names for pure functions of ``module_utils/kraft``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired import drained


class FilterModule:
    """Filters for disks."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_log_dirs_named": drained.as_parameter}
