"""The control side's half of `kafka_certificate_info`: reads the certificates that the host was shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control.certificate_facts import with_facts


class ActionModule(ActionBase):
    """Hosts need no library for certificates."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        result.update(self._execute_module(task_vars=task_vars))
        if "certificates" in result:
            result["certificates"] = with_facts(result["certificates"], result["asked_at"])
        return result
