"""Writes the plan of a deployment to a file, and refuses to go on where it is not the one that was approved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.deployment import document
from ansible.module_utils.kraft.operations.deployment.comparison import moved
from ansible.module_utils.kraft.operations.deployment.plan import changes, deployment_plan
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.refusal import refusal

from spark_jobs import private_file

DISPLAY = Display()
ARGUMENT_SPEC = {
    "desired": {"type": "dict", "required": True},
    "looked": {"type": "dict", "required": True},
    "live": {"type": "list", "elements": "dict", "default": []},
    "batches": {"type": "list", "elements": "dict", "default": []},
    "file": {"type": "path"},
    "approved": {"type": "path"},
}


class ActionModule(ActionBase):
    """Opens no connection. Writes the plan's file, in check mode too: that is when most plans are made."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        hostvars = (task_vars or {})["hostvars"]
        hosts = {
            host: {**found, "facts": hostvars[host]["ansible_facts"]["kafka_host"]}
            for host, found in given["looked"].items()
            if found["process"]  # ``--limit`` may leave brokers out of the run
        }
        plan = deployment_plan(given["desired"], hosts, given["live"], given["batches"])
        if given["file"]:
            private_file.write(Path(given["file"]), document.text(plan))
            DISPLAY.display(
                f"The plan is in {given['file']}. Apply exactly this with: -e kafka_approved_plan={given['file']}"
            )
        if given["approved"] and changes(plan):  # where nothing is left to do, nothing is done that nobody has approved
            found = self._moved(given["approved"], plan)
            if found:
                raise outdated(given["approved"], found, len(hosts))
        return {"changed": False, "plan": plan}

    @staticmethod
    def _moved(path: str, plan: dict[str, Any]) -> list[Problem]:
        try:
            return moved(document.read(Path(path)), plan)
        except RefusedError as error:
            raise AnsibleAction(f"{path} {error}. No host was changed.") from error


def outdated(path: str, found: list[Problem], hosts: int) -> AnsibleAction:
    """The failure with everything that has moved."""
    remedy = (
        f"Write a fresh plan with --check and -e kafka_plan_file, review it, and approve that one instead of {path}."
    )
    return refusal("The approved plan no longer fits", found, hosts, remedy)
