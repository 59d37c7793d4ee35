"""Runs the module of this name on the host and prints the plan that it returns, whatever the verbosity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.wording import printable

DISPLAY = Display()
FACT = "kafka_live"


class ActionModule(ActionBase):
    """The module plans; a person reads here what is about to happen. The plan becomes a fact, empty without nodes."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        if not self._task.args["nodes"]:
            return remembered({"changed": False, "entities": [], "settled": {}, "plan": []}, FACT)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        if result.get("plan") and self._task.args.get("show", True) in (True, "true"):
            DISPLAY.display("\n".join(map(printable, result["plan"])))
        return remembered(result, FACT)
