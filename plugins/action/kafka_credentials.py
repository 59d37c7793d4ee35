"""Makes credentials on this machine: passwords of users, their certificates, and a new authority."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.generated_passwords import Kept
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.certificate import ROOTS
from ansible.module_utils.kraft.operations.certificates import change, replacement, users
from ansible.module_utils.kraft.operations.resources import generated_passwords
from ansible.module_utils.kraft.spec.resources.users import is_generated

ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "choices": ["passwords", "certificates", "authority"], "required": True},
    "users": {"type": "list", "elements": "dict", "default": []},
    "passwords": {"type": "path"},
    "authority": {"type": "path"},
    "cluster": {"type": "str"},
    "passphrase": {"type": "str", "no_log": True},
    "days": {"type": "int", "default": 397},
    "renew_before_days": {"type": "int", "default": 60},
    "root": {"type": "str", "choices": list(ROOTS)},
    "nodes": {"type": "dict"},
    "clients_ready": {"type": "bool", "default": False},
}
OF_AUTHORITY = ["authority", "cluster", "passphrase"]
NEEDS = [
    ("kind", "passwords", ["passwords"]),
    ("kind", "certificates", OF_AUTHORITY),
    ("kind", "authority", [*OF_AUTHORITY, "root", "nodes"]),
]

#: Kinds whose steps are a fact, for the plan of a deployment.
STEPS_OF = ("passwords", "certificates")


class ActionModule(ActionBase):
    """Opens no connection. A password is never part of the result."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC, required_if=NEEDS)
        make = {"passwords": self._generated, "certificates": self._issued, "authority": self._replaced}[given["kind"]]
        try:
            found = make(given)
        except KraftError as error:
            raise AnsibleAction(str(error)) from error
        if given["kind"] in STEPS_OF:
            found = {**found, "ansible_facts": {f"kafka_{given['kind']}_due": found["steps"]}}
        return found

    def _generated(self, given: dict[str, Any]) -> dict[str, Any]:
        kept = Kept(Path(given["passwords"]), self._loader._vault)
        if not kept.vault.secrets and not any(map(is_generated, given["users"])):
            return {"changed": False, "steps": []}
        there = kept.read()
        plan = generated_passwords.plan(given["users"], there)
        steps = list(plan.steps())
        if steps and not self._task.check_mode:
            generated_passwords.carry_out(plan, kept, there)
        before, after = ("".join(f"password of {name}\n" for name in names) for names in (plan.remove, plan.generate))
        headers = dict.fromkeys(("before_header", "after_header"), given["passwords"])
        return {"changed": bool(steps), "steps": steps, "diff": {**headers, "before": before, "after": after}}

    def _issued(self, given: dict[str, Any]) -> dict[str, Any]:
        """Issue due certificates. A user who has a password has no certificate."""
        place = self._place(given)
        due = list(users.steps(place.directory, given["cluster"], given["users"], given["renew_before_days"]))
        for step in due if not self._task.check_mode else ():
            users.carry_out(place, step, given["days"])
        return {"changed": bool(due), "steps": [str(each) for each in due]}

    def _replaced(self, given: dict[str, Any]) -> dict[str, Any]:
        """Take the next step in replacing an authority; the state of each node was observed before."""
        place, root = self._place(given), given["root"]
        phase = change.phase(place.directory, root)
        decision = replacement.decision(place.directory, given, phase)
        if decision.step and not self._task.check_mode:
            change.take(place, root, decision.step, given["cluster"])
        facts = replacement.facts(root, phase, decision, predicted=self._task.check_mode)
        said = replacement.sentences(root, facts)
        return {"changed": bool(decision.step), "ansible_facts": {"kafka_authority": facts}, "msg": said}

    def _place(self, given: dict[str, Any]) -> authority.Place:
        return authority.Place(Path(self._loader.path_dwim(given["authority"])), given["passphrase"])
