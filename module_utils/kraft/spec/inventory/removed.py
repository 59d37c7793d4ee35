"""Settings that Kafka once had, and what to do if one is still written down.

The keys are in the definitions of Kafka 2.8 or 3.9 and not in those of 4.3 (scripts/kafka_definitions compared them).
``broker.id`` is one more: 4.3 still reads it as another name of ``node.id``.
Source of the replacements: Kafka's upgrade notes, "Upgrading to 4.0".
"""

from __future__ import annotations

ZOOKEEPER = "Kafka no longer uses ZooKeeper"
NO_SUCCESSOR = "remove it; nothing takes its place"

REMOVED: dict[str, tuple[str, str]] = {
    "advertised.host.name": ("it was removed in Kafka 3.0", "use `advertised` in kafka_listeners"),
    "advertised.port": ("it was removed in Kafka 3.0", "use `advertised` in kafka_listeners"),
    "auto.include.jmx.reporter": (
        "it was removed in Kafka 4.0",
        "remove it; metric.reporters names org.apache.kafka.common.metrics.JmxReporter by default",
    ),
    "broker.id": (ZOOKEEPER, "use kafka_node_id"),
    "broker.id.generation.enable": (ZOOKEEPER, "remove it and give kafka_node_id for each host"),
    "control.plane.listener.name": (ZOOKEEPER, "use a listener with purpose controller in kafka_listeners"),
    "controlled.shutdown.max.retries": (ZOOKEEPER, NO_SUCCESSOR),
    "controlled.shutdown.retry.backoff.ms": (ZOOKEEPER, NO_SUCCESSOR),
    "delegation.token.master.key": ("it was removed in Kafka 4.0", "use delegation.token.secret.key"),
    "eligible.leader.replicas.enable": (
        "it was removed in Kafka 4.0",
        "remove it; new clusters have the feature eligible.leader.replicas.version",
    ),
    "group.coordinator.new.enable": (
        "it was removed in Kafka 4.0",
        "remove it; the new group coordinator is the only one",
    ),
    "group.share.enable": ("it was removed in Kafka 4.3", "remove it; the feature share.version decides"),
    "group.share.max.groups": ("it was removed", NO_SUCCESSOR),
    "host.name": ("it was removed in Kafka 3.0", "use `bind` in kafka_listeners"),
    "inter.broker.protocol.version": (ZOOKEEPER, "remove it; the feature metadata.version takes its place"),
    "leader.imbalance.per.broker.percentage": (ZOOKEEPER, NO_SUCCESSOR),
    "log.message.downconversion.enable": ("it was removed in Kafka 4.0", NO_SUCCESSOR),
    "log.message.format.version": ("it was removed in Kafka 4.0", NO_SUCCESSOR),
    "log.message.timestamp.difference.max.ms": (
        "it was removed in Kafka 4.0",
        "use log.message.timestamp.before.max.ms and log.message.timestamp.after.max.ms",
    ),
    "metadata.log.segment.min.bytes": ("it was removed", NO_SUCCESSOR),
    "metrics.jmx.blacklist": ("it was removed in Kafka 4.0", "use metrics.jmx.exclude"),
    "metrics.jmx.whitelist": ("it was removed in Kafka 4.0", "use metrics.jmx.include"),
    "offsets.commit.required.acks": ("it was removed in Kafka 4.0", "remove it; commits always wait for all replicas"),
    "port": ("it was removed in Kafka 3.0", "use `port` in kafka_listeners"),
    "quota.consumer.default": ("it was removed in Kafka 3.0", "set a default quota for clients with kafka-configs.sh"),
    "quota.producer.default": ("it was removed in Kafka 3.0", "set a default quota for clients with kafka-configs.sh"),
    "reserved.broker.max.id": (ZOOKEEPER, "remove it and give kafka_node_id for each host"),
}
#: Families of keys that went as a whole.
REMOVED_PREFIXES: dict[str, tuple[str, str]] = {
    "password.encoder.": (ZOOKEEPER, "remove it; secrets are not kept in ZooKeeper any more"),
    "zookeeper.": (ZOOKEEPER, "remove it; controllers come from kafka_process_roles and kafka_listeners"),
}
#: Values that went: key -> {value: what to give instead}.
REMOVED_VALUES: dict[str, dict[str, str]] = {
    "authorizer.class.name": {
        "kafka.security.authorizer.AclAuthorizer": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "kafka.security.auth.SimpleAclAuthorizer": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    },
}
#: Settings that exist, but not in server.properties.
LIVE_ONLY: dict[str, str] = {
    "follower.replication.throttled.rate": "a running broker's setting",
    "leader.replication.throttled.rate": "a running broker's setting",
    "replica.alter.log.dirs.io.max.bytes.per.second": "a running broker's setting",
    "consumer_byte_rate": "a quota",
    "controller_mutation_rate": "a quota",
    "producer_byte_rate": "a quota",
    "request_percentage": "a quota",
}


def removal(key: str) -> tuple[str, str] | None:
    """Return why a key has no effect any more and its replacement; None for one that was not removed."""
    if key in REMOVED:
        return REMOVED[key]
    return next((why for prefix, why in REMOVED_PREFIXES.items() if key.startswith(prefix)), None)
