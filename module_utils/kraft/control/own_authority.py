"""The authority that an inventory names by ``kafka_tls``, as far as it can be used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.given_certificates import is_given


def fault(values: Mapping[str, Any]) -> str:
    """Why the authority cannot be used; empty where it can, is still to be made, or its variable is refused anyway."""
    given = _given(values)
    if not all(isinstance(given.get(part), str) for part in ("directory", "passphrase")):
        return ""
    return authority.fault(authority.Place(Path(given["directory"]), given["passphrase"]))


def days_left(values: Mapping[str, Any]) -> int | None:
    """For how many days it is good; None where there is none."""
    directory = _given(values).get("directory")
    return authority.days_left(Path(directory)) if isinstance(directory, str) else None


def _given(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Nothing where the operator brings certificates: that authority is elsewhere."""
    given = values.get("kafka_tls")
    return given if isinstance(given, Mapping) and not is_given(values) else {}
