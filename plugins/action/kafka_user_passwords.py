"""Generates passwords for users who have none, and keeps them on this machine, encrypted by the run's vault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.passwords import Kept
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources import passwords
from ansible.module_utils.kraft.spec.resources.users import is_generated

ARGUMENT_SPEC: dict[str, Any] = {
    "users": {"type": "list", "elements": "dict", "required": True},
    "path": {"type": "path", "required": True},
}


class ActionModule(ActionBase):
    """Opens no connection. A password is never part of the result."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        kept = Kept(Path(given["path"]), self._loader._vault)
        try:
            if not kept.vault.secrets and not any(map(is_generated, given["users"])):
                return {"changed": False, "steps": []}
            there = kept.read()
            plan = passwords.plan(given["users"], there)
            steps = list(plan.steps())
            if steps and not self._task.check_mode:
                passwords.carry_out(plan, kept, there)
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error
        before, after = ("".join(f"password of {name}\n" for name in names) for names in (plan.remove, plan.generate))
        headers = dict.fromkeys(("before_header", "after_header"), given["path"])
        return {"changed": bool(steps), "steps": steps, "diff": {**headers, "before": before, "after": after}}
