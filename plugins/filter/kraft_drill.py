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


def kraft_drill_action(fault: str) -> str:
    """Return the effect of a fault on a host: killed, frozen, unreadable, full, cut_off or rebooted."""
    return faults.FAULTS[fault].action


def kraft_drill_examined(names: Iterable[str]) -> list[str]:
    """Return the effects of these faults that not every host supports."""
    return faults.examined(names)


def kraft_drill_cut(desired: Mapping[str, Any], host: str) -> dict[str, list[Any]]:
    """Return the addresses that a packet filter blocks to cut a host off: ``peers`` and ``ports``."""
    return faults.cut(host, desired["nodes"])


def kraft_drill_problems(names: Iterable[str], profile: str, seconds: int) -> list[str]:
    """Return why these faults may not be rehearsed on a cluster of that profile; a fault lasts `seconds`."""
    return faults.drill_refusals(names, profile, int(seconds))


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
            "kraft_drill_action": kraft_drill_action,
            "kraft_drill_cut": kraft_drill_cut,
            "kraft_drill_examined": kraft_drill_examined,
            "kraft_drill_hosts": kraft_drill_hosts,
            "kraft_drill_problems": kraft_drill_problems,
        }
