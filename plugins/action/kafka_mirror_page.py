"""Writes how far a copy is as a page, with its lag over time and its last proof."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any, cast

import ansible.module_utils
from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.control import reports

from spark_jobs import private_file
from spark_jobs.page.mirror import render
from spark_jobs.proof.report_schema import Report
from spark_jobs.report_check import schema_errors

ARGUMENT_SPEC = {
    "directory": {"type": "path", "required": True},
    "cluster_id": {"type": "str", "required": True},
    "source": {"type": "str", "required": True},
    "progress": {"type": "dict", "required": True},
}
LONGEST = 2000  #: looks that are kept; of more, every second one is left out


class ActionModule(ActionBase):
    """Connects to no host. Changes nothing but the page and its data."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        page = Path(given["directory"]).absolute() / "mirror.html"
        progress, data = given["progress"], page.with_suffix(".json")
        reports.claim(page.parent, given["cluster_id"])
        direction = {"source": given["source"], "back": progress["back"]}
        before = loaded(data)
        same = all(before.get(name) == value for name, value in direction.items())
        looks = before.get("history", []) if same else []
        history = thinned([*looks, [round(time.time()), progress["lag_records"]]])
        lines = progress["screen"]
        headline = lines[1] if progress["back"] else lines[0]
        status = {**direction, "headline": headline, "catch_up": progress["catch_up"], "progress": progress}
        proof = loaded(page.parent / "cutover/report.json")
        report = None if schema_errors(proof, Report) else cast("Report", proof)
        private_file.write(page, render(status, [(at, lag) for at, lag in history], report))
        private_file.write(data, json.dumps({**status, "history": history}, indent=2) + "\n")
        return {"changed": False, "page": str(page)}


def loaded(path: Path) -> dict[str, Any]:
    """Return the content of the file; nothing if it is missing or no JSON."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def thinned(history: list[list[float]]) -> list[list[float]]:
    """Return at most LONGEST samples, the last one among them."""
    return history if len(history) <= LONGEST else [*history[:-1:2], history[-1]]
