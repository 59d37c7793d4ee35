"""Filters for logins: users with passwords, and the validation of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired import listener_protocols, own_clients


def kraft_client_options(
    given: Any, derived: Mapping[str, str], users: Iterable[Mapping[str, Any]], name: str
) -> dict[str, str]:
    """Return the options of Spark's client: those `given` by the user or, without any, the `derived` ones with a login.

    `derived`: ``client_options`` of ``kafka_desired``; `name`: the one of `users` whose password is added.
    """
    return listener_protocols.as_texts(given) or own_clients.with_login(derived, users, name)


class FilterModule:
    """Filters for logins."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_client_options": kraft_client_options}
