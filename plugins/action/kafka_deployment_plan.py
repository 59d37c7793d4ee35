"""Writes the plan of a deployment to a file, and refuses to go on if it is not the one that was approved."""

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
from ansible.module_utils.kraft.operations.deployment.comparison import outdated
from ansible.module_utils.kraft.operations.deployment.plan import deployment_plan
from ansible.module_utils.kraft.operations.resources import reviewed
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.refusal import refusal

from spark_jobs import private_file

DISPLAY = Display()
ARGUMENT_SPEC = {
    "desired": {"type": "dict", "required": True},
    "processes": {"type": "dict", "default": {}},
    "live": {"type": "list", "elements": "dict", "default": []},
    "batches": {"type": "list", "elements": "dict", "default": []},
    "resources": {"type": "dict", "required": True, "no_log": True},
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
            host: {"process": process, "facts": hostvars[host]["ansible_facts"]["kafka_host"]}
            for host, process in given["processes"].items()
            if process  # ``--limit`` may leave brokers out of the run
        }
        resources, salt = given["resources"], given["desired"]["cluster"]["cluster_id"]
        plan = deployment_plan(
            given["desired"], hosts, given["live"], given["batches"], reviewed.resources_plan(resources, salt)
        )
        if given["file"]:
            private_file.write(Path(given["file"]), document.text(plan))
            DISPLAY.display(
                f"The plan is in {given['file']}. Apply exactly this with: -e kafka_approved_plan={given['file']}"
            )
        if given["approved"]:
            declared = reviewed.resources_plan({**resources, "found": reviewed.NEW}, salt)
            found = self._outdated(given["approved"], plan, declared)
            if found:
                raise refused(given["approved"], found, len(hosts))
        return {"changed": False, "plan": plan, "ansible_facts": {"kafka_planned": True}}

    @staticmethod
    def _outdated(path: str, plan: dict[str, Any], declared: dict[str, Any]) -> list[Problem]:
        try:
            return outdated(document.read(Path(path)), plan, declared)
        except RefusedError as error:
            raise AnsibleAction(f"{path} {error}. No host was changed.") from error


def refused(path: str, found: list[Problem], hosts: int) -> AnsibleAction:
    """Return the failure with all deviations."""
    remedy = (
        f"Write a fresh plan with --check and -e kafka_plan_file, review it, and approve that one instead of {path}."
    )
    return refusal("The approved plan no longer fits", found, hosts, remedy)
