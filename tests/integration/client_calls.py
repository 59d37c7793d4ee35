"""One call of each module with a ``client``, to test whether it queries another cluster; the quorum; and an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.errors import KraftError

VOTER = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 1}
NODE = {"host": "k1", "node_id": 1}
MIRROR = {"source": {"name": "old", "bootstrap_servers": ["{ours}"]}}
#: Module -> its parameters beside ``client``; ``{ours}`` and ``{foreign}`` are a broker's address of that cluster.
CALLS: dict[str, dict[str, Any]] = {
    "kafka_acl": {"prune": True, "prune_most": 100, "acls": []},
    "kafka_certificate": {
        "state": "loaded",
        "node_id": 1,
        "listeners": [{"name": "A", "address": "{foreign}", "protocol": "PLAINTEXT", "purpose": "inter_broker"}],
        "controllers": [],
        "directory": "{directory}",
    },
    "kafka_cluster_info": {"timeout": 5},
    "kafka_config": {"entities": [{"name": "1", "config": {"num.io.threads": 3}}]},
    "kafka_change_plan": {"kind": "live", "nodes": [{**NODE, "wanted": {"num.io.threads": "3"}}]},
    "kafka_connectivity_info": {
        "controllers": [{"node_id": 1, "address": "{foreign_controller}"}],
        "broker": "{foreign}",
        "node_id": 1,
    },
    "kafka_registration": {
        "node_id": 9,
        "role": "controller",
        "controllers": [{"node_id": 1, "address": "{foreign_controller}"}],
    },
    "kafka_feature": {"features": {"group.version": 0}, "allow_downgrade": True},
    "kafka_health": {"unit": "", "timeout": 60},
    "kafka_host_info": {},
    "kafka_mirror": {
        "state": "reversed",
        "mirror": MIRROR,
        "ends": {"ours": {}, "theirs": {}},
        "replication_factor": 1,
    },
    "kafka_mirror_info": {"mirror": MIRROR, "known_settings": {}, "replication_factor": 1},
    "kafka_quorum_voter": {"node_id": 9, "listeners": [VOTER]},
    "kafka_quota": {"prune": True, "prune_most": 100, "quotas": []},
    "kafka_reassignment": {},
    "kafka_resources": {
        "topics": [{"name": "strayed", "partitions": 1, "replication_factor": 1}],
        "users": [],
        "acls": [],
        "quotas": [],
        "prune": ["users", "acls", "quotas"],
        "prune_most": 100,
    },
    "kafka_safety_check": {"node_ids": [1], "timeout": 60},
    "kafka_topic": {"name": "strayed", "partitions": 1, "replication_factor": 1},
    "kafka_user": {"prune": True, "prune_most": 100, "users": []},
}


def quorum_of(
    run_module: Callable[..., dict[str, Any]], client: dict[str, Any], timeout: int = 15, **expected: Any
) -> Any:
    """Return the quorum of a cluster, or the module's message. `expected`: what the module waits for."""
    asked = {"client": client, "gather": ["quorum"], "quorum": expected, "timeout": timeout}
    found = run_module("kafka_cluster_info", **asked)
    return found["msg"] if found.get("failed") else found["snapshot"]["quorum"]


def raised(ask: Callable[[], object]) -> KraftError | None:
    """Return the error of a request; None if it has an answer."""
    try:
        ask()
    except KraftError as error:
        return error
    return None
