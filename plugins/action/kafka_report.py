"""Writes the reports of a cluster on this machine, and prints them; refuses the directory of another cluster."""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import ansible.module_utils
from ansible import constants
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.control import report_lock, reports, run_owner, summary
from ansible.module_utils.kraft.control.files import json_of
from ansible.module_utils.kraft.control.inventory_options import inventory_options
from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.monitoring import prometheus
from ansible.module_utils.kraft.node.machine import ungranted
from ansible.module_utils.kraft.wording import printable_text

from spark_jobs import one_run, private_file
from spark_jobs.page.mirror import render
from spark_jobs.proof.report_schema import Report
from spark_jobs.report_check import schema_errors

DISPLAY = Display()
ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {
        "type": "str",
        "choices": ["directory", "given_back", "copy", "limits", "monitoring", "run"],
        "required": True,
    },
    "directory": {"type": "path"},
    "cluster_id": {"type": "str"},
    "exclusive": {"type": "bool", "default": False},
    "desired": {"type": "dict"},
    "looked": {"type": "dict", "default": {}},
    "source": {"type": "str"},
    "progress": {"type": "dict"},
    "alerting": {"type": "dict", "default": {}},
    "report": {"type": "path"},
    "page": {"type": "path"},
    "steps": {"type": "list", "elements": "dict", "default": []},
}
NEEDS = [
    ("kind", "directory", ["directory", "cluster_id"]),
    ("kind", "given_back", ["directory"]),
    ("kind", "copy", ["directory", "cluster_id", "source", "progress"]),
    ("kind", "limits", ["desired"]),
    ("kind", "monitoring", ["desired"]),
]
COLOURS = {"proven": constants.COLOR_OK, **dict.fromkeys(("failed", "undecided", "unreachable"), constants.COLOR_ERROR)}
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
LONGEST = 2000  #: samples of a copy that are kept; of more, every second one is left out
Result = dict[str, Any]


class ActionModule(ActionBase):
    """Connects to no host. Changes nothing but the reports."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> Result:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC, required_if=NEEDS)
        try:
            return REPORTS[given["kind"]](given, bool(self._task.check_mode))
        except RefusedError as error:
            return {"failed": True, "msg": str(error)}


def of_directory(given: Result, check_mode: bool) -> Result:
    """Make the directory, and refuse that of another cluster; check mode only refuses."""
    try:
        path = private_file.of_run(given["directory"])
    except ValueError as error:
        return {"failed": True, "msg": f"{error}. Nothing was written"}
    predicted = check_mode and not reports.is_foreign(path, given["cluster_id"])
    changed = not predicted and reports.claim(path, given["cluster_id"])
    if given["exclusive"] and not predicted:
        take(path)
    return remembered({"changed": changed, "directory": str(path), "run_id": run_id()}, "kafka_reports")


def of_given_back(given: Result, _: bool) -> Result:
    """Let other runs into the directory again."""
    report_lock.give_back(Path(given["directory"]), run_owner.asking(run_owner.main_process()).run)
    return {"changed": False}


def take(path: Path) -> None:
    """Keep other runs out of the directory, and end the job that a dead one has left there. RefusedError: one lives."""
    dead = report_lock.take(path, run_owner.asking(run_owner.main_process()), run_owner.is_alive)
    if dead:
        one_run.end(path, dead.run)


def run_id() -> str:
    """Return the minute (UTC) and random letters: simultaneous control machines get different ids."""
    return time.strftime("%y%m%dT%H%M", time.gmtime()) + "".join(secrets.choice(LETTERS) for _ in range(5))


def of_copy(given: Result, _: bool) -> Result:
    """Write how far a copy is as a page, with its lag over time and its last proof."""
    page = Path(given["directory"]).absolute() / "mirror.html"
    progress, data = given["progress"], page.with_suffix(".json")
    reports.claim(page.parent, given["cluster_id"])
    direction = {"source": given["source"], "back": progress["back"]}
    before = json_of(data)
    same = all(before.get(name) == value for name, value in direction.items())
    samples = before.get("history", []) if same else []
    history = thinned([*samples, [round(time.time()), progress["lag_records"]]])
    lines = progress["screen"]
    headline = lines[1] if progress["back"] else lines[0]
    found = {**direction, "headline": headline, "catch_up": progress["catch_up"], "progress": progress}
    proof = json_of(page.parent / "cutover/report.json")
    last = None if schema_errors(proof, Report) else cast("Report", proof)
    private_file.write(page, render(found, [(at, lag) for at, lag in history], last))
    private_file.write(data, json.dumps({**found, "history": history}, indent=2) + "\n")
    return {"changed": False, "page": str(page)}


def thinned(history: list[list[float]]) -> list[list[float]]:
    """Return at most LONGEST samples, the last one among them."""
    return history if len(history) <= LONGEST else [*history[:-1:2], history[-1]]


def of_limits(given: Result, _: bool) -> Result:
    """Report the limits that hosts do not grant; skipped if there are none."""
    lines = ungranted.lines(ungranted.ungranted(given["looked"], given["desired"]["nodes"]), list(given["looked"]))
    if not lines:
        return {"changed": False, "skipped": True}
    return {"changed": False, "msg": lines, "_ansible_verbose_always": True}


def of_monitoring(given: Result, _: bool) -> Result:
    """Return the files of Prometheus and Grafana, and the credentials that Prometheus needs; write nothing."""
    desired = given["desired"]
    files = prometheus.files(desired, given["alerting"])
    return {"changed": False, "files": files, "credentials": prometheus.credentials(desired)}


def of_run(given: Result, check_mode: bool) -> Result:
    """End a run with its result, as plain lines on the terminal."""
    page = given["page"] or ""
    run = summary.Run(
        page=page if Path(page).is_file() else "",
        check=check_mode,
        inventory=inventory_options(),
        steps=tuple(given["steps"]),
        looked=given["looked"],
    )
    found = None if check_mode else proven(given["report"])
    headline, *lines = summary.summary_lines(given["desired"], None, found, run)
    outcome = summary.outcome(found)
    DISPLAY.display("\n" + headline, color=COLOURS.get(outcome, constants.COLOR_HIGHLIGHT))
    DISPLAY.display(printable_text("\n".join(lines)) + "\n")
    return {"changed": False, "outcome": outcome}


def proven(path: str | None) -> dict[str, Any] | None:
    """Return the smoke test's report; None if there is none that can be read."""
    if not path:
        return None
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        DISPLAY.warning(f"The report {path} cannot be read: {error}")
        return None
    return found if isinstance(found, dict) else None


REPORTS: dict[str, Callable[[Result, bool], Result]] = {
    "directory": of_directory,
    "given_back": of_given_back,
    "copy": of_copy,
    "limits": of_limits,
    "monitoring": of_monitoring,
    "run": of_run,
}
