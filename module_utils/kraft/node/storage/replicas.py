"""Replicas in a log dir that a node was deployed with."""

from __future__ import annotations

import os
import re
from typing import Any

from ansible.module_utils.kraft.node.storage.log_dir import PARTITION_DIR, SHOWN

#: Directories that Kafka deletes, moves here, or has given up.
LEAVING = re.compile(r"-(delete|future|stray)$")


def held_replicas(path: str) -> dict[str, Any]:
    """Return ``{read, replicas, named}`` of a log dir, without replicas that Kafka deletes or moves here."""
    try:
        with os.scandir(path) as entries:
            names = sorted(one.name for one in entries if one.is_dir())
    except OSError:
        return {"read": False, "replicas": 0, "named": []}
    held = [name for name in names if PARTITION_DIR.fullmatch(name) and not LEAVING.search(name)]
    return {"read": True, "replicas": len(held), "named": held[:SHOWN]}
