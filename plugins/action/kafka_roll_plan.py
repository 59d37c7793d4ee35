"""The control side of `kafka_roll_plan`: a host orders the nodes that it was given, and names no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.roll.nodes import ordered

FACT = "kafka_roll"


class ActionModule(ActionBase):
    """The module plans on a host; who is restarted, and with what, is what the task has given.

    The plan becomes a fact. Without nodes it is empty, and the cluster is not queried.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        if not self._task.args["nodes"]:
            return remembered({"changed": False, "batches": [], "answers": False}, FACT)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        if result.get("failed") or "batches" not in result:
            return result
        try:
            batches = ordered(result["batches"], self._task.args["nodes"], int(self._task.args.get("together") or 1))
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error
        return remembered({**result, "batches": batches}, FACT)
