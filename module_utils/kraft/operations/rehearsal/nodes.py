"""Nodes of a rehearsal: the controllers of a cluster by their ids and addresses, and one new broker. Pure.

All listeners are PLAINTEXT: nothing leaves the network of the rehearsal, and no key is brought there.
"""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port, split_host_port

DYNAMIC = "dynamic"
LISTENER = "REHEARSAL"  #: of the broker
BROKER_HOST, FIRST_PORT = "127.0.0.1", 29092
#: A broker that does not run stays as it was registered: no session ends during a rehearsal.
SESSION_MS = 3_600_000
NAMES_FROM = "198.18.0.0"  #: RFC 2544: addresses for names, which no network has
LOG4J = """
Configuration:
  status: error
  Appenders:
    File:
      - {{name: file, fileName: {path}, PatternLayout: {{pattern: "%d %p %m (%c)%n"}}}}
  Loggers:
    Root: {{level: info, AppenderRef: [{{ref: file}}]}}
"""


@dataclasses.dataclass(frozen=True)
class Controller:
    """``address``: of its controller listener; ``directory_id``: as the quorum lists it, empty in a static quorum."""

    node_id: int
    address: str
    directory_id: str = ""


@dataclasses.dataclass(frozen=True)
class Rehearsed:
    """The cluster that is rehearsed. ``brokers``: ids of the inventory; ``addresses``: of all its nodes."""

    cluster_id: str
    quorum: str
    listener: str
    controllers: tuple[Controller, ...]
    brokers: tuple[int, ...]
    addresses: tuple[str, ...]


def broker_id(cluster: Rehearsed, registered: Iterable[int]) -> int:
    """Return an id that no node has had, as far as the metadata show."""
    return max([0, *cluster.brokers, *registered, *(one.node_id for one in cluster.controllers)]) + 1


def broker_address(cluster: Rehearsed) -> str:
    """Return an address inside that no controller has."""
    taken = {split_host_port(one.address)[1] for one in cluster.controllers}
    return host_port(BROKER_HOST, next(port for port in range(FIRST_PORT, 65536) if port not in taken))


def hosts(cluster: Rehearsed) -> dict[str, str]:
    """Return host of each controller -> its IP address inside: its own or, for a name, one of RFC 2544."""
    named = sorted({split_host_port(one.address)[0] for one in cluster.controllers})
    first = ipaddress.ip_address(NAMES_FROM)
    return {name: address(name) or str(first + at) for at, name in enumerate(named, 1)}


def address(host: str) -> str:
    """Return an IP address in its usual form; empty for a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


def hosts_file(known: Mapping[str, str]) -> str:
    """Return the text of /etc/hosts inside."""
    named = [f"{ip} {name}" for name, ip in known.items() if not address(name)]
    return "\n".join(["127.0.0.1 localhost", "::1 localhost", *named, ""])


def quorum_setting(cluster: Rehearsed) -> dict[str, str]:
    """Return the setting by which nodes find the controllers."""
    if cluster.quorum == DYNAMIC:
        return {"controller.quorum.bootstrap.servers": ",".join(one.address for one in cluster.controllers)}
    return {"controller.quorum.voters": ",".join(f"{one.node_id}@{one.address}" for one in cluster.controllers)}


def common(cluster: Rehearsed, node_id: int, directory: str) -> dict[str, str]:
    return {
        "node.id": str(node_id),
        "log.dirs": f"{directory}/data",
        "controller.listener.names": cluster.listener,
        "listener.security.protocol.map": f"{cluster.listener}:PLAINTEXT,{LISTENER}:PLAINTEXT",
        **quorum_setting(cluster),
    }


def controller_properties(cluster: Rehearsed, one: Controller, directory: str) -> dict[str, str]:
    """Return ``server.properties`` of a controller."""
    return {
        **common(cluster, one.node_id, directory),
        "process.roles": "controller",
        "listeners": f"{cluster.listener}://{one.address}",
        "broker.session.timeout.ms": str(SESSION_MS),
    }


def broker_properties(cluster: Rehearsed, node_id: int, address: str, directory: str) -> dict[str, str]:
    """Return ``server.properties`` of the new broker."""
    return {
        **common(cluster, node_id, directory),
        "process.roles": "broker",
        "listeners": f"{LISTENER}://{address}",
        "inter.broker.listener.name": LISTENER,
        "auto.create.topics.enable": "false",
    }


def properties_text(values: Mapping[str, Any]) -> str:
    """Return the text of a file of properties."""
    return "".join(f"{key}={value}\n" for key, value in sorted(values.items()))


def meta_properties(cluster_id: str, node_id: int, directory_id: str) -> str:
    """Return ``meta.properties`` of a formatted log dir."""
    return properties_text({"version": 1, "cluster.id": cluster_id, "node.id": node_id, "directory.id": directory_id})
