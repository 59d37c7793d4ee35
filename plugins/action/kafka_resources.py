"""The control side of `kafka_resources`: who asks for the lock under which it works, and whose lock is in the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import this_run
from ansible.module_utils.kraft.node.run_lock import lock


class ActionModule(ActionBase):
    """Takes over the lock of a dead run of this machine, as `kafka_lock` does; otherwise refuses with its holder."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        if not boolean(self._task.args.get("lock", False), strict=False):
            return dict(self._execute_module(task_vars=task_vars))
        ours, check_mode = this_run.asking(this_run.main_process()), bool(self._task.check_mode)
        # By this a later run knows what a killed one left at work on the host, and waits for it.
        self._task.environment = [*(self._task.environment or []), {lock.RUN_VARIABLE: ours.run}]
        arguments = {**self._task.args, "record": ours.as_dict()}
        result, holder = this_run.asked_as(
            ours,
            check_mode,
            lambda more: dict(self._execute_module(module_args={**arguments, **more}, task_vars=task_vars)),
        )
        host = str(self._task.delegate_to or (task_vars or {}).get("inventory_hostname", "the host"))
        if not result.get("granted", True) and holder:
            if not check_mode:
                return {**result, "failed": True, "msg": lock.refusal(host, holder)}
            this_run.warn(host, holder)
        return {key: value for key, value in result.items() if key not in ("granted", "holder")}
