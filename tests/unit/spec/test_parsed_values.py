"""Values are judged as Kafka and Java judge them, also what they take apart only when a node starts."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import from_java
from ansible.module_utils.kraft.node.machine.disk import closed_to
from ansible.module_utils.kraft.problem import errors

from tests.unit.spec.inventory import hosts, problems_of

STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
TIERED = "remote.log.storage.system.enable"
MANAGER = {"remote.log.storage.manager.class.name": "org.example.Storage"}
TLS: dict[str, Any] = {"kafka_security": "tls", "kafka_tls": {"passphrase": "q7-kept-in-a-vault-of-mine"}}


def refused(**given: Any) -> set[tuple[str, str]]:
    return {(each.rule, each.variable) for each in errors(problems_of(hosts(3, **given)))}


@pytest.mark.parametrize(
    ("key", "wrong", "right"),
    [
        ("max.connections.per.ip.overrides", ["10.0.0.1", "10.0.0.1:x", "a:1,b"], ["10.0.0.1:5", "a:1, b:2", "::1:5"]),
        (
            "ssl.principal.mapping.rules",
            ["^CN=(.*)$", "RULE:^CN=(.*/$1/", "RULE:^CN=(.*)$/$1/X", "RULE:^CN=(.*)$/$2/", "DEFAULT;DEFAULT"],
            ["DEFAULT", "RULE:^CN=(.*?),.*$/$1/L,DEFAULT", r"RULE:^CN=(?<name>\w+)\/.*$/$1/U , DEFAULT"],
        ),
        ("sasl.kerberos.principal.to.local.rules", ["RULE:x", "default"], ["DEFAULT", "RULE:[1:$1@$0](.*@A)s/@.*//"]),
        (
            "ssl.cipher.suites",
            ["ECDHE-RSA-AES128-GCM-SHA256", "tls_aes", "TLS_AES_128_GCM_SHA256,AES"],
            ["TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256"],
        ),
        ("ssl.protocol", ["TLSv9", "SSLv3", "tls"], ["TLSv1.3"]),
        ("ssl.keymanager.algorithm", ["Y", "sunx509"], ["PKIX"]),
        ("ssl.endpoint.identification.algorithm", ["HTTP", "none"], ["https", ""]),
    ],
)
def test_a_text_that_kafka_takes_apart_is_judged_before_a_node_starts(
    key: str, wrong: list[str], right: list[str]
) -> None:
    for value in wrong:
        assert refused(kafka_config={key: value}) >= {("setting_value", f"kafka_config[{key}]")}, value
    for value in right:
        assert ("setting_value", f"kafka_config[{key}]") not in refused(kafka_config={key: value}), value


def test_a_listeners_own_rule_is_judged_alike() -> None:
    key = "listener.name.client.ssl.principal.mapping.rules"
    assert ("setting_value", f"kafka_config[{key}]") in refused(kafka_config={key: "RULE:^CN=(.*/$1/"}, **TLS)


@pytest.mark.parametrize("key", ["KAFKA_HEAP_OPTS", "log4j.logger.kafka", "ksql.service.id"])
def test_a_class_of_kafkas_own_opens_no_door_to_unknown_keys(key: str) -> None:
    settings = {"authorizer.class.name": STANDARD, "super.users": "User:ANONYMOUS", key: "x"}
    assert refused(kafka_config=settings) == {("setting_unknown", f"kafka_config[{key}]")}
    settings["metric.reporters"] = "org.example.Reporter"
    made = problems_of(hosts(3, kafka_config=settings))
    assert {each.severity for each in made if each.rule == "setting_of_plugin"} == {"warning"}
    assert errors(made) == []


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({TIERED: True, **MANAGER, "rlmm.config.remote.log.metadata.topic.replication.factor": 1}, ""),
        (
            {TIERED: True, **MANAGER, "remote.log.storage.manager.impl.prefix": "mine.", "mine.bucket": "b"},
            "",
        ),
        ({TIERED: True}, TIERED),
        (
            {TIERED: True, **MANAGER, "remote.log.metadata.manager.listener.name": "PLAINTEXT"},
            "remote.log.metadata.manager.listener.name",
        ),
        ({"rsm.config.bucket": "b"}, "rsm.config.bucket"),
    ],
)
def test_tiered_storage_is_judged_by_what_a_broker_needs(settings: dict[str, Any], wrong: str) -> None:
    rule = "setting_orphan" if wrong.startswith("rsm") else "tiered_storage"
    assert refused(kafka_config=settings) == ({(rule, f"kafka_config[{wrong}]")} if wrong else set())


def test_a_tiered_topic_needs_the_setting_on_controllers_too() -> None:
    settings = {TIERED: True, **MANAGER}
    roles: dict[str, dict[str, Any]] = {"k1": {"kafka_process_roles": ["controller"]}}
    topic = [{"name": "t", "config": {"remote.storage.enable": True}}]
    per_host: dict[str, dict[str, Any]] = {
        "k2": {"kafka_group_config": settings},
        "k3": {"kafka_group_config": settings},
        **roles,
    }
    made = errors(problems_of(hosts(3, per_host, kafka_topics=topic)))
    assert [(each.rule, each.host) for each in made if each.rule == "tiered_storage"] == [("tiered_storage", "k1")]
    everywhere = {host: {**each, "kafka_group_config": settings} for host, each in per_host.items()}
    assert not [
        each
        for each in problems_of(hosts(3, everywhere, kafka_topics=topic))
        if each.rule in ("tiered_storage", "setting_role") and TIERED in each.variable
    ]


@pytest.mark.parametrize("name", ["kafka_01", "node_1.example.org", "node1.my_zone.example.org"])
def test_a_name_with_an_underscore_is_refused_with_tls(name: str) -> None:
    assert ("tls_name", "kafka_address") in refused(per_host={"k1": {"kafka_address": name}}, **TLS)
    made = problems_of(hosts(3, {"k1": {"kafka_address": name}}))
    assert {each.severity for each in made if each.rule == "tls_name"} == {"warning"}


@pytest.mark.parametrize(
    "address",
    [*("fe80::11%eth0", "fe80::11", "224.0.0.1", "255.255.255.255", "169.254.1.1", "ip6-loopback", "ff02::1")],
)
def test_an_address_that_no_other_host_reaches_is_refused(address: str) -> None:
    assert ("address", "kafka_address") in refused(per_host={"k1": {"kafka_address": address}})


@pytest.mark.parametrize(
    "option",
    [
        "-XX:PermSize=64m",
        "-XX:+UseConcMarkSweepGC",
        "-XX:+UseG1GC -XX:MaxGCPauseMillis=20",
        "-Da=b  -Dc=d",
        "-XX:+PrintGCDateStamps",
    ],
)
def test_an_option_with_which_java_does_not_start_is_refused(option: str) -> None:
    assert refused(kafka_jvm_options=[option]) == {("jvm_option", "kafka_jvm_options")}


def test_an_option_may_hold_a_blank() -> None:
    assert refused(kafka_jvm_options=["-XX:OnOutOfMemoryError=kill -9 %p", "-Dname=a b"]) == set()


@pytest.mark.parametrize("mount", ["/data/kafka/", "/data//kafka", "/data/kafka"])
def test_a_mount_is_compared_as_log_dirs_are(mount: str) -> None:
    disk = {"device": "/dev/sdb", "mount": mount, "fstype": "ext4"}
    made = problems_of(hosts(3, kafka_host_data_disks=[disk], kafka_log_dirs=["/data/kafka"]))
    assert {each.rule for each in made} == {"lost_found"}


@pytest.mark.parametrize(
    "login",
    [
        "username='K' password='S';",
        'username="K" password="S";',
        "username=K password=S;",
        "password='S' username = \"K\" ;",
    ],
)
def test_a_login_is_read_as_java_reads_it(login: str) -> None:
    jaas = f"org.apache.kafka.common.security.plain.PlainLoginModule required {login}"
    options = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}
    found = from_java(options)
    assert (found.username, found.password) == ("K", "S")


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("kafka_opts", "kafka_jvm_options"), ("kafka_data_dir", "kafka_log_dirs"), ("kafka_jmx_port", "kafka_metrics")],
)
def test_a_variable_of_another_tool_is_answered_with_ours(name: str, remedy: str) -> None:
    known = frozenset({"kafka_hosts", "kafka_mirror_port", "kafka_metadata_log_dir", *hosts()[0].values})
    given: dict[str, Any] = {name: "x"}
    made = problems_of(hosts(3, **given), names=known)
    assert remedy in next(each.remedy for each in made if each.variable == name)


@pytest.mark.parametrize(
    "names", [{"ansible_ssh_host"}, {"ansible_ssh_port"}, {"ansible_ssh_host", "ansible_ssh_port"}]
)
def test_an_old_name_of_a_connection_is_refused_with_todays(names: set[str]) -> None:
    first, *others = hosts(3)
    old = dataclasses.replace(first, connection=dict.fromkeys(names, "10.1.2.11"))
    found = [each for each in errors(problems_of([old, *others])) if each.rule == "renamed_variable"]
    assert {(each.variable, each.host) for each in found} == {(name, first.host) for name in names}
    assert {each.remedy for each in found} == {f"write {name.replace('ssh_', '')} in its place" for name in names}


@pytest.mark.parametrize("below", ["kafka/data", "app", "a/b/c/d"])
def test_a_folder_that_is_closed_to_a_user_who_is_to_be_made_is_named(tmp_path: Path, below: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    for each in (tmp_path, *tmp_path.parents[:-1]):
        each.chmod(each.stat().st_mode | 0o001)
    closed.chmod(0o700)
    assert closed_to(f"{closed}/{below}", "no-such-account") == str(closed)
    closed.chmod(0o711)
    assert closed_to(f"{closed}/{below}", "no-such-account") == ""
