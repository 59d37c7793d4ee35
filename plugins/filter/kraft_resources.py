"""Filters for topics, users, ACLs and quotas as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.resources import predicted
from ansible.module_utils.kraft.spec.resources import users


def kraft_declared(
    people: Iterable[Mapping[str, Any]],
    acls: Iterable[Mapping[str, Any]],
    quotas: Iterable[Mapping[str, Any]],
    client_user: str,
    topics: Iterable[Mapping[str, Any]],
    **lists: Iterable[str] | str,
) -> dict[str, list[Any]]:
    """Return ``acls`` and ``quotas`` of users and others, and users with a ``generated`` password or a certificate.

    ``generated`` and ``certified`` are names; ``steps``: predicted for a cluster that is still to be deployed.
    `client_user`: the user of our own clients. `lists`: as users write them, with commas or not.
    """
    given = list(people)
    of_all, limits = users.acls(given, acls, client_user), users.quotas(given, quotas)
    return {
        "acls": of_all,
        "quotas": limits,
        "steps": predicted.steps(topics, users.credentials(given), of_all, limits),
        "generated": users.generated(given),
        "certified": users.certified(given),
        **{name: users.kinds(each) or [] for name, each in lists.items()},
    }


class FilterModule:
    """Filters for resources."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_credentials": users.credentials,
            "kraft_declared": kraft_declared,
        }
