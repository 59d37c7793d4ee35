"""Filters of the roles: thin names for pure functions of ``module_utils/kraft``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.unit import fingerprinted


def kraft_directory(path: str, owner: str, group: str, mode: str) -> dict[str, str]:
    """One entry of ``kafka_files``' ``directories``, for ``map``."""
    return {"path": path, "owner": owner, "group": group, "mode": mode}


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_directory": kraft_directory, "kraft_fingerprinted_unit": fingerprinted}
