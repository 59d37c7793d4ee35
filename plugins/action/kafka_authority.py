"""Takes the next step in replacing an authority of the cluster's own, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.certificate import ROOTS
from ansible.module_utils.kraft.operations.certificates import change, replacement

ARGUMENT_SPEC: dict[str, Any] = {
    "root": {"type": "str", "choices": list(ROOTS), "required": True},
    "cluster": {"type": "str", "required": True},
    "authority": {"type": "path", "required": True},
    "passphrase": {"type": "str", "required": True, "no_log": True},
    "nodes": {"type": "dict", "required": True},
    "users": {"type": "list", "elements": "dict", "default": []},
    "clients_ready": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Opens no connection: what each node has was observed before."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        directory = Path(self._loader.path_dwim(given["authority"]))
        place, root = authority.Place(directory, given["passphrase"]), given["root"]
        phase = change.phase(directory, root)
        try:
            decision = replacement.decision(directory, given, phase)
            if decision.step and not self._task.check_mode:
                change.take(place, root, decision.step, given["cluster"])
        except KraftError as error:
            raise AnsibleAction(str(error)) from error
        facts = replacement.facts(root, phase, decision, predicted=self._task.check_mode)
        said = replacement.sentences(root, facts)
        return {"changed": bool(decision.step), "ansible_facts": {"kafka_authority": facts}, "msg": said}
