"""Reports the result of a drill: one line for each fault, on the screen and on the probe's page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.operations.drill import account
from ansible.module_utils.kraft.wording import printable

from spark_jobs import private_file
from spark_jobs.page import probe as page

DISPLAY = Display()
ARGUMENT_SPEC = {
    "home": {"type": "path", "required": True},
    "faults": {"type": "list", "elements": "str", "required": True},
    "nodes": {"type": "dict", "required": True},
    "seconds": {"type": "int", "required": True},
}
AUDIT, REPORT, PAGE = "audit.json", "drill.json", "page.html"


class ActionModule(ActionBase):
    """Opens no connection; reads the account of the probe that has just ended."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        if self._task.check_mode:
            return {"changed": False, "skipped": True, "msg": "in check mode nothing was broken"}
        accounts = sorted(Path(given["home"]).glob(f"*/{AUDIT}"))
        if not accounts:
            return {"failed": True, "msg": f"the probe left no account in {given['home']}"}
        audit = json.loads(accounts[-1].read_text(encoding="utf-8"))
        rows = account.rows(audit, given["faults"], given["nodes"], given["seconds"])
        found = [row.as_dict() for row in rows]
        directory = accounts[-1].parent
        private_file.write(
            directory / REPORT, json.dumps({"faults": found, "counts": audit["counts"]}, indent=2) + "\n"
        )
        private_file.write(directory / PAGE, page.render({**audit, "drill": found}))
        missed = [row.fault for row in rows if not row.kept]
        colour = constants.COLOR_ERROR if missed or len(rows) < len(given["faults"]) else constants.COLOR_OK
        DISPLAY.display("\n" + "\n".join(f"  {printable(line)}" for line in account.lines(rows)), color=colour)
        DISPLAY.display(f"\n  {directory / PAGE}\n")
        if len(rows) < len(given["faults"]):
            return {"failed": True, "msg": f"{len(rows)} of {len(given['faults'])} faults are accounted for"}
        if missed:
            return {"failed": True, "msg": f"Clients waited longer than the settings promise: {', '.join(missed)}"}
        return {"changed": False, "faults": found, "page": str(directory / PAGE)}
