"""Users as ``kafka_users`` has them, with the passwords that were generated for them and are kept on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.generated_passwords import Kept
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.resources import generated_passwords


class LookupModule(LookupBase):
    """Terms: the users, and the file with passwords. It is opened only if a password is generated."""

    def run(self, terms: list[Any], *_: Any, **__: Any) -> list[Any]:
        users, path = terms
        try:
            return generated_passwords.with_passwords(users, Kept(Path(path), self._loader._vault))
        except KraftError as error:
            raise AnsibleLookupError(f"kafka_users: {error}") from error
