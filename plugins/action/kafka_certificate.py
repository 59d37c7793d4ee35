"""Signs a node's certificate on the control machine, where its key stays on the host; or brings what is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority, given_certificates
from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.certificates.load import LOAD_SPEC
from ansible.module_utils.kraft.operations.certificates.renewal import TRUST, UNLOADED
from ansible.module_utils.kraft.operations.certificates.requirements import judge, node_of

ARGUMENT_SPEC = {
    "state": {"type": "str", "choices": ["present", "loaded"], "default": "present"},
    "directory": {"type": "path", "required": True},
    "group": {"type": "str", "default": "kafka"},
    "node": {"type": "dict"},
    "authority": {"type": "path"},
    "given": {"type": "bool", "default": False},
    "host_key": {"type": "str", "default": ""},
    "passphrase": {"type": "str", "default": "", "no_log": True},
    "days": {"type": "int", "default": 397},
    "renew_before_days": {"type": "int", "default": 60},
    "renew_all": {"type": "bool", "default": False},
    **LOAD_SPEC,
}
NEEDS = [("present", ["node", "authority"]), ("loaded", ["client", "node_id", "listeners", "controllers"])]


class ActionModule(ActionBase):
    """Inspects, plans and, outside check mode, signs the host's request; or has the running node load its files."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        needs = [("state", *each) for each in NEEDS]
        _, self._given = self.validate_argument_spec(ARGUMENT_SPEC, required_if=needs)
        if self._given["state"] == "loaded":
            return remembered(self._execute_module(task_vars=task_vars), "kafka_certificate_loaded")
        self._given["authority"] = self._loader.path_dwim(self._given["authority"])
        self._task_vars = task_vars
        found = self._files()
        if found.get("failed"):
            return found
        try:
            return self._ensured(found)
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error

    def _ensured(self, found: dict[str, Any]) -> dict[str, Any]:
        node, place, given = node_of(self._given["node"]), self._place, self._given["given"]
        if not self._task.check_mode and not given:
            authority.ensure(place, node.cluster)
        verdict = judge(self._given, found)
        if not verdict.reasons or verdict.reasons == [UNLOADED] or self._task.check_mode:
            return {"changed": bool(verdict.reasons), "reasons": verdict.reasons}
        pair = {}
        if verdict.reasons != [TRUST] and given:
            pair = given_certificates.material(self._brought(node.host))
        elif verdict.reasons != [TRUST]:
            answer = self._files(state="requested")
            if answer.get("failed"):
                return answer
            pair = {"certificate": authority.issue(place, answer["request"], node, self._given["days"])}
        trust = (given_certificates.trust if given else authority.certificates)(place.directory)
        answer = self._files(state="installed", **pair, trust=trust, live=verdict.live)
        return answer if answer.get("failed") else {"changed": True, "reasons": verdict.reasons}

    @property
    def _place(self) -> authority.Place:
        return authority.Place(Path(self._given["authority"]), self._given["passphrase"])

    def _brought(self, host: str) -> given_certificates.Source:
        opens = (self._place.passphrase, self._loader)
        return given_certificates.Source(self._place.directory, host, *opens, host_key=self._given["host_key"])

    def _files(self, **given: Any) -> dict[str, Any]:
        arguments = {"directory": self._given["directory"], "group": self._given["group"], **given}
        answer: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=self._task_vars)
        return answer
