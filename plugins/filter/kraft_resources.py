"""Filters for topics, users, ACLs and quotas as data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.resources import foretold
from ansible.module_utils.kraft.spec.desired import client_files
from ansible.module_utils.kraft.spec.resources import users


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_acls": users.acls,
            "kraft_foretold_resources": foretold.steps,
            "kraft_kinds": users.kinds,
            "kraft_quotas": users.quotas,
            "kraft_user_files": client_files.user_files,
        }
