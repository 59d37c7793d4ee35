"""The file of generated passwords on the control machine, encrypted by the vault whose secrets the run has.

The file is a mapping, user -> password, that ``ansible-vault view``, ``edit`` and ``rekey`` work on.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

import yaml
from ansible import constants
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.parsing.vault import VaultLib, is_encrypted, match_encrypt_secret


@dataclasses.dataclass(frozen=True)
class Kept:
    """The file, and the vault that opens it (``DataLoader._vault``)."""

    path: Path
    vault: VaultLib

    def read(self) -> dict[str, str]:
        """Return user -> password; empty without a file. Raises RefusedError if it cannot be used."""
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
        """Write in one step, readable only by the user of this run."""
        try:
            identity, secret = match_encrypt_secret(self.vault.secrets, constants.DEFAULT_VAULT_ENCRYPT_IDENTITY)
            content = self.vault.encrypt(yaml.safe_dump(dict(passwords)), secret, identity)
        except AnsibleError as error:
            raise RefusedError([f"{self.path} cannot be encrypted: {error}"]) from error
        self.path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        file_io.write_file(str(self.path), content, os.geteuid(), os.getegid(), 0o600)
