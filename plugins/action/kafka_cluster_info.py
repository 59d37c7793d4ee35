"""The control side of `kafka_cluster_info`, with the levels of every release and the hosts of the inventory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.cluster.snapshot import from_dict
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.drill import faults
from ansible.module_utils.kraft.operations.features.upgrade import upgrade_refusals


class ActionModule(ActionBase):
    """Runs the module of this name.

    With ``upgrade_to``, compares the finalised features with that release. With ``fault``, chooses the hosts of
    ``kafka_desired`` that it breaks.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        version, fault = self._task.args.get("upgrade_to"), self._task.args.get("fault")
        if "snapshot" not in result:
            return result
        features = result["snapshot"].get("features")
        if version and features is None:
            why = result["snapshot"]["unanswered"].get("features", "no answer")
            return {**result, "failed": True, "msg": f"The finalised features are not known: {why}. Run this again."}
        problems = upgrade_refusals(str(version), features) if version else []
        if problems:
            return {**result, "failed": True, "msg": "\n".join(map(str, problems))}
        return {**result, "hosts": broken(fault, result["snapshot"], task_vars or {})} if fault else result


def broken(fault: str, snapshot: Mapping[str, Any], task_vars: Mapping[str, Any]) -> list[str]:
    """Return the hosts that a fault of a drill breaks."""
    nodes = task_vars["ansible_facts"]["kafka_desired"]["nodes"]
    try:
        return faults.hosts(fault, from_dict(snapshot), {host: node["node_id"] for host, node in nodes.items()})
    except KraftError as error:
        raise AnsibleAction(str(error)) from error
