"""The control side of releases and plugins: transfers the archive to the host, and removes it there afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.ssh_transfer import transferred_file


class ActionModule(ActionBase):
    """``source`` is a path of the control machine; the module itself only knows ``archive``, a path of the host."""

    _supports_check_mode = True

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
        answer: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
        return answer
