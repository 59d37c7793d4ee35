"""Shows a cluster's status as one screen and one page, and fails where it is not healthy or has drifted."""

from __future__ import annotations

import sys
from collections.abc import Mapping
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

from ansible.module_utils.kraft.status import screen
from ansible.module_utils.kraft.status.view import Status, status

from spark_jobs import private_file
from spark_jobs.page.status import render

DISPLAY = Display()
ARGUMENTS = {
    "desired": {"type": "dict", "required": True},
    "cluster": {"type": "dict"},
    "live": {"type": "dict"},
    "page": {"type": "path"},
    "refuse": {"type": "bool", "default": True},
}
#: What the role registers on each host, by what it says.
REGISTERED = {"process": "__kafka_status_process", "staged": "__kafka_status_staged", "kernel": "__kafka_status_kernel"}


class ActionModule(ActionBase):
    """Opens no connection; changes nothing but the page."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENTS)
        hosts = registered((task_vars or {})["hostvars"], given["desired"]["nodes"])
        found = status(given["desired"], hosts, given["cluster"], given["live"])
        page = str(given["page"] or "")
        if page:
            private_file.directory(Path(page).parent)
            private_file.write(Path(page), render(found, screen.drift(found)))
        headline, *rest = screen.lines(found, page)
        DISPLAY.display("\n" + headline, color=constants.COLOR_OK if found.good else constants.COLOR_ERROR)
        DISPLAY.display("\n".join(rest) + "\n")
        return result(found, given["refuse"])


def registered(hostvars: Any, hosts: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Host -> what its tasks registered, null where they did not run."""
    return {host: {name: hostvars[host].get(variable) for name, variable in REGISTERED.items()} for host in hosts}


def result(found: Status, refuse: bool) -> dict[str, Any]:
    """The task fails where something is wrong, unless it is only to report."""
    about = {"changed": False, "healthy": found.healthy, "drifted": found.drifted, "msg": found.headline}
    return {**about, "failed": refuse and not found.good}
