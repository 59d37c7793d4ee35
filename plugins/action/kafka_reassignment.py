"""Shows the plan before anything is moved, and how far it is while replicas move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.report import stalled
from ansible.module_utils.kraft.wording import counted, printable

DISPLAY = Display()
#: Seconds for which the module works at a stretch: on the host little outlives a run that is killed.
PAUSE = 15


class ActionModule(ActionBase):
    """The module is asked for its plan, then called until nothing is left; each time it plans from what is there."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments, variables = dict(self._task.args), task_vars or {}
        if arguments.get("state") == "led":
            return self._asked(arguments, variables)
        planned = self._planned(arguments, variables)
        if planned.get("plan"):
            DISPLAY.display("\n".join(["Plan of the moves", *(f"  {printable(line)}" for line in planned["plan"])]))
        if self._task.check_mode or planned.get("failed") or not planned.get("changed"):
            return planned
        return {**self._carried_out(arguments, variables), **{key: planned[key] for key in ("steps", "plan", "diff")}}

    def _planned(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the module's plan: it is run in check mode, whatever the mode of this run."""
        mode = self._task.check_mode
        self._task.check_mode = True
        try:
            return self._asked(arguments, task_vars)
        finally:
            self._task.check_mode = mode

    def _carried_out(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        timeout = float(arguments.get("timeout") or 300)
        stall_timeout = StallTimeout(timeout)
        closest: tuple[int, int] | None = None
        limited: list[int] = []
        while True:
            found = self._asked({**arguments, "pause": PAUSE, "limited": limited}, task_vars)
            limited = found.get("limited", limited)
            if found.get("failed") or found.get("finished"):
                return {**found, "changed": True}
            unit = next(key for key in found["left"] if key != "bytes")
            left = found["left"][unit], found["left"]["bytes"]
            closest = min(closest or left, left)
            DISPLAY.display(f"  {counted(left[0], unit.removesuffix('s'))} and {amount(left[1])} left to move")
            if not stall_timeout.lasts(closest):
                return {**found, "failed": True, "changed": True, "msg": stalled(timeout, found["away"])}

    def _asked(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
        return found
