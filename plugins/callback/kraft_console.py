"""Ansible's own output without what did not happen: skipped and unchanged hosts, and what is equal on all hosts."""

from __future__ import annotations

DOCUMENTATION = """
name: kraft_console
type: stdout
short_description: Shows what a run changes, equal lines once for all hosts
description:
  - Shows tasks that change something, fail, warn or print a message. Skipped and unchanged tasks are counted in the
    recap.
  - Hosts with the same result share a line. Equal differences (C(--diff)) are shown once, with their hosts. Lines of a
    new file that all hosts share are shown once. Differences that an earlier task has shown are not repeated.
  - A task that takes longer than three seconds shows its name on one line.
  - With C(-v) all is as Ansible's own callback C(default) shows it.
requirements: [set as stdout_callback in ansible.cfg]
extends_documentation_fragment: [default_callback, result_format_callback]
author: Kraftwright
"""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible import constants
from ansible.plugins.callback.default import CallbackModule as Default  # type: ignore[import-untyped]

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.merged_diffs import joined

#: Seconds after which a task shows its name although it has no result yet.
PATIENCE = 3.0


class CallbackModule(Default):  # type: ignore[misc]
    """Console output. The lock: a timer shows a task's name from a separate thread."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "kraft_console"

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._diffs: list[tuple[str, dict[str, Any]]] = []
        self._shown: set[str] = set()
        self._changed: dict[str, list[str]] = {}
        self._task: Any = None
        self._unnamed_play: Any = None

    def _print_task_banner(self, task: Any) -> None:
        """Print a play's name with its first task that is shown."""
        play, self._unnamed_play = self._unnamed_play, None
        if play:
            super().v2_playbook_on_play_start(play)
        super()._print_task_banner(task)

    def _task_start(self, task: Any, prefix: str | None = None) -> None:
        self._end_task()
        if self._display.verbosity:
            super()._task_start(task, prefix)
            return
        self._task_type_cache[task._uuid] = prefix or "TASK"
        self._last_task_name, self._task = task.get_name().strip(), task
        self._timer = threading.Timer(PATIENCE, self._show_name, [task])
        self._timer.daemon = True
        self._timer.start()

    def _show_name(self, task: Any) -> None:
        with self._lock:
            if task is self._task and self._last_task_banner != task._uuid:
                self._display.display(f"... {self._last_task_name}", color=constants.COLOR_SKIP)

    def _end_task(self) -> None:
        """Show what was held back of the last task."""
        if self._timer:
            self._timer.cancel()
        with self._lock:
            task, self._task = self._task, None
            diffs, self._diffs = joined(self._diffs), []
            changed, self._changed = self._changed, {}
            if (diffs or changed) and self._last_task_banner != task._uuid:
                self._print_task_banner(task)
            if diffs:
                self._display.display(self._get_diff(diffs))
            for item, hosts in changed.items():
                self._display.display(f"changed: [{', '.join(hosts)}]{item}", color=constants.COLOR_CHANGED)

    def _quiet(self, result: Any) -> bool:
        """Check whether a result has nothing to show beyond its state. With ``-v`` none is quiet."""
        told = any(result.result.get(name) for name in ("warnings", "deprecations", "exception"))
        return not (told or self._display.verbosity or self._run_is_verbose(result))

    def _hold(self, result: Any, item: str = "") -> None:
        if result.result.get("changed", False):
            with self._lock:
                self._changed.setdefault(item, []).append(self.host_label(result))

    def v2_runner_on_ok(self, result: Any) -> None:
        if not self._quiet(result):
            with self._lock:
                super().v2_runner_on_ok(result)
        elif not (result.task.loop and "results" in result.result):
            self._hold(result)

    def v2_runner_item_on_ok(self, result: Any) -> None:
        if self._quiet(result):
            self._hold(result, f" => (item={self._get_item_label(result.result)})")
            return
        with self._lock:
            super().v2_runner_item_on_ok(result)

    def v2_runner_on_skipped(self, result: Any) -> None:
        if not self._quiet(result):
            with self._lock:
                super().v2_runner_on_skipped(result)

    def v2_runner_item_on_skipped(self, result: Any) -> None:
        if not self._quiet(result):
            with self._lock:
                super().v2_runner_item_on_skipped(result)

    def v2_playbook_on_include(self, included_file: Any) -> None:
        if self._display.verbosity:
            super().v2_playbook_on_include(included_file)

    def v2_on_file_diff(self, result: Any) -> None:
        """Print a diff; Ansible calls this before the result itself is shown."""
        if self._display.verbosity:
            super().v2_on_file_diff(result)
            return
        looped = result.task.loop and "results" in result.result
        for one in result.result["results"] if looped else [result.result]:
            if one.get("diff") and one.get("changed", False):
                with self._lock:
                    self._diffs += self._unseen(result.host.get_name(), entries(one["diff"]))

    def _unseen(self, host: str, diffs: Iterable[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
        """Return diffs that no task of this run has shown for the host: in check mode two may predict the same file."""
        found = {repr((host, sorted(diff.items()))): (host, diff) for diff in diffs}
        new = [pair for key, pair in found.items() if key not in self._shown]
        self._shown.update(found)
        return new

    def v2_playbook_on_play_start(self, play: Any) -> None:
        self._end_task()
        self._play = self._unnamed_play = play
        if self._display.verbosity:
            super().v2_playbook_on_play_start(play)
            self._unnamed_play = None

    def v2_playbook_on_no_hosts_matched(self) -> None:
        if self._display.verbosity:
            super().v2_playbook_on_no_hosts_matched()

    def v2_playbook_on_stats(self, stats: Any) -> None:
        self._end_task()
        super().v2_playbook_on_stats(stats)


def entries(given: Any) -> Iterable[dict[str, Any]]:
    """Return a result's diffs as a list."""
    return given if isinstance(given, list) else [given]
