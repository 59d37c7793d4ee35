"""``server.properties`` as layers: defaults < derived < cluster < group < host. The last to name a key wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.spec.desired import java_properties
from ansible.module_utils.kraft.spec.desired.access import access_settings, super_users_on_the_way
from ansible.module_utils.kraft.spec.desired.listener_properties import listener_settings
from ansible.module_utils.kraft.spec.desired.model import Cluster, Node
from ansible.module_utils.kraft.spec.desired.quorum import quorum_settings
from ansible.module_utils.kraft.spec.desired.sizing import io_threads, network_threads

HEADING = "Written by Kraftwright; changes made here are lost. Where a value comes from: kafka_config and its layers."

#: Our settings for production if Kafka's own default is not suitable, or must not change unnoticed.
#: replica.fetch: a follower that fetches from its new leader too early retries after the backoff, and only when its
#: fetcher has done with waiting for other partitions. With Kafka's own 1000 and 500 ms, a planned move of a leader may
#: cost clients more than a second (ADR 21).
DEFAULTS: dict[str, str] = {
    "replica.fetch.backoff.ms": "100",
    "replica.fetch.wait.max.ms": "100",
    "socket.receive.buffer.bytes": "102400",
    "socket.request.max.bytes": "104857600",
    "socket.send.buffer.bytes": "102400",
}

#: With ``kafka_failure_detection: fast``: a dead broker loses its leaders after 2.4 s in place of 9, a dead active
#: controller its office after 1 s in place of 2. Each stays a multiple of the interval in which running nodes report.
FAST: dict[str, str] = {
    "broker.heartbeat.interval.ms": "400",
    "broker.session.timeout.ms": "2400",
    "controller.quorum.election.backoff.max.ms": "500",
    "controller.quorum.election.timeout.ms": "500",
    "controller.quorum.fetch.timeout.ms": "1000",
    "controller.quorum.request.timeout.ms": "1000",
}

#: Settings that follow from a variable: by hand they would contradict what else is derived from it.
OWNED: dict[str, str] = {
    "advertised.listeners": "kafka_listeners",
    "auto.create.topics.enable": "kafka_auto_create_topics",
    "broker.rack": "kafka_rack",
    "controller.listener.names": "kafka_listeners",
    "controller.quorum.bootstrap.servers": "kafka_quorum and kafka_listeners",
    "controller.quorum.voters": "kafka_quorum and kafka_listeners",
    "default.replication.factor": "kafka_default_replication_factor",
    "inter.broker.listener.name": "kafka_listeners",
    "listener.security.protocol.map": "kafka_listeners",
    "listeners": "kafka_listeners",
    "log.dir": "kafka_log_dirs",
    "log.dirs": "kafka_log_dirs",
    "metadata.log.dir": "kafka_metadata_log_dir",
    "min.insync.replicas": "kafka_min_insync_replicas",
    "node.id": "kafka_node_id",
    "process.roles": "kafka_process_roles",
    "security.inter.broker.protocol": "kafka_listeners",
}


def replication_settings(cluster: Cluster) -> dict[str, str]:
    """Return replicas of topics and of Kafka's own topics.

    All nodes get them, for brokers use them for the topics they make. With eligible leader replicas the active
    controller's ``min.insync.replicas`` becomes the cluster's when a new cluster starts, and later files do not count.
    """
    factor, in_sync = str(cluster.replication_factor), str(cluster.min_isr)
    return {
        "auto.create.topics.enable": java_properties.value_text(cluster.auto_create_topics),
        "default.replication.factor": factor,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": factor,
        "share.coordinator.state.topic.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": factor,
        "transaction.state.log.min.isr": in_sync,
        "transaction.state.log.replication.factor": factor,
    }


def node_settings(node: Node) -> dict[str, str]:
    """Return the settings that follow from the node alone: identity, place, directories, cores."""
    settings = {
        "log.dirs": ",".join(node.log_dirs),
        "node.id": str(node.node_id),
        "num.io.threads": str(io_threads(node.facts.cpus, len(node.log_dirs))),
        "num.network.threads": str(network_threads(node.facts.cpus)),
        "process.roles": ",".join(node.roles),
    }
    if node.metadata_log_dir:
        settings["metadata.log.dir"] = node.metadata_log_dir
    if node.rack and node.is_broker:
        settings["broker.rack"] = node.rack
    return settings


def given_settings(node: Node) -> dict[str, str]:
    """Return the settings of the inventory's layers, the narrowest last."""
    return merged(layer.settings for layer in node.layers)


def merged(layers: Iterable[Mapping[Any, Any]]) -> dict[str, str]:
    """Merge layers of settings, by keys and values that are text; the last layer with a key wins."""
    return {str(key): java_properties.value_text(value) for layer in layers for key, value in layer.items()}


def server_settings(cluster: Cluster, node: Node) -> dict[str, str]:
    """Return all settings of a node, sorted by key."""
    settings = {
        **DEFAULTS,
        **(FAST if cluster.fast_detection else {}),
        **replication_settings(cluster),
        **node_settings(node),
        **listener_settings(cluster, node),
        **access_settings(cluster, node),
        **quorum_settings(cluster),
        **given_settings(node),
    }
    settings |= super_users_on_the_way(cluster, settings)
    return {key: settings[key] for key in sorted(settings)}


def properties_text(settings: Mapping[str, str]) -> str:
    """Return the file's text."""
    return java_properties.text_of(settings, HEADING)
