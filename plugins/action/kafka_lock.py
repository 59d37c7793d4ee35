"""Lets one run at a time change a host: the control side of `kafka_lock`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control import run_owner
from ansible.module_utils.kraft.control.reaching import reached
from ansible.module_utils.kraft.node.run_lock import lock


class ActionModule(ActionBase):
    """Queries the host; takes over the lock of a dead run of this machine; otherwise refuses with the holder's name."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        args, check_mode = dict(self._task.args), bool(self._task.check_mode)
        use = lock.VERIFIED if boolean(args.pop("shared", False), strict=False) else lock.CHANGED
        ours = run_owner.asking(run_owner.main_process(), use)
        host = str(self._task.delegate_to or (task_vars or {}).get("inventory_hostname", "the host"))
        arguments = {**args, "record": ours.as_dict()}
        result, holder = run_owner.asked_as(ours, check_mode, lambda more: self._ask({**arguments, **more}, task_vars))
        if "granted" not in result or arguments.get("state") == "released" or check_mode:
            if check_mode and holder and not result.get("granted", True):
                run_owner.warn(host, holder)
            return result
        if not result["granted"] and holder:
            return {**result, "failed": True, "msg": lock.refusal(host, holder)}
        return {**result, "ansible_facts": {"kafka_run": ours.run}}

    def _ask(self, arguments: dict[str, Any], task_vars: dict[str, Any] | None) -> dict[str, Any]:
        return reached(
            lambda: self._execute_module(module_name="kafka_lock", module_args=arguments, task_vars=task_vars)
        )
