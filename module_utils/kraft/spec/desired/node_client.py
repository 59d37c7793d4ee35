"""How modules reach the nodes: their ``client`` parameter, from listeners that are deployed or shall be. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.terms import INTER_BROKER, PLAINTEXT


def client_parameter(listeners: Iterable[Mapping[str, Any]], install_dir: str) -> dict[str, Any]:
    """`listeners`: name, address (``host:port``), protocol and purpose of those that only nodes use, in order of trial.

    Modules ask brokers by the brokers' own listener: what is advertised to clients may be an address that a node is not
    let in by. They act as the node on whose host they run, below `install_dir`. Of two listeners with one address the
    first counts: another protocol at an address comes only with a stop of all nodes.
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
        "node": f"{install_dir}/current/config/server.properties",
        "python_path": f"{install_dir}/client/kafka_python.zip",
    }


def _way(name: str, protocol: str) -> dict[str, str]:
    return {"listener": name, "security_protocol": protocol}
