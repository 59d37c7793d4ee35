"""The deployed configuration of a node: its listeners and its voters. Pure.

The inventory has the desired state; requests to a running cluster must begin with the current one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.kafka_terms import (
    BROKER,
    CLIENT,
    CONTROLLER,
    INTER_BROKER,
    MIGRATION,
    OLD_INTER_BROKER,
    OPENED,
    SASL_SSL,
    SSL,
)
from ansible.module_utils.kraft.node.service.client_moves import advertised, not_for_clients, parts

Properties = Mapping[str, str]
VOTERS = "controller.quorum.voters"
#: Address by which the host reaches a listener on all interfaces.
LOOPBACK = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]", "0:0:0:0:0:0:0:0": "[::1]"}  # noqa: S104 -- compared
#: Sources of a list of voters.
RUNNING, IN_PLACE, STATE = "its running process", "its configuration", "its quorum-state file"


def deployed_node(running: Properties, in_place: Properties, quorum_state: str) -> dict[str, Any]:
    """Return the node as facts. `running` is empty if no process runs, or without a record.

    ``listeners``: name, address and bind (``host:port``), protocol and purpose of each advertised one. ``voters``:
    every list that the node has, with its source; none in a dynamic quorum. ``migration``: the phase of a migration of
    its security, with the names of the listeners that it has ``opened``, and ``old_inter_broker``.
    """
    counts = running or in_place
    lists = {RUNNING: listed(running), IN_PLACE: listed(in_place), STATE: elected(quorum_state)}
    return {
        "node_id": counts.get("node.id", ""),
        "roles": parts(counts, "process.roles"),
        "listeners": list(listeners(counts)),
        "voters": [{"source": source, "voters": found} for source, found in lists.items() if found],
        "authorizer": counts.get("authorizer.class.name", ""),
        "migration": counts.get(MIGRATION, ""),
        "opened": parts(counts, OPENED),
        "old_inter_broker": counts.get(OLD_INTER_BROKER, ""),
    }


def listeners(properties: Properties) -> Iterable[dict[str, str]]:
    controllers = parts(properties, "controller.listener.names")
    binds = dict(one.split("://", 1) for one in parts(properties, "listeners") if "://" in one)
    for name, where in advertised(properties).items():
        address, protocol = where.split(" ", 1)
        others = INTER_BROKER if name in not_for_clients(properties) else CLIENT
        purpose = CONTROLLER if name in controllers else others
        bind = binds.get(name, address)
        yield {"name": name, "address": address, "bind": bind, "protocol": protocol, "purpose": purpose}


def local_address(listener: Mapping[str, str]) -> str:
    """Return the address of one of its ``listeners`` for the host: the advertised one may work only from outside."""
    host, _, port = (listener.get("bind") or listener["address"]).rpartition(":")
    return f"{LOOPBACK.get(host.strip('[]'), host)}:{port}"


def secured_addresses(found: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the local addresses of all listeners with a certificate."""
    return [local_address(one) for one in found if one["protocol"] in (SSL, SASL_SSL)]


def listed(properties: Properties) -> list[dict[str, Any]]:
    """Parse the static voters of a configuration: ``{node_id, address}``; malformed entries are left out."""
    found = (one.split("@", 1) for one in parts(properties, VOTERS) if "@" in one)
    return [{"node_id": int(node_id), "address": where} for node_id, where in found if node_id.isdigit()]


def elected(quorum_state: str) -> list[dict[str, Any]]:
    """Parse the voters of a ``quorum-state`` file; its first form names them, that of a dynamic quorum does not."""
    try:
        found = json.loads(quorum_state or "{}").get("currentVoters") or []
        return [{"node_id": int(one["voterId"]), "address": ""} for one in found]
    except (ValueError, KeyError, TypeError, AttributeError):
        return []


def is_static(deployed: Mapping[str, Any]) -> bool:
    """Check that the process, or the installed configuration, has a list of voters. `deployed`: of `deployed_node`."""
    return any(one["source"] in (RUNNING, IN_PLACE) for one in deployed.get("voters", ()))


def listeners_now(nodes: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return ``{client, nodes}``: current addresses of the deployed nodes, by the first listener of each purpose.

    ``client``: addresses of brokers; ``nodes``: the listeners that only nodes use. `nodes`: facts of `deployed_node`.
    """
    found = list(nodes)
    brokers = [node["listeners"] for node in found if BROKER in node["roles"]]
    between = [one for own in brokers for one in first(own, INTER_BROKER)]
    between += [one for node in found for one in first(node["listeners"], CONTROLLER)]
    return {"client": [one["address"] for own in brokers for one in first(own, CLIENT)], "nodes": between}


def controllers_now(desired: Iterable[Mapping[str, Any]], nodes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return ``{node_id, address}`` of each controller: as deployed, or else as `desired`.

    `nodes`: the facts of ``deployed_node`` for the inspected nodes.
    """
    now = {node["node_id"]: one["address"] for node in nodes for one in first(node["listeners"], CONTROLLER)}
    return [{**one, "address": now.get(str(one["node_id"]), one["address"])} for one in desired]


def first(own: Iterable[Mapping[str, str]], purpose: str) -> list[Mapping[str, str]]:
    return [one for one in own if one["purpose"] == purpose][:1]
