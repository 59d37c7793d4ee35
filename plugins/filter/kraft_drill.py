"""Filters of a drill: thin names for pure functions of ``operations/drill``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.drill import faults


def kraft_drill(
    names: Iterable[str], profile: str, seconds: int, nodes: Mapping[str, Mapping[str, Any]], host: str = ""
) -> dict[str, Any]:
    """Return ``actions`` of faults, those to be ``examined`` before, and ``problems`` why they may not be rehearsed.

    ``actions``: fault -> its effect on a host. ``cut``: ``peers`` and ``ports`` that a packet filter blocks to cut
    `host` off. `profile`: the cluster's; a fault lasts `seconds`; `nodes`: of ``kafka_desired``.
    """
    asked = list(names)
    return {
        "actions": {name: faults.FAULTS[name].action for name in asked},
        "examined": faults.examined(asked),
        "problems": faults.drill_refusals(asked, profile, int(seconds)),
        "cut": faults.cut(host, nodes),
    }


class FilterModule:
    """Filters for drills."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_drill": kraft_drill,
        }
