"""Filters for topics, users, ACLs and quotas as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.files import text_of
from ansible.module_utils.kraft.operations.resources import foretold
from ansible.module_utils.kraft.spec.desired import client_files
from ansible.module_utils.kraft.spec.resources import users


def kraft_user_files(desired: Mapping[str, Any], people: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Return users' files: ``<user>/<file>`` -> content; None for absent ones. `desired`: ``kafka_desired``."""
    return client_files.user_files(desired, people, text_of)


class FilterModule:
    """Filters for resources."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_acls": users.acls,
            "kraft_foretold_resources": foretold.steps,
            "kraft_kinds": users.kinds,
            "kraft_quotas": users.quotas,
            "kraft_user_files": kraft_user_files,
        }
