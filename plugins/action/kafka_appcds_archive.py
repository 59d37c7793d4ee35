"""The control side of the AppCDS archive: brings the list of classes to a host that is to make one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.remembered import remembered


class ActionModule(ActionBase):
    """The list goes into a directory that Ansible removes after the task; check mode brings nothing.

    The result is a fact.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        if not self._task.check_mode:
            arguments["class_list"] = self._brought(Path(str(arguments["class_list"])))
        answer = self._execute_module(module_args=arguments, task_vars=task_vars)
        return remembered(answer, "kafka_appcds_archive")

    def _brought(self, local: Path) -> str:
        shell = self._connection._shell
        directory = shell.tmpdir or self._make_tmp_path()
        return str(self._transfer_file(str(local), shell.join_path(directory, local.name)))
