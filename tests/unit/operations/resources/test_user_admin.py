"""Whose password is compared, and at which listener."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.operations.resources import user_admin
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin

LONG, SHORT = Credential("long", "SCRAM-SHA-512"), Credential("short", "SCRAM-SHA-256")
PASSWORDS = {LONG: "drawn-for-this-test", SHORT: "drawn-for-this-test"}


class Cluster:
    """Has both users."""

    def reach(self) -> str:
        return "k1:9092"

    def request(self, *_: Any, **__: Any) -> str:
        return "request"

    def ask(self, *_: Any) -> dict[str, Any]:
        infos = {"long": 2, "short": 1}
        results = [
            {"user": name, "error_code": 0, "credential_infos": [{"mechanism": number}]}
            for name, number in infos.items()
        ]
        return {"error_code": 0, "error_message": None, "results": results}

    def error(self, *_: Any) -> None:
        return None


class Login:
    """Lets everybody in, and keeps where."""

    at: list[tuple[str, str]]

    def __init__(self, options: dict[str, Any]) -> None:
        self.at.append((options["username"], options["listener"]))

    def __enter__(self) -> Login:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def reach(self) -> str:
        return "k1:9094"


@pytest.mark.parametrize(
    ("logins", "at"),
    [
        ({}, []),
        ({"SCRAM-SHA-512": {"listener": "A"}}, [("long", "A")]),
        ({"SCRAM-SHA-512": {"listener": "A"}, "SCRAM-SHA-256": {"listener": "B"}}, [("long", "A"), ("short", "B")]),
    ],
)
def test_a_password_is_compared_where_a_listener_takes_its_mechanism(
    monkeypatch: pytest.MonkeyPatch, logins: dict[str, Any], at: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(Login, "at", [], raising=False)
    monkeypatch.setattr(user_admin, "Client", Login)
    cluster: Any = Cluster()
    admin = UserAdmin(cluster, PASSWORDS, logins, awaited=False)
    assert admin.look({LONG: True, SHORT: True}) == {LONG: True, SHORT: True}
    assert sorted(Login.at) == at
