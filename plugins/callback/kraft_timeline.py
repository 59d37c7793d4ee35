"""Writes down which task ran when on which host, so that a report can draw a deployment as a waterfall."""

from __future__ import annotations

DOCUMENTATION = """
name: kraft_timeline
type: notification
short_description: Records the phases of a run, host by host, as JSON lines
description:
  - Writes one JSON object a line for each executed task and host, with the keys C(host), C(phase), C(task),
    C(start), C(end) (seconds since 1970), C(changed) and C(ok). Skipped tasks leave no line. A delegated task counts
    for the host that it ran on, a loop that was delegated to several for all of them.
  - The phase follows from the file of a task, for instance C(roles/kafka/tasks/steps/install.yml) is C(install).
  - Without O(path), the lines go to C(.kraftwright/<cluster name>/timeline.jsonl) below the project's root (the
    closest directory with an C(ansible.cfg), from the playbook upwards). That file is that of the last run that
    deployed. Runs that only validate, verify or predict (C(--check)) leave it alone, so that a report made later
    still shows how the cluster came to be.
  - While a probe (M(kafka_probe)) watches the run, the lines go to C(steps.jsonl) in its directory as well.
  - Trouble in here is a warning, never the end of a run.
options:
  path:
    description: Write this run's lines to this file, whatever the run does. The file is emptied first.
    type: path
    env: [{name: KRAFTWRIGHT_TIMELINE}]
    ini: [{section: callback_kraft_timeline, key: path}]
  show:
    description: End with a line with the duration of each phase. It is shown with C(-v) as well.
    type: bool
    default: false
    env: [{name: KRAFTWRIGHT_TIMELINE_SHOW}]
    ini: [{section: callback_kraft_timeline, key: show}]
"""

import functools
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ansible.module_utils
from ansible import context
from ansible.plugins.callback import CallbackBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.control.home import home

#: Hosts are made ready and Kafka is brought to them: a run that reaches one of these deploys.
DEPLOYING = frozenset({"host", "install", "configure", "format", "start"})
PHASES = DEPLOYING | {"validate", "preflight", "roll", "health", "resources", "verify"}
#: Roles that are one phase as a whole; in the others the task file determines it.
ROLE_PHASES = {"kafka_host": "host", "kafka_resources": "resources", "kafka_smoke": "verify"}
FILE_PHASES = {
    "restart_batch": "roll",
    "undo_batch": "roll",
    "validate_inventory": "validate",
    "verify_cluster": "verify",
}
LOOK = "status"  #: a task file that changes nothing, of whichever role
INCLUDES = ("include_tasks", "include_role")
MODE = 0o640
SAFE_NAME = re.compile(r"(?!\.+$)[A-Za-z0-9._-]+")
IN_ROLE = re.compile(r"roles/([^/]+)/tasks/(?:.*/)?([^/]+)$")


class Line(NamedTuple):
    """One executed task on one host; ``start`` and ``end`` in seconds since 1970."""

    host: str
    phase: str
    task: str
    start: float
    end: float
    changed: bool
    ok: bool


def phase_of(task_path: str) -> str:
    """Return the phase of a task by its file (``…/roles/kafka/tasks/steps/install.yml:12``)."""
    path = re.sub(r":\d+$", "", task_path)
    stem = Path(path).stem
    if stem == LOOK:
        return "other"
    in_role = IN_ROLE.search(path)
    if in_role and in_role[1] in ROLE_PHASES:
        return ROLE_PHASES[in_role[1]]
    phase = FILE_PHASES.get(stem, stem)
    return phase if phase in PHASES else "other"


