"""The control side's half of `kafka_host_info`: brackets the host's time, which the host alone cannot judge."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.reaching import reached


class ActionModule(ActionBase):
    """Adds ``clock_offset``, the bounds in seconds of the host's clock minus ours: it read its clock between ours."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        before = time.time()
        result.update(reached(lambda: self._execute_module(module_args=self._task.args, task_vars=task_vars)))
        after = time.time()
        facts = result.get("ansible_facts", {}).get("kafka_host")
        if facts:
            facts["clock_offset"] = [facts["time"] - after, facts["time"] - before]
        return result
