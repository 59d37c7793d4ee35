"""The control side of plugins: transfers the file to the host, and removes it there afterwards."""

from __future__ import annotations

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.transferring import TransferringAction


class ActionModule(TransferringAction):
    MODULE = "kafka_plugin"
