"""The authority that an inventory names by ``kafka_tls``: its faults and its lifetime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.given_certificates import is_given


def fault(values: Mapping[str, Any]) -> str:
    """Return why the authority cannot be used; empty if it can, is not made yet, or its variable is refused anyway."""
    given = _given(values)
    if not all(isinstance(given.get(part), str) for part in ("directory", "passphrase")):
        return ""
    return authority.fault(authority.Place(Path(given["directory"]), given["passphrase"]))


def days_left(values: Mapping[str, Any]) -> int | None:
    """Return the days for which it is valid; None without one."""
    directory = _given(values).get("directory")
    return authority.days_left(Path(directory)) if isinstance(directory, str) else None


def _given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return ``kafka_tls``; empty if the operator provides certificates: that authority is elsewhere."""
    given = values.get("kafka_tls")
    return given if isinstance(given, Mapping) and not is_given(values) else {}
