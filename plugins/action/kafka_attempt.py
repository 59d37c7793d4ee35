"""Runs another module and returns its failure as data, so that one host that cannot answer does not end a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.connection import error_text

ARGUMENT_SPEC: dict[str, Any] = {
    "module": {"type": "str", "required": True},
    "options": {"type": "dict", "default": {}},
}
#: Keys that Ansible adds to the result of a failed task.
OF_FAILURES = ("failed", "msg", "exception", "module_stdout", "module_stderr")


def as_data(result: dict[str, Any]) -> dict[str, Any]:
    """Return a module's result; a failed one has its message in ``error`` and changed nothing that is known."""
    if not result.get("failed"):
        return result
    kept = {key: value for key, value in result.items() if key not in OF_FAILURES}
    return {**kept, "changed": bool(result.get("changed")), "failed": False, "error": error_text(result)}


class ActionModule(ActionBase):
    """A host that cannot be reached stays unreachable: only the module's own failure is returned as data."""

    _supports_check_mode = True
    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        try:
            return as_data(self._tried(given["module"], given["options"], task_vars or {}))
        except AnsibleConnectionFailure:
            raise
        except AnsibleError as error:
            return as_data({"failed": True, "msg": str(error)})

    def _tried(self, module: str, options: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the result of the module, or of the action plugin that runs in its place."""
        task = self._task.copy()
        task.action, task.args = module, options
        loader = self._shared_loader_obj.action_loader
        action = loader.get(
            module if loader.has_plugin(module) else "ansible.legacy.normal",
            task=task,
            connection=self._connection,
            play_context=self._play_context,
            loader=self._loader,
            templar=self._templar,
            shared_loader_obj=self._shared_loader_obj,
        )
        result: dict[str, Any] = action.run(task_vars=task_vars)
        return result
