"""One missing thing is one row; one wrong entry hides nothing of the others; each row has its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem, errors
from ansible.module_utils.kraft.spec.inventory.report import table
from ansible.parsing.vault import VaultSecretsContext  # type: ignore[attr-defined]

from tests.unit.spec.inventories import example, read_inventory

LISTENERS = [
    {"name": "CLIENT", "port": 9092, "purpose": "client"},
    {"name": "INTERNAL", "port": 19092, "purpose": "inter_broker"},
    {"name": "CONTROLLER", "port": 9093, "purpose": "controller"},
]
SECURED: dict[str, Any] = {
    "kafka_security": "tls_scram",
    "kafka_tls": {"passphrase": "q7-kept-in-a-vault-of-mine"},
    "kafka_listeners": LISTENERS,
    "kafka_client_user": "verifier",
    "kafka_users": [
        {"name": "verifier", "password": "q7-kept-in-a-vault"},
        {"name": "app", "password": "z9-in-a-vault"},
    ],
    "kafka_topics": [{"name": "orders", "partitions": 3, "replication_factor": 3}],
    "kafka_acls": [{"principal": "User:app", "topic": "orders", "operations": ["write"]}],
    "kafka_quotas": [{"user": "app", "producer_byte_rate": 1000000}],
}
CERTIFICATES = {"kafka_users": [{"name": "verifier", "authentication": "tls"}], "kafka_acls": [], "kafka_quotas": []}
SECURITIES: dict[str, dict[str, Any]] = {
    "tls": {**SECURED, "kafka_security": "tls", "kafka_client_user": "", **CERTIFICATES, "kafka_users": []},
    "mtls": {**SECURED, "kafka_security": "mtls", **CERTIFICATES},
    "tls_scram": SECURED,
}
#: Variables that an inventory may get wrong as a whole.
VARIABLES = (
    *("kafka_security", "kafka_tls", "kafka_users", "kafka_topics", "kafka_acls", "kafka_listeners", "kafka_log_dirs"),
    *("kafka_version", "kafka_quorum", "kafka_profile", "kafka_process_roles", "kafka_config", "kafka_metrics"),
)
VAULTED = "$ANSIBLE_VAULT;1.1;AES256\n" + "61" * 40


def found(path: Path, **given: Any) -> list[Problem]:
    return read_inventory(example(path, **{**SECURED, **given}))[1]


def places(problems: list[Problem]) -> set[tuple[str, str]]:
    return {(each.rule, each.variable) for each in errors(problems)}


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("security", SECURITIES)
def test_a_variable_that_cannot_be_read_is_the_only_error(tmp_path: Path, security: str, variable: str) -> None:
    problems = read_inventory(example(tmp_path, **{**SECURITIES[security], variable: "{{ nowhere }}"}))[1]
    assert places(problems) == {("unresolved", variable)}
    assert not [each for each in problems if each.rule == "plaintext"]


@pytest.mark.parametrize(
    ("lines", "variable"),
    [
        ("kafka_tls:\n  passphrase: !vault |\n", "kafka_tls.passphrase"),
        ("kafka_quotas: !vault |\n", "kafka_quotas"),
        ("kafka_users:\n- name: app\n  password: !vault |\n", "kafka_users[app].password"),
    ],
)
def test_a_forgotten_vault_password_is_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, variable: str
) -> None:
    monkeypatch.setattr(VaultSecretsContext, "_current", VaultSecretsContext([]))
    inventory = example(tmp_path, **{**SECURED, "kafka_client_user": "app"})
    text = "".join(f"      {line}\n" for line in VAULTED.splitlines())
    (inventory / "group_vars/kafka/zzz.yml").write_text(f"{lines}{text}")
    problems = read_inventory(inventory)[1]
    assert places(problems) == {("unresolved", variable)}
    assert "--vault-password-file" in errors(problems)[0].remedy


@pytest.mark.parametrize("password", ["ab{{cd}}ef12", "ab{%cd%}ef", "{{ Sesame.open }}"])
def test_a_secret_that_looks_like_a_template_is_never_shown(tmp_path: Path, password: str) -> None:
    users = [{"name": "a1", "password": password}, {"name": "x y", "password": "q7-kept-in-a-vault"}]
    problems = found(tmp_path, kafka_users=[*SECURED["kafka_users"], *users])
    assert places(problems) == {("unresolved", "kafka_users[a1].password"), ("user_name", "kafka_users[x y]")}
    assert "'cd'" not in table(problems, 3)
    assert "Sesame" not in table(problems, 3)
    assert "!unsafe" in errors(problems)[0].remedy


@pytest.mark.parametrize(
    ("variable", "entries", "wanted"),
    [
        (
            "kafka_users",
            [
                {"name": "other", "password": "z9-in-a-vault", "quotas": {"producer_byte_rate": "10MB"}},
                {"name": "third", "password": "z9-in-a-vault", "allow": [{"topic": "o-*", "operations": ["reed"]}]},
            ],
            {("type", "kafka_users[2].quotas.producer_byte_rate"), ("acl", "kafka_users[third].allow[0]")},
        ),
        (
            "kafka_topics",
            [{"name": "a", "partitions": "x"}, {"name": "b c"}, {"name": "d", "config": {"retention.ms": "7d"}}],
            {
                ("type", "kafka_topics[1].partitions"),
                ("topic", "kafka_topics[b c]"),
                ("topic_setting", "kafka_topics[d].config[retention.ms]"),
            },
        ),
        (
            "kafka_acls",
            [
                {"principal": "User:app", "topik": "a", "operations": ["read"]},
                {"principal": "app", "topic": "b", "operations": ["read"]},
            ],
            {("type", "kafka_acls[1].topik"), ("acl_principal", "kafka_acls[1]")},
        ),
        (
            "kafka_quotas",
            [{"user": "app", "consumer_byte_rate": "1 MB"}, {"user": "app", "consumer_byte_rate": 0}],
            {("type", "kafka_quotas[1].consumer_byte_rate"), ("quota", "kafka_quotas[1]")},
        ),
    ],
)
def test_one_wrong_entry_of_a_list_hides_nothing_of_the_others(
    tmp_path: Path, variable: str, entries: list[Any], wanted: set[tuple[str, str]]
) -> None:
    assert places(found(tmp_path, **{variable: [*SECURED[variable], *entries]})) == wanted


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("kafka_cluster_name: 1.10", "1.10", "a number"),
        ("kafka_cluster_name: 0123", "0123", "a whole number"),
        ("kafka_cluster_name: 12:30:45", "12:30:45", "a whole number"),
        ("kafka_cluster_name: 1_000", "1_000", "a whole number"),
        ("kafka_cluster_name: 2026-11-27", "2026-11-27", "a date"),
        ("kafka_topics: [{name: 1.10}]", "1.10", "a number"),
        ("kafka_acls: [{principal: 010, topic: a, operations: [read]}]", "010", "a whole number"),
        ("kafka_users: [{name: verifier, password: 012345670123456701}]", "(hidden)", "a whole number"),
        ("kafka_users: [{name: 0123, password: z9-in-a-vault}]", None, "a whole number"),
    ],
)
def test_a_text_that_yaml_reads_as_something_else_is_to_be_quoted(
    tmp_path: Path, text: str, value: Any, kind: str
) -> None:
    inventory = example(tmp_path, **{**SECURED, "kafka_client_user": ""})
    (inventory / "group_vars/kafka/zzz.yml").write_text(f"# first\n{text}\n")
    problem = errors(read_inventory(inventory)[1])[0]
    assert (problem.rule, problem.remedy) == ("type", "write it in quotes")
    assert problem.message == f"The value is {kind}, not text"
    assert problem.value == value
    assert problem.source.endswith("group_vars/kafka/zzz.yml:2")


@pytest.mark.parametrize("rack", ["010", "1.10", "12:30:45", "1_000"])
def test_a_rack_that_yaml_reads_as_a_number_is_to_be_quoted_on_its_host(tmp_path: Path, rack: str) -> None:
    others = "b: {kafka_node_id: 2}, c: {kafka_node_id: 3}"
    hosts = f"kafka: {{hosts: {{a: {{kafka_node_id: 1, kafka_rack: {rack}}}, {others}}}}}"
    [problem] = errors(read_inventory(example(tmp_path, hosts))[1])
    assert (problem.variable, problem.host, problem.value) == ("kafka_rack", "a", rack)
    assert problem.source.endswith("hosts.yml:1")


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ({"kafka_process_roles": "broker,controller"}, "give a list: [broker, controller]"),
        ({"kafka_log_dirs": "/a, /b"}, "give a list: [/a, /b]"),
        ({"kafka_jvm_options": "-Xss512k -Dx.password=7Qx-secret"}, "give a list"),
        (
            {"kafka_listeners": [{**LISTENERS[0], "advertised": "PLAINTEXT://kafka.example.org:9092"}, *LISTENERS[1:]]},
            "give {host: kafka.example.org, port: 9092}",
        ),
        (
            {"kafka_listeners": [{**LISTENERS[0], "advertised": "[2001:db9::1]:9092"}, *LISTENERS[1:]]},
            "give {host: 2001:db9::1, port: 9092}",
        ),
        ({"kafka_topics": [{"name": "a", "retention.ms": 1}]}, "put it below config"),
        ({"kafka_config": {"num": {"io": {"threads": 16}}}}, "num.io.threads"),
        ({"kafka_group_config": {"config": {"num.io.threads": 9}}}, "directly below kafka_group_config"),
        (
            {"kafka_users": [{**SECURED["kafka_users"][0], "allow": [{"topic": "a", "permission": "deny"}]}]},
            "write what is denied into kafka_acls",
        ),
    ],
)
def test_a_remedy_shows_the_form_that_is_wanted(tmp_path: Path, given: dict[str, Any], remedy: str) -> None:
    problems = errors(found(tmp_path, **{**given, "kafka_acls": [], "kafka_quotas": []}))
    assert any(remedy in each.remedy for each in problems), [str(each) for each in problems]
    assert not any("7Qx" in str(each) for each in problems)
    assert {each.rule for each in problems} <= {"type", "setting_value"}


PRODUCTION = {"kafka_profile": "production"}


@pytest.mark.parametrize(
    ("topic", "rule", "variable"),
    [
        ({"replication_factor": 1}, "single_replica", "kafka_topics[u]"),
        ({"config": {"unclean.leader.election.enable": True}}, "unclean_election", "[unclean.leader.election.enable]"),
        (
            {"config": {"unclean.leader.election.enable": "TRUE"}},
            "unclean_election",
            "[unclean.leader.election.enable]",
        ),
        ({"config": {"max.message.bytes": 209715200}}, "settings_order", "[max.message.bytes]"),
        ({"config": {"min.insync.replicas": 3}}, "min_isr_tight", "kafka_topics[u]"),
        ({"replication_factor": 2}, "min_isr_tight", "kafka_topics[u]"),
    ],
)
def test_a_topic_takes_no_risk_that_the_cluster_may_not_take(
    tmp_path: Path, topic: dict[str, Any], rule: str, variable: str
) -> None:
    problems = errors(found(tmp_path, kafka_topics=[{"name": "u", **topic}]))
    assert [each.rule for each in problems] == [rule]
    assert problems[0].variable.endswith(variable)
    accepted = errors(found(tmp_path, kafka_topics=[{"name": "u", **topic}], kafka_accepted_risks=[rule]))
    assert bool(accepted) == (rule == "settings_order")


def test_a_topic_that_any_broker_may_lose_is_a_warning_and_an_absent_one_nothing(tmp_path: Path) -> None:
    topics = [
        {"name": "u", "config": {"min.insync.replicas": 1}},
        {"name": "v", "replication_factor": 1, "state": "absent"},
    ]
    problems = found(tmp_path, kafka_topics=topics)
    assert errors(problems) == []
    assert [each.variable for each in problems if each.rule == "min_isr_loose"] == ["kafka_topics[u]"]
