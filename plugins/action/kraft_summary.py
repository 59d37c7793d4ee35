"""Ends a run with what it came to, as plain lines on the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import summary
from ansible.module_utils.kraft.control.inventory_options import inventory_options
from ansible.module_utils.kraft.wording import printable_text

DISPLAY = Display()
COLOURS = {"proven": constants.COLOR_OK, **dict.fromkeys(("failed", "undecided", "unreachable"), constants.COLOR_ERROR)}


class ActionModule(ActionBase):
    """Opens no connection; changes nothing."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        given = self._task.args
        page = str(given.get("page") or "")
        run = summary.Run(
            page=page if page and Path(page).is_file() else "",
            check=bool(self._task.check_mode),
            inventory=inventory_options(),
            steps=tuple(given.get("steps") or ()),
            looked=given.get("looked") or {},
        )
        report = None if run.check else read_report(given.get("report"))
        headline, *lines = summary.summary_lines(given.get("desired"), given.get("snapshot"), report, run)
        DISPLAY.display("\n" + headline, color=COLOURS.get(summary.outcome(report), constants.COLOR_HIGHLIGHT))
        DISPLAY.display(printable_text("\n".join(lines)) + "\n")
        return {"changed": False, "outcome": summary.outcome(report)}


def read_report(given: Any) -> dict[str, Any] | None:
    """Return a report as it is, or from its file; null if there is none that can be read."""
    if isinstance(given, dict) or not given:
        return given or None
    try:
        loaded = json.loads(Path(str(given)).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        DISPLAY.warning(f"The report {given} cannot be read: {error}")
        return None
    return loaded if isinstance(loaded, dict) else None
