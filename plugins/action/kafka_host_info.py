"""The control side's half of `kafka_host_info`: results that need more than the host."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import module_results
from ansible.module_utils.kraft.control.reaching import reached
from ansible.module_utils.kraft.operations.certificates import given, requirements
from ansible.module_utils.kraft.spec.desired.jvm import trial_options
from ansible.module_utils.kraft.spec.host_rules import network


def digest(path: Path) -> str:
    """Return the sha256 of a file of this machine; empty if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


class ActionModule(ActionBase):
    """Adds ``clock_offset``, the bounds in seconds of the host's clock minus ours: it read its clock between ours.

    Two of the requested steps depend on files of this machine: its copy of the client, and the certificate
    authorities.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        module_results.require()
        arguments = {**self._task.args, **self._questions(task_vars or {}), "steps": self._steps()}
        before = time.time()
        result.update(reached(lambda: self._execute_module(module_args=arguments, task_vars=task_vars)))
        after = time.time()
        facts = result.pop("found", None)
        if facts:
            result["ansible_facts"] = {**result.get("ansible_facts", {}), "kafka_host": facts}
            facts["clock_offset"] = [facts["time"] - after, facts["time"] - before]
            if "identity" in facts:
                facts["identity"]["owner"] = requirements.owner(facts["identity"]["certificate"])
            self._judge_certificate(facts.get("steps", {}).get("certificate"))
        return result

    def _questions(self, task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the log dirs, ports, names and addresses of a node of ``kafka_desired``; nothing without a node."""
        node = self._task.args.get("for_node")
        return network.questions(task_vars["ansible_facts"]["kafka_desired"], node) if node else {}

    def _steps(self) -> dict[str, Any]:
        """Return the steps' parameters as the host needs them: the client's digest, and options that it may try."""
        asked = dict(self._task.args.get("steps") or {})
        if "client" in asked:
            archive = Path(self._loader.path_dwim(asked["client"]["archive"]))
            asked["client"] = {"path": asked["client"]["path"], "digest": digest(archive)}
        if "jvm" in asked:
            asked["jvm"] = {**asked["jvm"], "options": trial_options(asked["jvm"]["options"])}
        return asked

    def _judge_certificate(self, found: dict[str, Any] | None) -> None:
        """Determine whether the node needs another certificate, by the authorities of this machine."""
        if found and "certificate" in found:
            asked = self._task.args["steps"]["certificate"]
            verdict, foreign = requirements.judge(asked, found), requirements.is_foreign(asked, found)
            found.update(changed=bool(verdict.reasons), reasons=verdict.reasons, live=verdict.live, foreign=foreign)
            found["due"] = bool(verdict.reasons) and not verdict.live
            found["issued_to"] = requirements.issued_to(asked, found)
            if asked.get("given"):
                found.update(owners=given.owners(asked, found), key_fault=given.key_fault(asked, found))
            if verdict.reasons:
                found["wanted"] = {name: asked[name] for name in ("directory", "node")}
