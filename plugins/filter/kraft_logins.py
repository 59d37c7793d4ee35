"""Filters for logins: users with passwords, and the validation of tokens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired import operable, own_clients


class FilterModule:
    """Filters for logins."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_client_texts": operable.as_texts,
            "kraft_with_login": own_clients.with_login,
        }
