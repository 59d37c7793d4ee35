"""The control side of `kafka_mirror_info`: it keeps secrets apart, and the state of a copy as a fact of its host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))
from ansible.module_utils.kraft.control.remembered import RememberingAction
from ansible.module_utils.kraft.spec.desired.mirror import parted


class ActionModule(RememberingAction):
    FACT = "kafka_mirror_seen"

    def arguments(self) -> dict[str, Any]:
        """Return the arguments with the secrets of the source apart, which no result shows."""
        given = super().arguments()
        return {**given, **parted(given["mirror"])} if given.get("mirror") else given
