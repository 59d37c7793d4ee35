"""Makes the directory for a cluster's reports on this machine, and refuses that of another cluster."""

from __future__ import annotations

import secrets
import sys
import time
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.errors import RefusedError

from spark_jobs import private_file

ARGUMENT_SPEC = {
    "path": {"type": "path", "required": True},
    "cluster_id": {"type": "str", "required": True},
}


LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def run_id() -> str:
    """Return the minute (UTC) and random letters: simultaneous control machines get different ids."""
    return time.strftime("%y%m%dT%H%M", time.gmtime()) + "".join(secrets.choice(LETTERS) for _ in range(5))


class ActionModule(ActionBase):
    """Opens no connection."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        try:
            path = private_file.of_run(given["path"])
        except ValueError as error:
            return {"failed": True, "msg": f"{error}. Nothing was written"}
        if self._task.check_mode and not reports.is_foreign(path, given["cluster_id"]):
            return {"changed": False, "path": str(path), "run_id": run_id()}
        try:
            return {"changed": reports.claim(path, given["cluster_id"]), "path": str(path), "run_id": run_id()}
        except RefusedError as error:
            return {"failed": True, "msg": str(error)}
