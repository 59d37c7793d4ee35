"""Generates passwords of users, encrypted by the run's vault, or issues their certificates, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.passwords import Kept
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.certificates import users
from ansible.module_utils.kraft.operations.resources import passwords
from ansible.module_utils.kraft.spec.resources.users import is_generated

ARGUMENT_SPEC: dict[str, Any] = {
    "users": {"type": "list", "elements": "dict", "required": True},
    "passwords": {"type": "path"},
    "authority": {"type": "path"},
    "cluster": {"type": "str"},
    "passphrase": {"type": "str", "no_log": True},
    "days": {"type": "int", "default": 397},
    "renew_before_days": {"type": "int", "default": 60},
}


class ActionModule(ActionBase):
    """Opens no connection. A password is never part of the result."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        one = [("passwords", "authority")]
        _, given = self.validate_argument_spec(
            ARGUMENT_SPEC,
            mutually_exclusive=one,
            required_one_of=one,
            required_together=[("authority", "cluster", "passphrase")],
        )
        try:
            return self._generated(given) if given["passwords"] else self._issued(given)
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error

    def _generated(self, given: dict[str, Any]) -> dict[str, Any]:
        kept = Kept(Path(given["passwords"]), self._loader._vault)
        if not kept.vault.secrets and not any(map(is_generated, given["users"])):
            return {"changed": False, "steps": []}
        there = kept.read()
        plan = passwords.plan(given["users"], there)
        steps = list(plan.steps())
        if steps and not self._task.check_mode:
            passwords.carry_out(plan, kept, there)
        before, after = ("".join(f"password of {name}\n" for name in names) for names in (plan.remove, plan.generate))
        headers = dict.fromkeys(("before_header", "after_header"), given["passwords"])
        return {"changed": bool(steps), "steps": steps, "diff": {**headers, "before": before, "after": after}}

    def _issued(self, given: dict[str, Any]) -> dict[str, Any]:
        """Issue due certificates. A user who has a password has no certificate."""
        directory = Path(self._loader.path_dwim(given["authority"]))
        place = authority.Place(directory, given["passphrase"])
        due = list(users.steps(directory, given["cluster"], given["users"], given["renew_before_days"]))
        for step in due if not self._task.check_mode else ():
            users.carry_out(place, step, given["days"])
        return {"changed": bool(due), "steps": [str(each) for each in due]}
