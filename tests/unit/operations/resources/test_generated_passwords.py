"""Passwords that are generated for users, and kept where Ansible's vault opens them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control.generated_passwords import Kept
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources import generated_passwords
from ansible.module_utils.kraft.operations.resources.generated_passwords import Plan
from ansible.parsing.vault import VaultLib, VaultSecret

USERS: list[dict[str, Any]] = [
    {"name": "drawn"},
    {"name": "given", "password": "given-for-this-test"},
    {"name": "shown", "authentication": "tls"},
    {"name": "gone", "state": "absent"},
]

OPENS = "of-this-test"


def vault(secret: str = OPENS) -> VaultLib:
    return VaultLib([("default", VaultSecret(secret.encode()))])


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "cluster" / "passwords.yml", vault())


def carried_out(kept: Kept, users: list[dict[str, Any]]) -> Plan:
    found = generated_passwords.plan(users, kept.read())
    generated_passwords.carry_out(found, kept, kept.read())
    return found


def test_one_is_drawn_for_who_logs_in_and_was_given_none_and_is_kept_for_the_next_run(kept: Kept) -> None:
    assert carried_out(kept, USERS) == Plan(("drawn",))
    (drawn,) = kept.read().values()
    assert re.fullmatch(r"[A-Za-z0-9]{32}", drawn)
    assert generated_passwords.plan(USERS, kept.read()) == Plan()
    assert [each.get("password") for each in generated_passwords.with_passwords(USERS, kept)] == [
        *(drawn, "given-for-this-test"),
        *(None, None),
    ]


def test_a_name_that_yaml_reads_as_a_number_is_a_name(kept: Kept) -> None:
    carried_out(kept, [{"name": 1234}])
    (user,) = generated_passwords.with_passwords([{"name": 1234}], kept)
    assert user["password"] == kept.read()["1234"]


def test_only_who_has_the_vaults_secret_reads_them(kept: Kept) -> None:
    carried_out(kept, USERS)
    assert kept.path.stat().st_mode & 0o777 == 0o600
    assert kept.path.read_text().startswith("$ANSIBLE_VAULT;1.")
    with pytest.raises(RefusedError, match="cannot be opened"):
        Kept(kept.path, vault("another")).read()


def test_those_of_users_who_go_or_get_another_one_are_forgotten_and_those_of_no_one_declared_stay(kept: Kept) -> None:
    kept.write({"gone": "a", "given": "b", "shown": "c", "undeclared": "d"})
    found = carried_out(kept, USERS)
    assert list(found.steps()) == [
        "generate a password for drawn",
        *(f"forget the password of {name}" for name in ("given", "gone", "shown")),
    ]
    assert set(kept.read()) == {"drawn", "undeclared"}


def test_another_one_is_drawn_each_time(kept: Kept) -> None:
    carried_out(kept, [{"name": f"user{number}"} for number in range(50)])
    assert len(set(kept.read().values())) == 50


@pytest.mark.parametrize(
    ("content", "secrets", "said"),
    [
        ("drawn: readable", vault(), "is not encrypted"),
        (None, VaultLib(), "has no vault secret"),
        ("$ANSIBLE_VAULT;1.1;AES256\n6162\n", vault(), "cannot be opened"),
        ({"drawn": 1}, vault(), "is no mapping"),
    ],
)
def test_what_cannot_be_kept_is_refused_where_someone_needs_one(
    tmp_path: Path, content: Any, secrets: VaultLib, said: str
) -> None:
    path = tmp_path / "passwords.yml"
    if isinstance(content, str):
        path.write_text(content)
    elif content:
        Kept(path, vault()).write(content)
    values = {"kafka_users": USERS, "kafka_passwords_file": str(path)}
    assert said in generated_passwords.fault(values, secrets)
    assert "readable" not in generated_passwords.fault(values, secrets)
    assert generated_passwords.fault({**values, "kafka_users": USERS[1:]}, secrets) == ""
    assert generated_passwords.with_passwords(USERS[1:], Kept(path, secrets)) == USERS[1:]


def test_nothing_is_refused_while_there_is_no_file_yet(kept: Kept) -> None:
    assert generated_passwords.fault({"kafka_users": USERS, "kafka_passwords_file": str(kept.path)}, kept.vault) == ""
