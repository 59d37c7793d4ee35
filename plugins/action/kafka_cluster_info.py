"""The control side of `kafka_cluster_info`: it has the levels of every release, by which an upgrade is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.operations.features.upgrade import upgrade_refusals


class ActionModule(ActionBase):
    """Runs the module of this name. With ``upgrade_to``, compares the finalised features with that release."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        result: dict[str, Any] = self._execute_module(task_vars=task_vars)
        version = self._task.args.get("upgrade_to")
        if not version or "snapshot" not in result:
            return result
        problems = upgrade_refusals(str(version), result["snapshot"]["features"] or ())
        return {**result, "failed": True, "msg": "\n".join(map(str, problems))} if problems else result
