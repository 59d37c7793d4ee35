"""Refusals of keys and values of server.properties."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.server_properties import DEFAULTS, OWNED, server_settings
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version, versions
from ansible.module_utils.kraft.spec.inventory.removed import REMOVED, REMOVED_PREFIXES
from ansible.module_utils.kraft.spec.inventory.setting_values import value_problem

from tests.unit.problems import worded
from tests.unit.spec.inventory import LISTENERS, cluster, found, hosts, problems_of
from tests.wording_files import Wording


def alarms(**settings: Any) -> list[Problem]:
    """Every problem of a key or value."""
    made = problems_of(hosts(1, kafka_config=settings))
    return [problem for problem in made if problem.variable.startswith("kafka_config[")]


#: Key, value, and severity, rule and value of the problem.
CASES: list[tuple[str, Any, tuple[str, str, Any]]] = [
    ("min.insync.replica", 2, ("error", "setting_unknown", 2)),
    ("num.io.thread", 8, ("error", "setting_unknown", 8)),
    ("superusers", "User:a", ("error", "setting_unknown", "User:a")),
    ("nothing.alike.at.all", 1, ("error", "setting_unknown", 1)),
    ("zookeeper.connect", "zk:2181", ("error", "setting_removed", "zk:2181")),
    ("zookeeper.anything", "x", ("error", "setting_removed", "x")),
    ("broker.id", 1, ("error", "setting_removed", 1)),
    ("inter.broker.protocol.version", "3.9", ("error", "setting_removed", "3.9")),
    ("log.message.format.version", "2.8", ("error", "setting_removed", "2.8")),
    ("delegation.token.master.key", "k", ("error", "setting_removed", "(hidden)")),
    ("port", 9092, ("error", "setting_removed", 9092)),
    ("node.id", 1, ("error", "setting_derived", 1)),
    ("process.roles", "broker", ("error", "setting_derived", "broker")),
    ("controller.quorum.voters", "1@a:1", ("error", "setting_derived", "1@a:1")),
    ("log.dirs", "/a", ("error", "setting_derived", "/a")),
    ("retention.ms", 1, ("error", "setting_of_topic", 1)),
    ("max.message.bytes", 1, ("error", "setting_of_topic", 1)),
    ("remote.storage.enable", True, ("error", "setting_of_topic", True)),
    ("leader.replication.throttled.rate", 1, ("error", "setting_live", 1)),
    ("num.io.threads", 0, ("error", "setting_value", 0)),
    ("num.replica.fetchers", 0, ("error", "setting_value", 0)),
    ("num.io.threads", "eight", ("error", "setting_value", "eight")),
    ("num.io.threads", 1.5, ("error", "setting_value", 1.5)),
    ("num.io.threads", True, ("error", "setting_value", True)),
    ("log.segment.bytes", 1000, ("error", "setting_value", 1000)),
    ("log.segment.bytes", 2**31, ("error", "setting_value", 2**31)),
    ("log.retention.ms", 2**63, ("error", "setting_value", 2**63)),
    ("log.cleaner.min.cleanable.ratio", 1.5, ("error", "setting_value", 1.5)),
    ("log.cleaner.min.cleanable.ratio", "half", ("error", "setting_value", "half")),
    ("log.cleaner.min.cleanable.ratio", "0_5", ("error", "setting_value", "0_5")),
    ("log.cleaner.min.cleanable.ratio", "nan", ("error", "setting_value", "nan")),
    ("num.io.threads", "1g", ("error", "setting_value", "1g")),
    ("num.io.threads", "٣", ("error", "setting_value", "٣")),
    ("num.io.threads", datetime.date(2026, 1, 1), ("error", "setting_value", datetime.date(2026, 1, 1))),
    ("metrics.recording.level", "INFO\0", ("error", "setting_value", "INFO\x00")),
    ("authorizer.class.name", "Standard Authorizer", ("error", "setting_value", "Standard Authorizer")),
    ("ssl.keystore.password", "${file:/etc/kafka/secrets:keystore}", ("error", "provider_unknown", "(hidden)")),
    ("config.providers", ["vault"], ("error", "provider_class", "vault")),
    ("compression.type", "gzipped", ("error", "setting_value", "gzipped")),
    ("compression.type", "", ("error", "setting_value", "")),
    ("log.cleanup.policy", "compact,remove", ("error", "setting_value", "compact,remove")),
    ("log.cleanup.policy", ["delete", "delete"], ("error", "setting_value", ["delete", "delete"])),
    ("ssl.enabled.protocols", "TLSv1.3,,TLSv1.2", ("error", "setting_value", "TLSv1.3,,TLSv1.2")),
    ("delete.topic.enable", "ja", ("error", "setting_value", "ja")),
    ("principal.builder.class", "not a class", ("error", "setting_value", "not a class")),
    ("num.io.threads", None, ("error", "setting_value", None)),
    ("num.io.threads", {"a": 1}, ("error", "setting_value", {"a": 1})),
    (
        "authorizer.class.name",
        "kafka.security.authorizer.AclAuthorizer",
        ("error", "setting_removed", "kafka.security.authorizer.AclAuthorizer"),
    ),
    ("listener.name.clent.ssl.keystore.location", "/k", ("error", "setting_listener", "/k")),
    ("listener.name.CLIENT.ssl.keystore.location", "/k", ("error", "setting_listener", "/k")),
    ("listener.name.client.ssl.keystore.lokation", "/k", ("error", "setting_unknown", "/k")),
    ("listener.name.client.num.io.threads", 3, ("error", "setting_listener", 3)),
    ("rsm.config.bucket", "b", ("error", "setting_orphan", "b")),
    ("internal.metadata.delete.delay.millis", 1, ("warning", "setting_internal", 1)),
]


@pytest.mark.parametrize(("key", "value", "told"), CASES)
def test_setting_is_refused_with_a_reason_and_a_remedy(key: str, value: Any, told: tuple[str, str, Any]) -> None:
    where = "k1", f"kafka_config[{key}]"
    assert (*where, *told) in [
        (each.host, each.variable, each.severity, each.rule, each.value) for each in alarms(**{key: value})
    ]


def test_wording(wording: Wording) -> None:
    wording(each for key, value, _ in CASES for each in worded(alarms(**{key: value})))


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
        {"metric.reporters": "org.example.Reporter"},
        {"remote.log.storage.manager.class.name": "org.example.Store", "rsm.config.bucket": "b"},
        {"listener.name.client.ssl.client.auth": "required"},
    ],
)
def test_sound_settings_raise_no_alarm(settings: dict[str, Any]) -> None:
    assert alarms(**settings) == []


def test_a_plugin_does_not_excuse_a_typo() -> None:
    made = alarms(**{"metric.reporters": "org.example.Reporter", "num.io.thread": 3})
    assert [(each.rule, each.variable) for each in made] == [("setting_unknown", "kafka_config[num.io.thread]")]
    assert "num.io.threads?" in made[0].remedy


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
        assert [each.rule for each in alarms(**{key: "x"})].count("setting_removed") == 1, key


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
    [("4.3.1", "4.3.1"), ("4.3.9", "4.3.1"), ("4.2.0", "4.2.2"), ("9.9.9", "4.4.0"), ("x", "4.4.0")],
)
def test_an_unknown_version_is_checked_against_its_nearest(wanted: str, nearest: str) -> None:
    assert nearest_version(wanted) == nearest


def test_definitions_hold_what_kafka_says_of_its_keys() -> None:
    definitions = load("4.3.1")
    assert len(definitions.server) == 360
    assert definitions.server["log.dirs"].default is None
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