def covered_seconds(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of spans: hosts that work side by side count once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def phase_summary(lines: Iterable[Line]) -> str:
    """Return ``validate 0.4 s · host 3.1 s``: the phases in the order they began, each with its wall time."""
    by_phase: dict[str, list[tuple[float, float]]] = {}
    for line in sorted(lines, key=lambda one: one.start):
        by_phase.setdefault(line.phase, []).append((line.start, line.end))
    return " · ".join(f"{phase} {covered_seconds(spans):.1f} s" for phase, spans in by_phase.items())


def project_root(directory: Path) -> Path:
    """Return the closest directory upwards with an ``ansible.cfg``; ``directory`` itself if none has."""
    return next((d for d in (directory, *directory.parents) if (d / "ansible.cfg").is_file()), directory)


class Journal:
    """Lines that wait until a file is opened for them; from then on each is written at once, whole."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self.lines = list(lines)
        self._file: int | None = None

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def open(self, path: Path) -> None:
        """Empty the file, which is its owner's and group's alone, and write what waited."""
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o750, exist_ok=True)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, MODE)
        os.fchmod(self._file, MODE)
        self._write(self.lines)

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self._write([line])

    def _write(self, lines: list[Line]) -> None:
        if self._file is not None and lines:
            text = "".join(json.dumps(line._asdict(), ensure_ascii=False) + "\n" for line in lines)
            os.write(self._file, text.encode())


def guarded(method: Callable[..., None]) -> Callable[..., None]:
    """Wrap a callback method: an error ends recording with one warning, and does not disturb the run."""

    @functools.wraps(method)
    def guard(self: CallbackModule, *args: Any, **kwargs: Any) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # a timeline is never worth a failed deployment
            self.disabled = True
            self._display.warning(f"kraft_timeline stops recording: {error}")

    return guard


class CallbackModule(CallbackBase):
    """Timeline of a run, by phases."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "kraft_timeline"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._journal = Journal()
        self._probed = Journal()
        self._started: dict[tuple[str, str], float] = {}
        self._items: dict[tuple[str, str], set[str]] = {}
        self._root = Path.cwd()
        self._cluster: dict[str, Any] | None = None

    @guarded
    def v2_playbook_on_start(self, playbook: Any) -> None:
        self._root = home(project_root(Path(playbook._basedir).resolve()), Path.cwd())
        if self.get_option("path"):
            self._journal.open(Path(self.get_option("path")))

    @guarded
    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        self._started[host.get_name(), task._uuid] = time.time()

    @guarded
    def v2_runner_item_on_ok(self, result: Any) -> None:
        self._note_item(result)

    @guarded
    def v2_runner_item_on_failed(self, result: Any) -> None:
        self._note_item(result)

    @guarded
    def v2_runner_on_ok(self, result: Any) -> None:
        self._record(result, ok=True)

    @guarded
    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._record(result, ok=bool(ignore_errors))

    @guarded
    def v2_runner_on_unreachable(self, result: Any) -> None:
        self._record(result, ok=False)

    @guarded
    def v2_playbook_on_stats(self, stats: Any) -> None:  # noqa: ARG002 - Ansible's signature
        if self._journal.lines and (self.get_option("show") or self._display.verbosity > 0):
            self._display.display(phase_summary(self._journal.lines))

    def _note_item(self, result: Any) -> None:
        """Note the host that an item was delegated to: the loop itself has only the template."""
        delegated = result.task_fields.get("delegate_to")
        if delegated:
            self._items.setdefault((result.host.get_name(), result.task._uuid), set()).add(str(delegated))

    def _record(self, result: Any, ok: bool) -> None:
        end = time.time()
        host, task = result.host.get_name(), result.task
        start = self._started.pop((host, task._uuid), end)
        if task.action.rpartition(".")[2] in INCLUDES:
            return
        items = self._items.pop((host, task._uuid), set())
        ran_on = ", ".join(sorted(items)) or result.task_fields.get("delegate_to") or host
        phase = phase_of(task.get_path())
        self._learn_cluster(result, phase)
        name = result.task_fields.get("name") or task.name or task.action
        line = Line(str(ran_on), phase, str(name), round(start, 3), round(end, 3), bool(result.is_changed()), ok)
        self._journal.add(line)
        self._probed.add(line)
        if task.action.rpartition(".")[2] == "kafka_probe":
            self._follow_probe(result.result, task.args.get("state", "started"))

    def _follow_probe(self, answer: Mapping[str, Any], state: str) -> None:
        """Send the probe the steps from its start on; those before it as well."""
        self._probed = Journal(self._journal.lines)
        if state == "started" and answer.get("directory") and not answer.get("failed"):
            self._probed.open(Path(answer["directory"]) / "steps.jsonl")

    def _learn_cluster(self, result: Any, phase: str) -> None:
        """Open the cluster's file as soon as the run is known to deploy, and to which cluster."""
        if self._journal.is_open or context.CLIARGS.get("check"):
            return
        if self._cluster is None and result.task.action.rpartition(".")[2] == "kafka_desired":
            found = result.result.get("ansible_facts", {}).get("kafka_desired", {}).get("cluster", {})
            name = found.get("name")
            self._cluster = found if isinstance(name, str) and SAFE_NAME.fullmatch(name) else None
        if self._cluster and (phase in DEPLOYING or any(line.phase in DEPLOYING for line in self._journal.lines)):
            directory = self._root / ".kraftwright" / self._cluster["name"]
            reports.claim(directory, self._cluster["cluster_id"])
            self._journal.open(directory / "timeline.jsonl")
