"""Filters for logins: users with passwords, and the validation of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired import operable, own_clients
from ansible.module_utils.kraft.spec.resources import users


def kraft_key_set_files(sets: Iterable[Mapping[str, str]], texts: Iterable[str]) -> dict[str, Any]:
    """Return files of keys as a contribution: `sets` of ``kafka_desired``, `texts` as they were read."""
    return {"files": [{"name": one["name"], "content": f"{text}\n"} for one, text in zip(sets, texts)]}


class FilterModule:
    """Filters for logins."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_client_texts": operable.as_texts,
            "kraft_credentials": users.credentials,
            "kraft_generated": users.generated,
            "kraft_key_set_files": kraft_key_set_files,
            "kraft_users_certified": users.certified,
            "kraft_with_login": own_clients.with_login,
        }
