"""Addresses by which nodes find the controllers, in each form that Kafka takes."""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.identity import directory_id
from ansible.module_utils.kraft.kafka_terms import CONTROLLER
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC, Cluster, Node


@dataclasses.dataclass(frozen=True)
class Voter:
    """A controller in the quorum's list. ``directory_id`` is empty in a static quorum, which has none."""

    node_id: int
    host: str
    address: str
    port: int
    directory_id: str = ""

    @property
    def endpoint(self) -> str:
        return host_port(self.address, self.port)

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "directory_id": self.directory_id or None}


def node_directory_id(cluster: Cluster, node: Node) -> str:
    """Return the metadata directory's id of a controller in a dynamic quorum; empty for all others: Kafka draws it."""
    if not node.is_controller or cluster.quorum != DYNAMIC:
        return ""
    return node.given_directory_id or directory_id(cluster.cluster_id, node.node_id)


def voters(cluster: Cluster) -> list[Voter]:
    """Return all controllers with a controller listener, by node id."""
    found = ((node, node.listener_for(CONTROLLER)) for node in cluster.controllers)
    return [
        Voter(
            node_id=node.node_id,
            host=node.host,
            address=listener.advertised_host,
            port=listener.advertised_port,
            directory_id=node_directory_id(cluster, node),
        )
        for node, listener in found
        if listener
    ]


def initial_controllers(cluster: Cluster) -> str:
    """Return ``id@host:port:directory-id,...`` for ``kafka-storage format``; empty in a static quorum."""
    if cluster.quorum != DYNAMIC:
        return ""
    return ",".join(f"{voter.node_id}@{voter.endpoint}:{voter.directory_id}" for voter in voters(cluster))


def static_voters(cluster: Cluster) -> str:
    """Return ``id@host:port,...`` for ``controller.quorum.voters``."""
    return ",".join(f"{voter.node_id}@{voter.endpoint}" for voter in voters(cluster))


def controller_bootstrap(cluster: Cluster) -> str:
    """Return ``host:port,...`` of all controllers."""
    return ",".join(voter.endpoint for voter in voters(cluster))


def bootstrap_servers(cluster: Cluster) -> str:
    """Return ``host:port,...`` of the brokers for our own clients."""
    found = (cluster.client_listener(node) for node in cluster.brokers)
    return ",".join(listener.advertised_address for listener in found if listener)


def quorum_settings(cluster: Cluster) -> dict[str, str]:
    """Return the one property by which a node finds the controllers: the two forms exclude each other."""
    if cluster.quorum == DYNAMIC:
        return {"controller.quorum.bootstrap.servers": controller_bootstrap(cluster)}
    return {"controller.quorum.voters": static_voters(cluster)}
