"""Generated passwords of users: one file of the control machine, encrypted by the vault whose secrets the run has.

The file is a mapping, user -> password, that ``ansible-vault view``, ``edit`` and ``rekey`` work on.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
import string
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from ansible import constants
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.spec.resources.users import generated, is_generated, passwords_kept
from ansible.parsing.vault import VaultLib, is_encrypted, match_encrypt_secret

#: Needs no quotes in a shell, JAAS, properties, JSON and URLs; 32 of them are 190 bits.
ALPHABET = string.ascii_letters + string.digits
LENGTH = 32


@dataclasses.dataclass(frozen=True)
class Kept:
    """The file, and the vault that opens it (``DataLoader._vault``)."""

    path: Path
    vault: VaultLib

    def read(self) -> dict[str, str]:
        """User -> password; nothing where there is no file. Raises RefusedError for one that cannot be used."""
        if not self.vault.secrets:
            raise RefusedError([f"this run has no vault secret to keep generated ones in {self.path}"])
        if not self.path.exists():
            return {}
        try:
            content = self.path.read_bytes()
            if not is_encrypted(content):
                raise RefusedError([f"{self.path}, where generated ones are kept, is not encrypted"])
            found = yaml.safe_load(self.vault.decrypt(content))
        except OSError as error:
            raise RefusedError([f"{self.path} cannot be read: {error.strerror}"]) from error
        except (AnsibleError, yaml.YAMLError):
            # An error of either may quote what it could not read.
            raise RefusedError([f"{self.path} cannot be opened with the vault secrets of this run"]) from None
        if not isinstance(found, dict) or not all(isinstance(each, str) and each for each in found.values()):
            raise RefusedError([f"{self.path} is no mapping of users to passwords"])
        return {str(name): password for name, password in found.items()}

    def write(self, passwords: Mapping[str, str]) -> None:
        """In one step, for the user who runs this alone."""
        try:
            identity, secret = match_encrypt_secret(self.vault.secrets, constants.DEFAULT_VAULT_ENCRYPT_IDENTITY)
            content = self.vault.encrypt(yaml.safe_dump(dict(passwords)), secret, identity)
        except AnsibleError as error:
            raise RefusedError([f"{self.path} cannot be encrypted: {error}"]) from error
        self.path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        file_io.write_file(str(self.path), content, os.geteuid(), os.getegid(), 0o600)


@dataclasses.dataclass(frozen=True)
class Plan:
    """Who gets a password, and whose goes."""

    generate: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def steps(self) -> Iterator[str]:
        yield from (f"generate a password for {name}" for name in self.generate)
        yield from (f"forget the password of {name}" for name in self.remove)


def plan(users: Sequence[Mapping[str, Any]], kept: Mapping[str, str]) -> Plan:
    """What is to be done for `users` (``kafka_users``); what is kept for somebody who is none of them stays."""
    names = generated(users)
    others = {str(user["name"]) for user in users} - set(names)
    return Plan(tuple(name for name in names if name not in kept), tuple(sorted(others & set(kept))))


def carry_out(found: Plan, kept: Kept, passwords: Mapping[str, str]) -> None:
    """Draw and keep passwords beside those that are kept already, before anybody uses them."""
    remaining = {name: each for name, each in passwords.items() if name not in found.remove}
    drawn = {name: "".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for name in found.generate}
    kept.write({**remaining, **drawn})


def with_passwords(users: Sequence[Mapping[str, Any]], kept: Kept) -> list[dict[str, Any]]:
    """`users` with their generated passwords, as far as there are any yet."""
    if not any(map(is_generated, users)):
        return [dict(user) for user in users]
    return passwords_kept(users, kept.read())


def fault(values: Mapping[str, Any], vault: VaultLib) -> str:
    """Why passwords cannot be generated and kept; empty where they can, or nobody needs one."""
    users, path = values.get("kafka_users"), values.get("kafka_passwords_file")
    given = [each for each in users if isinstance(each, Mapping)] if isinstance(users, list) else []
    if not isinstance(path, str) or not any(map(is_generated, given)):
        return ""
    try:
        Kept(Path(path), vault).read()
    except RefusedError as error:
        return str(error)
    return ""
