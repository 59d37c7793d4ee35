"""Runs the module of this name on the host and prints the plan that it returns, whatever the verbosity."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

DISPLAY = Display()


class ActionModule(ActionBase):
    """The module plans; a person reads here what is about to happen."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        if result.get("plan") and self._task.args.get("show", True) in (True, "true"):
            DISPLAY.display("\n".join(result["plan"]))
        return result
