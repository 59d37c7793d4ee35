"""The control side of `kafka_connectivity_info`: the addresses that answer as a fact of its host."""

from __future__ import annotations

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.remembered import RememberingAction


class ActionModule(RememberingAction):
    FACT = "kafka_connectivity"
