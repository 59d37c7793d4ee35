"""The filter that returns the next step of a migration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.inventory_options import inventory_options
from ansible.module_utils.kraft.spec.desired.migration_step import next_step


def kraft_migration_next(
    passed: list[str], cluster: Mapping[str, Any], way: Mapping[str, bool], check: bool
) -> list[str]:
    """Return the next step. `passed`: fact ``kafka_migration_passed``; `way`: ``close`` and ``back``."""
    return next_step(passed, cluster, inventory_options(), way, check)


class FilterModule:
    """Filters for migrations."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_migration_next": kraft_migration_next}
