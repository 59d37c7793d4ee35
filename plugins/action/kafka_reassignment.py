"""Shows the plan before anything is moved, and how far it is while replicas move."""

from __future__ import annotations

from pathlib import Path

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.reassignment.moves_action import MovesAction


class ActionModule(MovesAction):
    module = "kafka_reassignment"
