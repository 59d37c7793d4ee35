"""Writes the copied files of a metadata log into a directory of this machine, and describes a rehearsal on them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.operations.rehearsal import asked, metadata_files, page
from ansible.module_utils.kraft.spec.inventory.releases import release_features
from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from spark_jobs import private_file

MODE, DIRECTORY_MODE = 0o600, 0o700


class ActionModule(ActionBase):
    """Reads on the host, and writes here. Refuses other files than those of a metadata log, and too much of them.

    A rehearsal with ``snapshot`` gets the values of ``kafka_desired``, and its result the lines of the page.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        if self._task.args.get("state") != "copied":
            return self._rehearsed(task_vars or {})
        answer: dict[str, Any] = self._execute_module(task_vars=task_vars or {})
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

    def _rehearsed(self, task_vars: dict[str, Any]) -> dict[str, Any]:
        """Return the result of the rehearsal with the ``lines`` of its page, and ``refusals`` of the real run."""
        snapshot, arguments = self._task.args.get("snapshot"), dict(self._task.args)
        if not snapshot:
            return dict(self._execute_module(task_vars=task_vars))
        desired = task_vars["ansible_facts"]["kafka_desired"]
        version = desired["cluster"]["version"]
        arguments |= {"cluster": asked.cluster(desired, snapshot), "features": release_features(version)}
        arguments |= {"known_settings": page.known_settings(version)}
        answer: dict[str, Any] = self._execute_module(module_args=arguments, task_vars=task_vars)
        if answer.get("failed") or answer.get("skipped"):
            return answer
        about = asked.about(answer, desired["cluster"], snapshot, str(arguments["source"]))
        return {**answer, "lines": page.page(answer, about), "refusals": page.refusals(answer, about)}
