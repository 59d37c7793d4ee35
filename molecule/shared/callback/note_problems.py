"""Write the problems of refused runs to a file, as values: rule, host, variable, value, message and remedy."""

from __future__ import annotations

DOCUMENTATION = """
name: note_problems
type: notification
short_description: Notes what a table of problems is made of
description:
  - For molecule's scenarios only. Does nothing without C(KRAFTWRIGHT_PROBLEMS).
  - A table of problems is made when a run is refused. Each one adds its problems to the file, one JSON object a line.
options:
  path:
    description: The file. It is emptied when the run begins.
    type: path
    env: [{name: KRAFTWRIGHT_PROBLEMS}]
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.callback import CallbackBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[3] / "module_utils"))
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory import report


class CallbackModule(CallbackBase):
    """The plugin class for Ansible."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "note_problems"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_start(self, playbook: Any) -> None:  # noqa: ARG002 - Ansible's signature
        """Replace the table before any worker is forked: each inherits it."""
        path = self.get_option("path")
        if not path:
            return
        notes, table = Path(path), report.table
        notes.write_text("", encoding="utf-8")

        def noted(problems: Sequence[Problem], hosts: int = 0, width: int = 120) -> str:
            with notes.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(problem.as_dict(), default=str) + "\n" for problem in problems)
            return table(problems, hosts, width)

        report.table = noted
