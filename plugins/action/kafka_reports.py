"""Makes the directory for a cluster's reports on this machine, and refuses that of another cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.errors import RefusedError

ARGUMENT_SPEC = {
    "path": {"type": "path", "required": True},
    "cluster_id": {"type": "str", "required": True},
}


class ActionModule(ActionBase):
    """Opens no connection."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        path = Path(given["path"]).absolute()
        if self._task.check_mode and not reports.is_foreign(path, given["cluster_id"]):
            return {"changed": False, "path": str(path)}
        try:
            return {"changed": reports.claim(path, given["cluster_id"]), "path": str(path)}
        except RefusedError as error:
            return {"failed": True, "msg": str(error)}
