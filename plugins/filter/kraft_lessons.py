"""Filter of the lessons: how their program reaches the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleFilterError

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, PLAINTEXT

NODES = 3
NEEDED = "the lessons need three nodes, each broker and controller: run them on `make demo`"


def kraft_lesson_nodes(nodes: Mapping[str, Any], variables: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return ``node_id``, ``client``, ``controller`` and ``ssh`` of each node.

    `nodes`: those of ``kafka_desired``'s fact; `variables`: of Ansible's connection to each of them, in their order.
    Fails without three nodes that are broker and controller, and with TLS.
    """
    found = [_node(host, node, own) for (host, node), own in zip(nodes.items(), variables)]
    if len(found) != NODES:
        raise AnsibleFilterError(NEEDED)
    return found


def _node(host: str, node: Mapping[str, Any], variables: Mapping[str, Any]) -> dict[str, Any]:
    first = {one["purpose"]: one for one in reversed(node["listeners"])}
    if {CLIENT, CONTROLLER} - first.keys():
        raise AnsibleFilterError(f"{host}: {NEEDED}")
    if any(one["protocol"] != PLAINTEXT for one in first.values()):
        raise AnsibleFilterError(f"{host}: the lessons need listeners without TLS: run `make demo` without SECURITY")
    return {
        "node_id": node["node_id"],
        "client": _address(first[CLIENT]),
        "controller": _address(first[CONTROLLER]),
        "ssh": {
            "address": str(variables.get("ansible_host") or host),
            "user": str(variables.get("ansible_user") or ""),
            "port": int(variables.get("ansible_port") or 22),
            "key": str(variables.get("ansible_ssh_private_key_file") or ""),
            "options": str(variables.get("ansible_ssh_common_args") or ""),
        },
    }


def _address(listener: Mapping[str, Any]) -> str:
    return host_port(listener["advertised"]["host"], int(listener["advertised"]["port"]))


class FilterModule:
    """Filters for lessons."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {"kraft_lesson_nodes": kraft_lesson_nodes}
