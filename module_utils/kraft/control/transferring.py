"""The control side of modules that install a file: transfers it to the host, and removes it there afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control.ssh_transfer import transferred_file
from ansible.plugins.action import ActionBase


class TransferringAction(ActionBase):
    """``source`` is a path of the control machine; the module itself only knows ``archive``, a path of the host."""

    _supports_check_mode = True
    MODULE = ""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments, variables = dict(self._task.args), task_vars or {}
        source = arguments.pop("source", None)
        if not source:
            return self._ask(arguments, variables)
        if self._task.check_mode:
            return self._ask({**arguments, "archive": source}, variables)
        with transferred_file(self, Path(self._loader.path_dwim(source)), variables) as archive:
            return self._ask({**arguments, "archive": archive}, variables)

    def _ask(self, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        name = self.MODULE
        answer: dict[str, Any] = self._execute_module(module_name=name, module_args=arguments, task_vars=task_vars)
        return answer
