"""Starts and stops the probe by its own commands (spark_jobs/probe), and reports its result and that of a drill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.control.files import json_of
from ansible.module_utils.kraft.control.remembered import remembered
from ansible.module_utils.kraft.operations.drill import account
from ansible.module_utils.kraft.wording import printable

from spark_jobs import private_file
from spark_jobs.page import probe as page

DISPLAY = Display()
ARGUMENT_SPEC = {
    "state": {"type": "str", "choices": ["started", "stopped", "drilled"], "default": "started"},
    "home": {"type": "path", "required": True},
    "directory": {"type": "path", "default": ""},
    "required": {"type": "bool", "default": True},
    "now": {"type": "list", "elements": "str", "default": []},
    "settings": {"type": "dict", "default": {}},
    "faults": {"type": "list", "elements": "str", "default": []},
    "nodes": {"type": "dict", "default": {}},
    "seconds": {"type": "int", "default": 0},
}
AUDIT, DRILL, PAGE = "audit.json", "drill.json", "page.html"
WANTED = "wanted.json"
PID_FILE = "probe.pid"
NUMBERS = ("partitions", "rate", "record_bytes", "longest_seconds", "ready_seconds")


class ActionModule(ActionBase):
    """Opens no connection; the probe is a client like any other, on the control machine."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        home = Path(given["home"]).absolute()
        if self._task.check_mode:
            return {"changed": False, "skipped": True, "directory": "", "msg": "check mode does not run the probe"}
        if given["state"] == "drilled":
            return drilled(given)
        if given["state"] == "stopped":
            return remembered(stopped(home, given["directory"]), "kafka_probed")
        done = probe("start", "--home", str(home), *starting(home, given))
        return remembered(result(done, current(home)), "kafka_probing")


def stopped(home: Path, directory: str) -> dict[str, Any]:
    """End the probe of this run and account for it. `directory`: that of its start; empty if it has started none.

    Another probe there is that of a run that has the lock of the cluster.
    """
    if not directory or (current(home) != directory and (Path(directory) / AUDIT).is_file()):
        return {"changed": False, "directory": directory}
    if current(home) != directory:
        text = "The probe of this run is gone, and its records were not accounted for. Its log"
        return {"changed": False, "failed": True, "directory": directory, "msg": f"{text}: {directory}"}
    return {**result(probe("stop", "--home", str(home)), directory), **figures(directory)}


def starting(home: Path, given: dict[str, Any]) -> list[str]:
    """Return the arguments of a start, after its settings were written to a file: they may hold secrets."""
    settings = {name: int(value) if name in NUMBERS else value for name, value in given["settings"].items()}
    settings |= where(given["now"], str(settings.get("bootstrap_servers", "")))
    private_file.directory(home)
    config = home / WANTED
    config.touch(mode=0o600)
    config.write_text(json.dumps(settings), encoding="utf-8")
    return ["--config", str(config), *([] if given["required"] else ["--if-answers"])]


def where(now: list[str], wanted: str) -> dict[str, str]:
    """Begin with the listeners that the cluster has `now`; if it has none yet, with those that are `wanted`."""
    deployed = ",".join(now)
    if not deployed or deployed == wanted:
        return {"bootstrap_servers": wanted}
    return {"bootstrap_servers": deployed, "moved_servers": wanted}


def probe(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one of the probe's commands to its end."""
    return subprocess.run(  # noqa: S603 - our own module, its arguments in a list
        [sys.executable, "-m", "spark_jobs.probe", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def result(done: subprocess.CompletedProcess[str], directory: str) -> dict[str, Any]:
    """Show what the command said; its errors make the task fail."""
    lines = done.stdout.strip()
    colour = constants.COLOR_ERROR if done.returncode else constants.COLOR_HIGHLIGHT
    DISPLAY.display("\n" + "\n".join(f"  {printable(line)}" for line in lines.splitlines()) + "\n", color=colour)
    about = {"changed": False, "directory": directory}
    if not done.returncode:
        return about
    return {
        **about,
        "failed": True,
        "msg": done.stderr.strip() if done.returncode > 1 else lines,
        "rc": done.returncode,
    }


def drilled(given: dict[str, Any]) -> dict[str, Any]:
    """Report each fault of the drill on the screen, in a file and on the probe's page."""
    directory = Path(given["directory"] or given["home"])
    if not (directory / AUDIT).is_file():
        return {"failed": True, "msg": f"the probe of this drill wrote no report to {directory}"}
    audit = json.loads((directory / AUDIT).read_text(encoding="utf-8"))
    rows = account.rows(audit, given["faults"], given["nodes"], given["seconds"])
    found = [row.as_dict() for row in rows]
    private_file.write(directory / DRILL, json.dumps({"faults": found, "counts": audit["counts"]}, indent=2) + "\n")
    private_file.write(directory / PAGE, page.render({**audit, "drill": found}))
    missed = [row.fault for row in rows if not row.kept]
    colour = constants.COLOR_ERROR if missed or len(rows) < len(given["faults"]) else constants.COLOR_OK
    DISPLAY.display("\n" + "\n".join(f"  {printable(line)}" for line in account.lines(rows)), color=colour)
    DISPLAY.display(f"\n  {directory / PAGE}\n")
    if len(rows) < len(given["faults"]):
        return {"failed": True, "msg": f"{len(rows)} of {len(given['faults'])} faults are accounted for"}
    if missed:
        return {"failed": True, "msg": f"Clients waited longer than their settings allow: {', '.join(missed)}"}
    return {"changed": False, "faults": found, "page": str(directory / PAGE)}


def current(home: Path) -> str:
    """Return the directory of the probe that runs, or is not accounted for; empty without one."""
    content = json_of(home / PID_FILE)
    return str(content.get("directory", ""))


def figures(directory: str) -> dict[str, Any]:
    """Return the account's figures, if there is one."""
    audit = json_of(Path(directory) / AUDIT) if directory else {}
    if not audit:
        return {}
    longest = max((stall["length_us"] for stall in audit["stalls"]), default=0)
    return {"counts": audit["counts"], "longest_stall": round(longest / 1e6, 3)}
