"""Nodes that an operation adds or removes, and the cluster before and after that. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.kafka_terms import BROKER, CONTROLLER

#: Variables that name these nodes.
ADDED, REMOVED = "kafka_add_nodes", "kafka_remove_nodes"


def split(names: Iterable[str] | str) -> list[str]:
    """Return names of a list, or of a text with commas."""
    return [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else list(names)


def named(names: Iterable[str] | str, hosts: Iterable[str], variable: str) -> list[str]:
    """Return the `hosts` that a user's `variable` names, in their own order. Raises RefusedError for unknown names.

    A text such as "," that names no host is refused, too: an operation may take no names as all hosts.
    """
    known = list(hosts)
    asked = split(names)
    if isinstance(names, str) and names and not asked:
        raise RefusedError([f"{variable}: {names!r} names no node of this cluster ({', '.join(known)})"])
    for name in asked:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise RefusedError([f"{variable}: {name!r} is no node of this cluster ({', '.join(known)}){hint}"])
    return [host for host in known if host in asked]


def with_members(state: Mapping[str, Any], added: Collection[str], removed: Collection[str]) -> dict[str, Any]:
    """Return the ``cluster`` of a desired `state` with ``joining``, ``leaving`` and the health that is expected.

    `added` and `removed`: hosts of the state.

    ``expected`` and ``controller_addresses``: of the whole cluster, for ``kafka_health``. ``joining.before`` has both
    for the nodes that are members before an addition, ``leaving.expected`` for those that stay after a removal.
    ``hosts`` are the nodes themselves, ``others`` the nodes through which the cluster is queried meanwhile.
    """
    nodes = state["nodes"]
    new = [nodes[host] for host in added]
    gone = [nodes[host]["node_id"] for host in removed]
    whole, after = _health(state, nodes), _health(state, [host for host in nodes if host not in removed])
    return {
        **state["cluster"],
        **whole,
        "joining": {
            "hosts": list(added),
            "others": [host for host in nodes if host not in added],
            "controllers": [_as_voter(node) for node in new if CONTROLLER in node["roles"]],
            "brokers": [node["as_broker"] for node in new if BROKER in node["roles"]],
            "before": _health(state, [host for host in nodes if host not in added]),
        },
        "leaving": {
            "hosts": list(removed),
            "others": [host for host in nodes if host not in removed],
            "node_ids": gone,
            "broker_ids": [each for each in gone if each in whole["expected"]["broker_ids"]],
            "controller_ids": [each for each in gone if each in whole["expected"]["voter_ids"]],
            "controllers_left": [each for each in state["cluster"]["controllers"] if each["node_id"] not in gone],
            "expected": after["expected"],
        },
    }


def _health(state: Mapping[str, Any], hosts: Iterable[str]) -> dict[str, Any]:
    """Return ``expected`` and ``controller_addresses`` of a cluster of these hosts alone."""
    cluster, ids = state["cluster"], {state["nodes"][host]["node_id"] for host in hosts}
    return {
        "expected": {
            "cluster_id": cluster["cluster_id"],
            "broker_ids": [each for each in cluster["broker_ids"] if each in ids],
            "voter_ids": [each for each in cluster["controller_ids"] if each in ids],
        },
        "controller_addresses": [each["address"] for each in cluster["controllers"] if each["node_id"] in ids],
    }


def _as_voter(node: Mapping[str, Any]) -> dict[str, Any]:
    return {name: node[name] for name in ("node_id", "directory_id", "voter_listeners")}
