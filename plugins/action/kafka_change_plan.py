"""The control side of `kafka_change_plan`: prints live changes, and takes only given nodes from a host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.roll.due_nodes import ordered
from ansible.module_utils.kraft.wording import printable

DISPLAY = Display()
FACTS = {"live": "kafka_live", "restart": "kafka_roll"}
#: Plans without nodes.
NOTHING: dict[str, dict[str, Any]] = {
    "live": {"changed": False, "entities": [], "overrides": [], "settled": {}, "plan": []},
    "restart": {"changed": False, "batches": [], "answers": False},
}


class ActionModule(ActionBase):
    """The module plans on a host; who is restarted, and with what, is what the task has given.

    The plan becomes a fact. Without nodes it is empty, and the cluster is not queried.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        given = self._task.args
        fact = FACTS[given["kind"]]
        if not given["nodes"]:
            return remembered(NOTHING[given["kind"]], fact)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        if given["kind"] == "live":
            if result.get("plan") and given.get("show", True) in (True, "true"):
                DISPLAY.display("\n".join(map(printable, result["plan"])))
            return remembered(result, fact)
        if result.get("failed") or "batches" not in result:
            return result
        try:
            batches = ordered(result["batches"], given["nodes"], int(given.get("together") or 1))
        except RefusedError as error:
            raise AnsibleAction(str(error)) from error
        return remembered({**result, "batches": batches}, fact)
