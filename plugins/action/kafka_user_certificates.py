"""Issues certificates to users by the cluster's own authority, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.certificates import users

ARGUMENT_SPEC: dict[str, Any] = {
    "users": {"type": "list", "elements": "dict", "required": True},
    "cluster": {"type": "str", "required": True},
    "authority": {"type": "path", "required": True},
    "passphrase": {"type": "str", "required": True, "no_log": True},
    "days": {"type": "int", "default": 397},
    "renew_before_days": {"type": "int", "default": 60},
}


class ActionModule(ActionBase):
    """Opens no connection. `users` are ``kafka_users``; who has a password has no certificate."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        directory = Path(self._loader.path_dwim(given["authority"]))
        place = authority.Place(directory, given["passphrase"])
        due = list(users.steps(directory, given["cluster"], given["users"], given["renew_before_days"]))
        try:
            for step in due if not self._task.check_mode else ():
                users.carry_out(place, step, given["days"])
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error
        return {"changed": bool(due), "steps": [str(each) for each in due]}
