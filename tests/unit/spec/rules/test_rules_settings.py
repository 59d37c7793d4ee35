"""Refusals of keys and values of server.properties."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.settings import DEFAULTS, OWNED, server_settings
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version, versions
from ansible.module_utils.kraft.spec.inventory.removed import REMOVED, REMOVED_PREFIXES
from ansible.module_utils.kraft.spec.inventory.setting_values import value_problem

from tests.unit.spec.inventory import LISTENERS, cluster, found, hosts, problems_of

GONE_WITH_ZOOKEEPER = "remove it; controllers come from kafka_process_roles and kafka_listeners"


def alarms(**settings: Any) -> list[str]:
    """Every problem of a key or value, without host and variable."""
    made = problems_of(hosts(1, kafka_config=settings))
    return [
        f"{problem.message} -> {problem.remedy}" for problem in made if problem.variable.startswith("kafka_config[")
    ]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("min.insync.replica", 2, "is not a setting of Kafka 4.3.1 -> did you mean min.insync.replicas?"
         " that follows from kafka_min_insync_replicas"),
        ("num.io.thread", 8, "is not a setting of Kafka 4.3.1 -> did you mean num.io.threads?"),
        ("superusers", "User:a", "is not a setting of Kafka 4.3.1 -> did you mean super.users?"),
        ("nothing.alike.at.all", 1, "is not a setting of Kafka 4.3.1 -> remove it; where a plugin reads it,"
         " list setting_unknown in kafka_accepted_risks"),
        ("zookeeper.connect", "zk:2181", f"has no effect: ZooKeeper is gone -> {GONE_WITH_ZOOKEEPER}"),
        ("zookeeper.anything", "x", f"has no effect: ZooKeeper is gone -> {GONE_WITH_ZOOKEEPER}"),
        ("broker.id", 1, "has no effect: ZooKeeper is gone -> use kafka_node_id"),
        ("inter.broker.protocol.version", "3.9", "has no effect: ZooKeeper is gone"
         " -> remove it; the feature metadata.version takes its place"),
        ("log.message.format.version", "2.8", "has no effect: is gone since Kafka 4.0"
         " -> remove it; nothing takes its place"),
        ("delegation.token.master.key", "k", "has no effect: is gone since Kafka 4.0"
         " -> use delegation.token.secret.key"),
        ("port", 9092, "has no effect: is gone since Kafka 3.0 -> use `port` in kafka_listeners"),
        ("node.id", 1, "is derived from kafka_node_id -> remove it and use kafka_node_id"),
        ("process.roles", "broker", "is derived from kafka_process_roles -> remove it and use kafka_process_roles"),
        ("controller.quorum.voters", "1@a:1", "is derived from kafka_quorum and kafka_listeners"
         " -> remove it and use kafka_quorum and kafka_listeners"),
        ("log.dirs", "/a", "is derived from kafka_log_dirs -> remove it and use kafka_log_dirs"),
        ("retention.ms", 1, "is a topic's setting -> write log.retention.ms, the brokers' default for it"),
        ("max.message.bytes", 1, "is a topic's setting -> write message.max.bytes, the brokers' default for it"),
        ("remote.storage.enable", True, "is a topic's setting without a default on brokers -> set it on the topic"),
        ("leader.replication.throttled.rate", 1, "is a running broker's setting, not one of server.properties"
         " -> set it with kafka-configs.sh on the running cluster"),
        ("num.io.threads", 0, "is below 1 -> give a whole number of at least 1"),
        ("num.replica.fetchers", 0, "is below 1 -> give a whole number of at least 1"),
        ("num.io.threads", "eight", "is not a whole number -> give a whole number of at least 1"),
        ("num.io.threads", 1.5, "is not a whole number -> give a whole number of at least 1"),
        ("num.io.threads", True, "is not a whole number -> give a whole number of at least 1"),
        ("log.segment.bytes", 1000, "is below 1048576 -> give a whole number of at least 1048576"),
        ("log.segment.bytes", 2**31, "does not fit into a Java int -> give a whole number of at least 1048576,"
         " at most 2147483647"),
        ("log.retention.ms", 2**63, "does not fit into a Java long"
         " -> give a whole number, at most 9223372036854775807"),
        ("log.cleaner.min.cleanable.ratio", 1.5, "is above 1 -> give a number from 0 to 1"),
        ("log.cleaner.min.cleanable.ratio", "half", "is not a number -> give a number from 0 to 1"),
        ("log.cleaner.min.cleanable.ratio", "0_5", "is not a number -> give a number from 0 to 1"),
        ("log.cleaner.min.cleanable.ratio", "nan", "is not a number -> give a number from 0 to 1"),
        ("num.io.threads", "1g", "is not a whole number -> give a whole number of at least 1"),
        ("num.io.threads", "٣", "is not a whole number -> give a whole number of at least 1"),
        ("num.io.threads", datetime.date(2026, 1, 1), "is not a whole number -> give a whole number of at least 1"),
        ("metrics.recording.level", "INFO\0", "holds a control character -> remove it"),
        ("authorizer.class.name", "Standard Authorizer", "is not the name of a Java class"
         " -> give its full name, such as org.example.Name"),
        ("ssl.keystore.password", "${file:/etc/kafka/secrets:keystore}",
         "asks file, which is none of config.providers: Kafka would take the text as it is -> set config.providers:"
         " file and config.providers.file.class, such as"
         " org.apache.kafka.common.config.provider.FileConfigProvider"),
        ("config.providers", ["vault"], "names vault, which has no class -> set config.providers.vault.class, such as"
         " org.apache.kafka.common.config.provider.FileConfigProvider"),
        ("compression.type", "gzipped", "holds gzipped, which Kafka does not know"
         " -> give one of uncompressed, zstd, lz4, snappy, gzip, producer"),
        ("compression.type", "", "is empty -> give one of uncompressed, zstd, lz4, snappy, gzip, producer"),
        ("log.cleanup.policy", "compact,remove", "holds remove, which Kafka does not know"
         " -> give some of compact, delete"),
        ("log.cleanup.policy", ["delete", "delete"], "names an element twice -> name each once"),
        ("ssl.enabled.protocols", "TLSv1.3,,TLSv1.2", "has an empty element -> remove the comma too many"),
        ("delete.topic.enable", "ja", "is neither true nor false -> give true or false"),
        ("principal.builder.class", "not a class", "is not the name of a Java class"
         " -> give its full name, such as org.example.Name"),
        ("num.io.threads", None, "has no value -> give a value, or remove the line to keep the default"),
        ("num.io.threads", {"a": 1}, "is a mapping, not a value"
         " -> write one line for each setting, with its whole dotted name"),
        ("authorizer.class.name", "kafka.security.authorizer.AclAuthorizer", "is a class that is gone"
         " -> use org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
        ("listener.name.clent.ssl.keystore.location", "/k", "names the listener clent, which is none of this node"
         " -> did you mean client?"),
        ("listener.name.CLIENT.ssl.keystore.location", "/k", "names the listener CLIENT, which is none of this node"
         " -> did you mean client?"),
        ("listener.name.client.ssl.keystore.lokation", "/k", "is not a setting of a listener"
         " -> did you mean listener.name.client.ssl.keystore.location?"),
        ("listener.name.client.num.io.threads", 3, "num.io.threads is no setting of a single listener"
         " -> set num.io.threads for the node"),
        ("rsm.config.bucket", "b", "has no effect without remote.log.storage.manager.class.name"
         " -> set remote.log.storage.manager.class.name, or remove it"),
        ("internal.metadata.delete.delay.millis", 1, "is internal to Kafka and may change or go at any time"
         " -> remove it"),
    ],
)  # fmt: skip
def test_setting_is_refused_with_a_reason_and_a_remedy(key: str, value: Any, said: str) -> None:
    assert said in alarms(**{key: value})


@pytest.mark.parametrize(
    "settings",
    [
        {"num.io.threads": "16", "log.retention.ms": -1, "delete.topic.enable": "TRUE"},
        {"log.cleaner.min.cleanable.ratio": 1, "log.cleanup.policy": ["compact", "delete"]},
        {"config.providers": "file", "config.providers.file.class": "org.example.Provider"},
        {
            "num.io.threads": "${env:THREADS}",
            "ssl.keystore.password": "${file:/etc/kafka/secrets:keystore}",
            "config.providers": "file,env",
            "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
            "config.providers.env.class": "org.apache.kafka.common.config.provider.EnvVarConfigProvider",
        },
        {"listener.name.client.ssl.keystore.location": "/k", "listener.name.client.max.connections": 10},
        {"listener.name.client.scram-sha-512.sasl.jaas.config": "x required;"},
        {"listener.name.internal.plain.sasl.server.callback.handler.class": "org.example.Handler"},
        {"metric.reporters": "org.example.Reporter", "example.reporter.url": "http://x"},
        {"remote.log.storage.manager.class.name": "org.example.Store", "rsm.config.bucket": "b"},
        {"listener.name.client.ssl.client.auth": "required"},
    ],
)
def test_sound_settings_raise_no_alarm(settings: dict[str, Any]) -> None:
    assert alarms(**settings) == []


def test_a_plugin_does_not_excuse_a_typo() -> None:
    assert alarms(**{"metric.reporters": "org.example.Reporter", "num.io.thread": 3}) == [
        "is not a setting of Kafka 4.3.1 -> did you mean num.io.threads?"
    ]


def test_every_layer_of_every_host_is_looked_at() -> None:
    made = problems_of(hosts(2, {"k2": {"kafka_host_config": {"a.b": 1}}}, kafka_group_config={"c.d": 1}))
    assert [f"{problem.host} {problem.variable}" for problem in made if problem.rule == "setting_unknown"] == [
        "k1 kafka_group_config[c.d]",
        "k2 kafka_group_config[c.d]",
        "k2 kafka_host_config[a.b]",
    ]


@pytest.mark.parametrize(
    "key", ["ssl.keystore.password", "sasl.jaas.config", "ssl.keystor.password", "zookeeper.ssl.keystore.password"]
)
def test_secrets_are_not_shown(key: str) -> None:
    made = problems_of(hosts(1, kafka_config={key: {"hunter": 2}}))
    assert [problem for problem in made if problem.rule.startswith("setting")]
    assert "hunter" not in str([problem.as_dict() for problem in made])


def test_every_key_that_went_is_known_with_its_reason() -> None:
    for key in [*REMOVED, *(f"{prefix}x" for prefix in REMOVED_PREFIXES)]:
        assert [said for said in alarms(**{key: "x"}) if said.startswith("has no effect: ")], key


def test_every_key_that_we_write_ourselves_is_one_of_kafkas() -> None:
    for version in versions():
        known = load(version).server
        for static in ("static", "dynamic"):
            made = cluster(facts={"cpus": 4}, kafka_quorum=static, kafka_rack="a", kafka_metadata_log_dir="/srv/meta")
            assert set(server_settings(made, made.nodes[0])) <= set(known)
        assert set(OWNED) | set(DEFAULTS) <= set(known)


def test_what_one_version_lacks_is_refused_for_it_alone() -> None:
    given = {"kafka_config": {"cordoned.log.dirs": "/srv/a"}}
    assert found("setting_unknown", 1, **given) == []
    assert len(found("setting_unknown", 1, kafka_version="4.2.1", **given)) == 1


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [("4.3.1", "4.3.1"), ("4.3.9", "4.3.1"), ("4.2.0", "4.2.1"), ("9.9.9", "4.3.1"), ("x", "4.3.1")],
)
def test_an_unknown_version_is_checked_against_its_nearest(wanted: str, nearest: str) -> None:
    assert nearest_version(wanted) == nearest


def test_definitions_hold_what_kafka_says_of_its_keys() -> None:
    definitions = load("4.3.1")
    assert len(definitions.server) == 360
    assert definitions.server["log.dirs"].default is None
    assert definitions.server["node.id"].required
    assert definitions.server["num.io.threads"].update == "cluster-wide"
    assert definitions.server["ssl.keystore.password"].secret
    assert definitions.server["ssl.client.auth"].choices == ("required", "requested", "none")
    assert definitions.topic["segment.ms"].server == "log.roll.ms"


def test_listeners_of_other_roles_may_be_configured_everywhere() -> None:
    roles = {"k1": {"kafka_process_roles": ["controller"]}, "k2": {"kafka_process_roles": ["broker"]}}
    settings = {"listener.name.client.max.connections": 9, "listener.name.controller.ssl.client.auth": "required"}
    assert found("setting_listener", 2, roles, kafka_config=settings, kafka_listeners=LISTENERS) == []


@pytest.mark.parametrize("version", versions())
def test_no_default_of_kafka_itself_raises_an_alarm(version: str) -> None:
    definitions = load(version)
    for setting in [*definitions.server.values(), *definitions.topic.values()]:
        if setting.default is not None:
            assert value_problem(setting, setting.default) == ("", ""), setting
