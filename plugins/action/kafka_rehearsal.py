"""Writes the copied files of a metadata log into a directory of this machine. Their content is no result."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.operations.rehearsal import metadata_files
from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from spark_jobs import private_file

MODE, DIRECTORY_MODE = 0o600, 0o700


class ActionModule(ActionBase):
    """Reads on the host, and writes here. Refuses other files than those of a metadata log, and too much of them."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        answer: dict[str, Any] = self._execute_module(task_vars=task_vars or {})
        if self._task.args.get("state") != "copied":
            return answer
        files = answer.pop("files", {})
        if not isinstance(files, dict):
            return {"failed": True, "msg": "the host's answer has no files. Nothing was written"}
        if self._task.check_mode:
            return answer
        try:
            directory = private_file.of_run(str(self._task.args["directory"]))
            contents = {directory / name: content for name, content in metadata_files.received(files).items()}
        except ValueError as error:
            return {**answer, "failed": True, "msg": f"{error}. Nothing was written"}
        if files:
            private_file.directory(directory.parent)
            directory.mkdir(mode=DIRECTORY_MODE)
        for path, content in contents.items():
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
        return answer
