"""Results of modules as facts of their host, for tasks in other files and for later plays (ADR 74)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.action import ActionBase

#: Keys of a result that Ansible adds, or that only this task shows.
OF_THE_TASK = ("ansible_facts", "invocation", "warnings", "deprecations", "exception")


def remembered(result: Mapping[str, Any], fact: str) -> dict[str, Any]:
    """Return a module's `result` with itself as the `fact`; one that failed leaves the fact as it was."""
    if result.get("failed") or result.get("unreachable"):
        return dict(result)
    kept = {key: value for key, value in result.items() if key not in OF_THE_TASK and not key.startswith("_ansible")}
    return {**result, "ansible_facts": {**result.get("ansible_facts", {}), fact: kept}}


class RememberingAction(ActionBase):
    """Runs the module of the task with `arguments`; the argument ``fact`` makes ``FACT`` of the result."""

    _supports_check_mode = True
    FACT = ""

    def arguments(self) -> dict[str, Any]:
        """Return the module's arguments: those of the task."""
        return dict(self._task.args)

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        result: dict[str, Any] = self._execute_module(module_args=self.arguments(), task_vars=task_vars)
        return remembered(result, self.FACT) if self._task.args.get("fact") in (True, "true") else result
