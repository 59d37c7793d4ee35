"""Values from the inventory and the running cluster that a rehearsal needs. Pure; control side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.cluster.departed import running
from ansible.module_utils.kraft.cluster.snapshot import from_dict
from ansible.module_utils.kraft.kafka_terms import CONTROLLER
from ansible.module_utils.kraft.spec.inventory.releases import release_features

Values = Mapping[str, Any]


def cluster(desired: Values, snapshot: Values) -> dict[str, Any]:
    """Return parameter ``cluster`` of ``kafka_rehearsal``.

    `desired`: ``kafka_desired``; `snapshot`: of ``kafka_cluster_info``, whose quorum has the directory ids.
    """
    described, seen = desired["cluster"], snapshot["quorum"]
    ids = {one["node_id"]: one["directory_id"] for one in seen["voters"]}
    of_controllers = [
        one["name"] for node in desired["nodes"].values() for one in node["listeners"] if one["purpose"] == CONTROLLER
    ]
    of_brokers = [host_port(one["host"], one["port"]) for one in snapshot["brokers"]]
    return {
        "cluster_id": described["cluster_id"],
        "quorum": described["quorum"],
        "listener": of_controllers[0],
        "controllers": [{**one, "directory_id": ids.get(one["node_id"], "")} for one in described["controllers"]],
        "broker_ids": described["broker_ids"],
        "addresses": sorted({*of_brokers, *(one["address"] for one in described["controllers"])}),
    }


def about(result: Values, described: Values, snapshot: Values, source: str) -> dict[str, Any]:
    """Return the values of the page beside the `result`. ``running``: why ghost controllers have not left."""
    ghosts = [one["node_id"] for one in result["ghost_controllers"]]
    return {
        "name": described["name"],
        "version": described["version"],
        "source": source,
        "features": release_features(described["version"]),
        "running": running(ghosts, from_dict(snapshot)),
    }
