"""The control side of releases: brings the archive where it is needed, and takes it away again."""

from __future__ import annotations

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.transferring import TransferringAction


class ActionModule(TransferringAction):
    MODULE = "kafka_release"
