"""Filters of the roles: thin names for pure functions of ``module_utils/kraft``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.cluster import roll
from ansible.module_utils.kraft.cluster.snapshot import from_dict
from ansible.module_utils.kraft.node.unit import fingerprinted
from ansible.module_utils.kraft.preflight.network import questions


def kraft_directory(path: str, owner: str, group: str, mode: str) -> dict[str, str]:
    """One entry of ``kafka_files``' ``directories``, for ``map``."""
    return {"path": path, "owner": owner, "group": group, "mode": mode}


def kraft_roll_order(
    hosts: Iterable[str], hostvars: Mapping[str, Any], desired: Mapping[str, Any], snapshot: Mapping[str, Any] | None
) -> list[str]:
    """Those of `hosts` whose process must be restarted, in the order in which that is done.

    Reads what ``kafka_node`` registered as ``__kafka_started`` on each host; `desired` is ``kafka_desired``'s fact.
    Without a snapshot (check mode, nobody answers) the order is that of the node ids.
    """
    stale = {desired["nodes"][host]["node_id"]: host for host in hosts if hostvars[host]["__kafka_started"]["stale"]}
    cluster = desired["cluster"]
    seen = from_dict(snapshot or {"cluster_id": cluster["cluster_id"]})
    return [stale[node_id] for node_id in roll.order(stale, seen, cluster["controller_ids"], cluster["broker_ids"])]


def kraft_first_broker(hosts: Iterable[str], desired: Mapping[str, Any]) -> str:
    """The first of `hosts` that is a broker; `desired` is ``kafka_desired``'s fact."""
    return next(host for host in hosts if "broker" in desired["nodes"][host]["roles"])


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_directory": kraft_directory,
            "kraft_first_broker": kraft_first_broker,
            "kraft_fingerprinted_unit": fingerprinted,
            "kraft_questions": questions,
            "kraft_roll_order": kraft_roll_order,
        }
