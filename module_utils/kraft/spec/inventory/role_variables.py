"""Defaults and variables of the project's roles, for plays that inspect a host without these roles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.spec.desired.contributions import PREFIX

ROLES = next(each / "roles" for each in Path(__file__).resolve().parents if (each / "roles").is_dir())


def role_variables(loader: Any) -> dict[str, Any]:
    """Return every role's defaults, and its contribution to nodes by that variable (docs/contributions.md)."""
    found: dict[str, Any] = {}
    for path in sorted(ROLES.glob("*/defaults/**/*.yml")):
        found.update(loader.load_from_file(str(path), trusted_as_template=True) or {})
    for path in sorted(ROLES.glob("*/meta/contribution.yml")):
        name = PREFIX + path.parents[1].name.removeprefix("kafka_")
        found[name] = loader.load_from_file(str(path), trusted_as_template=True)["contribution"]
    return found
