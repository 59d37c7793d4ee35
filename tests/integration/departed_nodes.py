"""Nodes that left a test's cluster and are still registered, and a cluster with the features of 4.2."""

from __future__ import annotations

import dataclasses
import json
import uuid
import zipfile
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.departed import Registered
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.operations.features.departures import Departures

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import kafka_home
from tests.integration.patience import until


class Of42(KafkaCluster):
    format_options = ("--release-version", "4.2")


def kafkas_schema(name: str) -> dict[str, Any]:
    """Return a message's schema from Kafka's own jar, without its comments."""
    jar = next((kafka_home() / "libs").glob("kafka-clients-*.jar"))
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read(f"common/message/{name}.json").decode().splitlines()
    found: dict[str, Any] = json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))
    return found


def register_ghost(members: KafkaCluster, client: dict[str, Any], leader: int) -> None:
    """Register broker 9, which supports no more than 4.2 and never comes."""
    kind = "BrokerRegistrationRequest"
    levels = {"metadata.version": (7, 29), "kraft.version": (0, 1), "transaction.version": (0, 2)}
    levels |= dict.fromkeys(("group", "eligible.leader.replicas", "share", "streams"), (0, 1))
    with Client(client) as asking:
        features = [
            asking.struct(
                kind,
                "Feature",
                name=name if "version" in name else f"{name}.version",
                min_supported_version=low,
                max_supported_version=high,
            )
            for name, (low, high) in levels.items()
        ]
        where = {"host": "127.0.0.1", "port": 1, "security_protocol": 0}
        request = asking.request(
            kind,
            broker_id=9,
            cluster_id=members.cluster_id,
            incarnation_id=uuid.uuid4(),
            listeners=[asking.struct(kind, "Listener", name=name, **where) for name in ("CLIENT", "INTERNAL")],
            features=features,
            log_dirs=[uuid.uuid4()],
        )
        answer = asking.send(f"127.0.0.1:{members.nodes[leader].controller_port}", request)
        assert answer["error_code"] == 0
        assert 9 in until(lambda: {one.node_id for one in observe(asking).brokers}, lambda found: 9 in found)


def register_departed(members: KafkaCluster, client: dict[str, Any], node_id: int, most: int) -> None:
    """Register a controller that supports metadata.version up to `most` and does not exist, as one that left."""
    with Client(client) as asking:
        seen = observe(asking, ("features", "quorum"))
        features = [
            dataclasses.replace(one, maximum=most) if one.name == "metadata.version" else one
            for one in seen.features or ()
        ]
        addresses = {one["node_id"]: one["address"] for one in controllers_of(members)}
        Departures(asking, addresses).renew([Registered(node_id, "192.0.2.9", 9093)], seen, features)


def controllers_of(members: KafkaCluster) -> list[dict[str, Any]]:
    return [{"node_id": one.node_id, "address": f"127.0.0.1:{one.controller_port}"} for one in members.controllers]
