"""Users whose password is compared, and the listener."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import UnreachableError
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

    def send(self, *_: Any) -> dict[str, Any]:
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


class Late(Login):
    """Answers no user at first, and later the permitted ones."""

    deaf: frozenset[str]  #: users who are never answered
    late: frozenset[str]  #: users whose first login is not answered

    def reach(self) -> str:
        user = self.at[-1][0]
        if user in self.deaf or (user in self.late and len([one for one in self.at if one[0] == user]) == 1):
            raise UnreachableError("k1:9094 accepts connections and does not answer")
        return "k1:9094"


@pytest.mark.parametrize(
    ("deaf", "late", "asked"),
    [
        ([], ["long"], {"long": 2, "short": 1}),
        (["long"], ["short"], None),
        (["long", "short"], [], None),
    ],
)
def test_a_login_without_an_answer_is_tried_again_as_long_as_others_are_answered(
    monkeypatch: pytest.MonkeyPatch, deaf: list[str], late: list[str], asked: dict[str, int] | None
) -> None:
    for name, value in {"at": [], "deaf": frozenset(deaf), "late": frozenset(late)}.items():
        monkeypatch.setattr(Late, name, value, raising=False)
    monkeypatch.setattr(user_admin, "Client", Late)
    monkeypatch.setattr(user_admin, "LOGINS_AT_ONCE", 1)
    cluster: Any = Cluster()
    login = {"listener": "A"}
    admin = UserAdmin(cluster, PASSWORDS, {"SCRAM-SHA-512": login, "SCRAM-SHA-256": login}, awaited=False)
    with nullcontext() if asked else pytest.raises(UnreachableError):
        assert admin.read_current({LONG: True, SHORT: True}) == {LONG: True, SHORT: True}
    assert not asked or Counter(user for user, _ in Late.at) == asked
    assert len(Late.at) <= 3


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
    assert admin.read_current({LONG: True, SHORT: True}) == {LONG: True, SHORT: True}
    assert sorted(Login.at) == at


@pytest.mark.parametrize(
    ("stored", "changed", "at"),
    [
        ({("long", 2): True}, [], ["short"]),
        ({("long", 2): True, ("short", 1): True}, [], []),
        ({("long", 2): False, ("short", 1): True}, [], ["long"]),
        ({("long", 1): True, ("short", 2): True}, [], ["long", "short"]),
        ({("long", 2): True, ("short", 1): True}, [LONG], ["long"]),
    ],
)
def test_who_is_not_proven_by_the_disk_or_was_changed_logs_in(
    monkeypatch: pytest.MonkeyPatch, stored: dict[tuple[str, int], bool], changed: list[Credential], at: list[str]
) -> None:
    known = {user: SimpleNamespace(is_of=lambda *_, right=right: right) for user, right in stored.items()}
    monkeypatch.setattr(Login, "at", [], raising=False)
    monkeypatch.setattr(user_admin, "Client", Login)
    monkeypatch.setattr(user_admin, "stored_users", lambda _, node: known if node == "a node's file" else {})
    cluster: Any = Cluster()
    logins = dict.fromkeys(("SCRAM-SHA-256", "SCRAM-SHA-512"), MappingProxyType({"listener": "A"}))
    admin = UserAdmin(cluster, PASSWORDS, logins, awaited=False, node="a node's file")
    admin.begin({LONG: True, SHORT: True})
    admin.put(dict.fromkeys(changed, True))
    assert admin.read_current({LONG: True, SHORT: True}) == {LONG: True, SHORT: True}
    assert sorted(user for user, _ in Login.at) == at
