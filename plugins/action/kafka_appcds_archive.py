"""The control side of the AppCDS archive: keeps what one host made, brings it to the others."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.appcds_archive import is_wanted, kept_at
from ansible.module_utils.kraft.control.ssh_transfer import transferred_file

MODULE = "kafka_appcds_archive"
#: The module's arguments that name files of the control machine; on a host they name what was brought there.
CONTROL_SIDE = ("cache_dir", "class_list")


class ActionModule(ActionBase):
    """Asks the host for its key; brings what the cache holds for it, or has it made; fetches what the cache lacks."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        self._arguments = {name: value for name, value in self._task.args.items() if name not in CONTROL_SIDE}
        self._task_vars = task_vars
        cache_dir, class_list = (self._task.args.get(name) for name in CONTROL_SIDE)
        found = self._ask()
        if found.get("failed"):
            return found
        kept = kept_at(cache_dir, found["key"])
        if found["in_use"]:
            return self._fetched(kept) if kept and is_wanted(cache_dir, found["key"], task_vars or {}) else found
        if found["missing"] and kept and kept.is_file():
            return self._installed(kept)
        if found["missing"] and class_list and self._arguments.get("state") == "made":
            return self._ask(class_list=self._brought(Path(class_list)))
        return found

    def _ask(self, **brought: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._execute_module(
            module_name=MODULE, module_args={**self._arguments, **brought}, task_vars=self._task_vars
        )
        return answer

    def _remote(self, name: str) -> str:
        """A path on the host in a directory that Ansible removes after the task."""
        directory = self._connection._shell.tmpdir or self._make_tmp_path()
        return str(self._connection._shell.join_path(directory, name))

    def _brought(self, local: Path) -> str:
        """Bring a small file to the host and give its path there; check mode brings nothing."""
        return str(local) if self._task.check_mode else self._transfer_file(str(local), self._remote(local.name))

    def _installed(self, kept: Path) -> dict[str, Any]:
        """Bring what the cache holds. What is still missing afterwards was damaged: then the cache forgets it."""
        if self._task.check_mode:
            return self._ask(archive=str(kept))
        with transferred_file(self, kept, self._task_vars or {}) as archive:
            result = self._ask(archive=archive)
        if result.get("missing"):
            kept.unlink()
        return result

    def _fetched(self, kept: Path) -> dict[str, Any]:
        """Keep a copy of what the host has, under a name that a killed run cannot leave half-written."""
        if self._task.check_mode:
            return self._ask()
        output = self._remote(kept.name)
        answer = self._ask(output=output)
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_name(f".{kept.name}.{os.getpid()}")
        self._connection.fetch_file(output, str(partial))
        partial.replace(kept)
        return answer
