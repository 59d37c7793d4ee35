"""Writes what a host has collected into a folder of this machine, and takes it out of the result."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from spark_jobs import private_file


class ActionModule(ActionBase):
    """Runs the module, which hides secrets on the host. The texts are too long for a result."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        given = dict(self._task.args)
        place, host = str(given.pop("directory")), str((task_vars or {})["inventory_hostname"])
        try:
            directory = private_file.below(private_file.of_run(place), host)
        except ValueError as error:
            return {"failed": True, "msg": f"{error}. Nothing was written"}
        answer: dict[str, Any] = self._execute_module(module_args=given, task_vars=task_vars)
        files = answer.pop("files", {})
        try:
            paths = {name: private_file.below(directory, name) for name in files}
        except ValueError as error:
            return {**answer, "failed": True, "msg": f"the host gives a file that nobody asked for: {error}"}
        for name, text in files.items():
            path = paths[name]
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            private_file.write(path, text)
        return {**answer, "collected": sorted(files)}
