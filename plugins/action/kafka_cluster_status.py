"""Shows a cluster's status as one screen and one page, and fails if it is not healthy or has drifted."""

from __future__ import annotations

import dataclasses
import json
import sys
from datetime import datetime, timezone
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

from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.control.inventory_options import inventory_options
from ansible.module_utils.kraft.control.prometheus import asking
from ansible.module_utils.kraft.spec.inventory import advisories
from ansible.module_utils.kraft.status import last_change, screen
from ansible.module_utils.kraft.status.json_report import report
from ansible.module_utils.kraft.status.smoke_topics import left_over
from ansible.module_utils.kraft.status.view import status
from ansible.module_utils.kraft.status.watched import query_prometheus

from spark_jobs import private_file
from spark_jobs.page.status import render

DISPLAY = Display()
ARGUMENT_SPEC = {
    "desired": {"type": "dict", "required": True},
    "looked": {"type": "dict", "required": True},
    "cluster": {"type": "dict"},
    "live": {"type": "dict"},
    "directory": {"type": "path"},
    "prometheus_url": {"type": "str"},
    "refuse": {"type": "bool", "default": True},
}


def changed(path: Path) -> last_change.LastChange | None:
    """Read the record of the last deployment; None if there is none that this user can read."""
    try:
        return last_change.last_change(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return None


class ActionModule(ActionBase):
    """Connects to no host; queries Prometheus if one is named. Changes nothing but the page and the report."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        found = status(given["desired"], given["looked"], given["cluster"], given["live"], inventory_options())
        now = datetime.now(timezone.utc)
        old = advisories.outdated(advisories.age(now.date()))
        left = left_over((given["cluster"] or {}).get("snapshot"), now, inventory_options())
        found = dataclasses.replace(found, notes=(*found.notes, *filter(None, (old, left))))
        if given["prometheus_url"]:
            url, name = str(given["prometheus_url"]), str(given["desired"]["cluster"]["name"])
            found = dataclasses.replace(found, watched=query_prometheus(url, name, asking(url)))
        if given["directory"]:
            found = dataclasses.replace(found, changed=changed(Path(given["directory"]) / last_change.FILE))
        data = report(found, now.isoformat(timespec="seconds"))
        page = ""
        if given["directory"]:
            page = str(Path(given["directory"]) / "status.html")
            reports.claim(Path(page).parent.absolute(), given["desired"]["cluster"]["cluster_id"])
            private_file.write(Path(page), render(found, screen.sections(found)))
            private_file.write(Path(page).with_suffix(".json"), json.dumps(data, indent=2) + "\n")
        lines = screen.lines(found, page)
        end = lines.index("")
        DISPLAY.display(
            "\n" + "\n".join(lines[:end]), color=constants.COLOR_OK if found.good else constants.COLOR_ERROR
        )
        DISPLAY.display("\n".join(lines[end:]) + "\n")
        if given["refuse"] and not found.good:  # Ansible prints the whole result of a failure below the text
            return {
                "changed": False,
                "failed": True,
                "msg": f"{found.headline} Page: {page}" if page else found.headline,
            }
        return {"changed": False, "status": data, "msg": found.headline}
