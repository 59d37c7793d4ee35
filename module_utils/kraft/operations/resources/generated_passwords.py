"""Plan of generated passwords: those to generate and to remove. ``control.generated_passwords`` keeps them."""

from __future__ import annotations

import dataclasses
import secrets
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control.generated_passwords import Kept
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.spec.resources.users import generated, is_generated, passwords_kept
from ansible.parsing.vault import VaultLib

#: Needs no quotes in a shell, JAAS, properties, JSON and URLs; 32 of them are 190 bits.
ALPHABET = string.ascii_letters + string.digits
LENGTH = 32


@dataclasses.dataclass(frozen=True)
class Plan:
    """Users whose passwords are generated or removed."""

    generate: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def steps(self) -> Iterator[str]:
        yield from (f"generate a password for {name}" for name in self.generate)
        yield from (f"forget the password of {name}" for name in self.remove)


def plan(users: Sequence[Mapping[str, Any]], kept: Mapping[str, str]) -> Plan:
    """Plan passwords for `users` (``kafka_users``); kept passwords of others stay."""
    names = generated(users)
    others = {str(user["name"]) for user in users} - set(names)
    return Plan(tuple(name for name in names if name not in kept), tuple(sorted(others & set(kept))))


def carry_out(found: Plan, kept: Kept, passwords: Mapping[str, str]) -> None:
    """Draw and keep passwords beside those that are kept already, before their first use."""
    remaining = {name: each for name, each in passwords.items() if name not in found.remove}
    drawn = {name: "".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for name in found.generate}
    kept.write({**remaining, **drawn})


def with_passwords(users: Sequence[Mapping[str, Any]], kept: Kept) -> list[dict[str, Any]]:
    """Return `users` with the generated passwords that exist already."""
    if not any(map(is_generated, users)):
        return [dict(user) for user in users]
    return passwords_kept(users, kept.read())


def fault(values: Mapping[str, Any], vault: VaultLib) -> str:
    """Return why passwords cannot be generated and kept; empty if they can, or no user needs one."""
    users, path = values.get("kafka_users"), values.get("kafka_passwords_file")
    given = [each for each in users if isinstance(each, Mapping)] if isinstance(users, list) else []
    if not isinstance(path, str) or not any(map(is_generated, given)):
        return ""
    try:
        Kept(Path(path), vault).read()
    except RefusedError as error:
        return str(error)
    return ""
