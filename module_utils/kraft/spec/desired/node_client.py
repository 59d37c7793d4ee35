"""Connection of modules to the nodes: their ``client`` parameter, from deployed or desired listeners. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port, node_setting
from ansible.module_utils.kraft.kafka_terms import CLIENT, INTER_BROKER, PLAINTEXT

WILDCARDS = ("0.0.0.0", "::", "0:0:0:0:0:0:0:0")  # noqa: S104 -- what a listener may be bound to


def client_parameter(listeners: Iterable[Mapping[str, Any]], install_dir: str, cluster_id: str) -> dict[str, Any]:
    """`listeners`: name, address (``host:port``), protocol and purpose of those that only nodes use, in order of trial.

    Modules connect to brokers by the brokers' own listener: an address advertised to clients may refuse a node.
    They act as the node on whose host they run, below `install_dir`, and accept no cluster but `cluster_id`. With
    two listeners at one address the first counts: another protocol at an address comes only with a stop of all nodes.
    """
    by_address: dict[str, Mapping[str, Any]] = {}
    for one in listeners:
        by_address.setdefault(one["address"], one)
    found = by_address.values()
    brokers = [one for one in found if one["purpose"] == INTER_BROKER]
    ways: dict[tuple[str, str], list[str]] = {}
    for one in found:
        ways.setdefault((one["name"], one["protocol"]), []).append(one["address"])
    first = next(((one["name"], one["protocol"]) for one in brokers), ("", PLAINTEXT))
    others = [
        {"bootstrap_servers": addresses, **_way(*way)}
        for way, addresses in ways.items()
        if way != first and (first[1], way[1]) != (PLAINTEXT, PLAINTEXT)
    ]
    return {
        "bootstrap_servers": [one["address"] for one in brokers],
        **_way(*first),
        "others": others,
        "cluster_id": cluster_id,
        **_of_node(install_dir),
    }


def login_parameters(node: Mapping[str, Any], cluster_id: str) -> dict[str, dict[str, Any]]:
    """Return clients for ``kafka_user`` to try passwords with on the host of `node`: SCRAM mechanism -> ``client``.

    Each at the first client listener that takes it; others are left out. The client trusts the node's authorities.
    Certificates are for advertised names, and this is the host's own address: so names are not compared.
    """
    found: dict[str, dict[str, Any]] = {}
    for one in node["listeners"]:
        if one["purpose"] != CLIENT or not one["protocol"].startswith("SASL"):
            continue
        host = node["address"] if one["bind"] in WILDCARDS else one["bind"]
        way = {
            **_of_node(node["install_dir"]),
            "cluster_id": cluster_id,
            "bootstrap_servers": [host_port(host, one["port"])],
            "check_hostname": False,
            **_way(one["name"], one["protocol"]),
        }
        for each in node_setting(node["properties"], one["name"], "sasl.enabled.mechanisms").upper().split(","):
            if each.strip().startswith("SCRAM"):
                found.setdefault(each.strip(), way)
    return found


def _of_node(install_dir: str) -> dict[str, str]:
    return {
        "node": f"{install_dir}/current/config/server.properties",
        "python_path": f"{install_dir}/client/kafka_python.zip",
    }


def _way(name: str, protocol: str) -> dict[str, str]:
    return {"listener": name, "security_protocol": protocol}
