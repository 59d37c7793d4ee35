"""Filters of a drill: thin names for pure functions of ``operations/drill``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleFilterError

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.cluster.snapshot import from_dict
from ansible.module_utils.kraft.errors import KraftError
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


def kraft_drill_hosts(fault: str, snapshot: Mapping[str, Any], desired: Mapping[str, Any]) -> list[str]:
    """The hosts that a fault breaks; `snapshot`: of ``kafka_cluster_info``, `desired`: ``kafka_desired``'s fact."""
    node_ids = {host: node["node_id"] for host, node in desired["nodes"].items()}
    try:
        return faults.hosts(fault, from_dict(snapshot), node_ids)
    except KraftError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Filters for drills."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_drill": kraft_drill,
            "kraft_drill_hosts": kraft_drill_hosts,
        }
