"""Filters of rolls and maintenance: names for pure functions of ``operations/roll``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.operations.roll import nodes, outcome


def kraft_looks(hosts: Iterable[str], hostvars: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of ``kafka_host_info`` on `hosts`, for ``kafka_roll_plan``."""
    return nodes.host_looks({host: (hostvars[host].get("ansible_facts") or {}).get("kafka_host") for host in hosts})


class FilterModule:
    """Filters for rolling restarts."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_batch_failure": outcome.batch_failure,
            "kraft_change_nodes": nodes.change_nodes,
            "kraft_looks": kraft_looks,
            "kraft_maintenance_failure": outcome.maintenance_failure,
            "kraft_stale": nodes.stale,
            "kraft_to_revert": outcome.to_revert,
        }
