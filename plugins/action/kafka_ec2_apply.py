"""Names the run that makes things on EC2, and takes over the lock of a run of this machine that is dead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import this_run
from ansible.module_utils.kraft.node.run_lock import lock

DISPLAY = Display()


class ActionModule(ActionBase):
    """Adds the record of the calling run; the module does the work."""

    _supports_check_mode = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        broken = str(arguments.pop("break_run", "") or "")
        ours = this_run.asking(this_run.main_process())
        if arguments.get("state", "present") == "present":
            DISPLAY.display("Waiting for AWS: a new machine takes about a minute until it runs.")

        def execute(more: dict[str, str]) -> dict[str, Any]:
            given = {**arguments, "record": ours.as_dict(), "break_run": broken, **more}
            answer: dict[str, Any] = self._execute_module("kafka_ec2_apply", module_args=given, task_vars=task_vars)
            return answer

        result, holder = this_run.asked_as(ours, False, execute)
        if holder and not result.get("granted"):
            return {
                **result,
                "failed": True,
                "msg": f"Nothing was changed in AWS. {lock.refusal('The cluster', holder)}",
            }
        return result
