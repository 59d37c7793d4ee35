"""Prints the remedy for a host that cannot be reached, in plays that do not inspect all hosts first."""

from __future__ import annotations

DOCUMENTATION = """
name: kraft_remedy
type: notification
short_description: Names the cause and the remedy of a connection that failed, and how to get help
description:
  - For a host that ssh does not reach, or on which sudo or Python fails. Each cause is shown once a host.
  - If a run failed on the nodes, its last line is the command that collects a support bundle.
  - If a task has C(ignore_unreachable), M(kafka_preflight) reports all hosts together, and this one prints nothing.
author: Kraftwright
"""

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.callback import CallbackBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.connection import error_text, explain, remedy, target
from ansible.module_utils.kraft.control.inventory_options import inventory_options

#: Actions that fail if a node or the cluster is not as it should be. Refusals already contain their remedies.
ON_NODES = frozenset({"kafka_node", "kafka_health", "kafka_safety_check", "kafka_reassignment", "kafka_storage"})


class CallbackModule(CallbackBase):
    """Remedies after failed tasks."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "kraft_remedy"

    def __init__(self) -> None:
        super().__init__()
        self._told: set[tuple[str, str]] = set()
        self._failed_on_nodes = False

    def v2_runner_on_unreachable(self, result: Any) -> None:
        if not result.task.ignore_unreachable:
            self._tell(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Handle only failed tasks that never ran: a module's own failure has its own message."""
        answer = result.result
        self._failed_on_nodes |= not ignore_errors and result.task.action.rpartition(".")[2] in ON_NODES
        never_ran = "module_stderr" in answer or str(answer.get("msg", "")).startswith("Task failed: ")
        if never_ran and not ignore_errors:
            self._tell(result)

    def v2_playbook_on_stats(self, stats: Any) -> None:
        if self._failed_on_nodes and any(stats.failures.values()):
            command = " ".join(filter(None, ["ansible-playbook", inventory_options(), "playbooks/support_bundle.yml"]))
            self._display.display(f"To collect diagnostics for support: {command}\n")

    def _tell(self, result: Any) -> None:
        host = result.host.get_name()
        cause = explain(error_text(result.result))
        if cause and (host, cause.rule) not in self._told:
            self._told.add((host, cause.rule))
            way_out = remedy(cause, target(result.host.get_vars(), host))
            self._display.error(f"{host}: {cause.message} -> {way_out}", wrap_text=False)
