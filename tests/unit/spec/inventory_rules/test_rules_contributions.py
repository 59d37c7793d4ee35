"""Contributions of other roles: validated before any host is touched, and described without a secret."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.spec.desired.contributions import OPTION, contributed_files, contributed_lines
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read

from tests.unit.spec.inventory import SPECS, finding, hosts, problems_of

PAGE = Path(__file__).resolve().parents[4] / "docs/contributions.md"
EXPORTER: dict[str, Any] = {"jvm_options": ["-javaagent:/opt/agent.jar=9404"], "ports": [9404]}
KEY = {"name": "metrics-key.pem", "content": "c4n4ry", "restart": True, "sensitive": True}


def contributing(given: dict[str, Any], **more: Any) -> list[HostVariables]:
    """One host to which a role `metrics` gives something, and any other role (a keyword) something else."""
    named = {"metrics": given, **{name: value for name, value in more.items() if not name.startswith("kafka_")}}
    variables = {name: value for name, value in more.items() if name.startswith("kafka_")}
    values = {f"kafka_contribution_{name}": value for name, value in named.items()}
    return [dataclasses.replace(host, contributions=values) for host in hosts(1, **variables)]


def found(given: dict[str, Any], **more: Any) -> list[tuple[str, str, Any]]:
    """Rule, part of the contribution, and value of every problem of the role `metrics`."""
    problems = [each for each in problems_of(contributing(given, **more)) if "contribution_metrics" in each.variable]
    assert all(finding(each)[:2] == ("error", "k1") for each in problems)
    return [(each.rule, each.variable.removeprefix("kafka_contribution_metrics"), each.value) for each in problems]


def test_a_contribution_without_a_fault_is_none() -> None:
    lines = ["Environment=A=b", "ReadOnlyPaths=/etc/tls"]
    assert found({**EXPORTER, "files": [KEY, {"name": "metrics.yml", "content": "a: 1"}], "unit_lines": lines}) == []
    assert found({}) == []


def test_a_contribution_that_is_empty_leaves_the_node_as_it_is() -> None:
    cluster, _ = read(contributing({}), SPECS)
    assert cluster.nodes[0].contributions == ()


def test_a_contribution_is_no_unknown_variable() -> None:
    made = contributing(EXPORTER)
    used = {"k1": frozenset({"kafka_contribution_metrics", "kafka_contributed"})}
    assert [each.variable for each in problems_of(made, used=used) if each.rule == "unknown_variable"] == [
        "kafka_contributed"
    ]


def test_the_example_of_the_page_is_sound() -> None:
    (example,) = re.findall(r"(?s)```yaml\n(.*?)```", PAGE.read_text())
    (contribution,) = yaml.safe_load(example).values()
    assert set(contribution) == set(OPTION["options"])
    assert found(contribution) == []


@pytest.mark.parametrize(
    ("option", "rule"),
    [
        ("-Xmx2g", "jvm_option_clash"),
        ("-XX:MaxGCPauseMillis=50", "jvm_option_clash"),
        ("-XX:+UseZGC", "jvm_option_clash"),
        ("-Dgiven=2", "jvm_option_clash"),
        ("-Dof.another=2", "jvm_option_clash"),
        ("-Dcom.sun.management.jmxremote.port=9999", "jvm_option_clash"),
        ("-agentlib:jdwp=transport=dt_socket,address=*:5005", "jvm_option_clash"),
        ("Dx=y", "jvm_option"),
        ("-Dx=y\n-Dz=w", "jvm_option"),
    ],
)
def test_an_option_that_another_user_sets_is_refused(option: str, rule: str) -> None:
    given = found({"jvm_options": [option]}, other={"jvm_options": ["-Dof.another=1"]}, kafka_jvm_options=["-Dgiven=1"])
    assert given == [(rule, ".jvm_options", option)]


def test_a_secret_belongs_into_a_file() -> None:
    options, lines = ["-Djavax.net.ssl.keyStorePassword=c4n4ry"], ["Environment=A_PASSWORD=c4n4ry"]
    problems = found({"jvm_options": options, "unit_lines": lines})
    assert [(rule, part) for rule, part, _ in problems] == [
        ("contributed_secret", ".jvm_options"),
        ("contributed_secret", ".unit_lines"),
    ]
    assert "c4n4ry" not in str(problems)


@pytest.mark.parametrize(
    ("port", "rule"), [(9092, "port_shared"), (22, "port_of_ssh"), (80, "port_privileged"), (70000, "port")]
)
def test_a_port_can_be_opened_and_is_no_one_elses(port: int, rule: str) -> None:
    problems = problems_of(contributing({"ports": [port]}))
    where = "kafka_listeners.port" if rule == "port_shared" else "kafka_contribution_metrics.ports"
    assert [(each.rule, each.variable, each.value) for each in problems if each.rule == rule] == [(rule, where, port)]


def test_two_roles_cannot_have_one_port() -> None:
    assert found(EXPORTER, other={"ports": [9404]}) == [("port_shared", ".ports", 9404)]


@pytest.mark.parametrize(
    "name", ["server.properties", "../metrics.yml", "metrics", "metrics/a.yml", "other.yml", "metrics-."]
)
def test_a_file_begins_with_its_roles_name(name: str) -> None:
    assert found({"files": [{**KEY, "name": name}]}) == [("contributed_file", ".files", name)]


def test_two_files_of_one_name_and_a_role_called_like_a_file_of_kafka_are_refused() -> None:
    assert found({"files": [KEY, KEY]}) == [("contributed_file", ".files", KEY["name"])]
    problems = problems_of(contributing({}, server={"files": [{"name": "server.yml", "content": "a"}]}))
    assert "contributed_file" in [each.rule for each in problems]


AGENT = {"name": "metrics-1.jar", "source": "/a.jar", "sha256": "a" * 64}


@pytest.mark.parametrize(
    ("agent", "digest", "rule", "value"),
    [
        ({}, "", "agent_missing", "/a.jar"),
        ({}, "b" * 64, "agent_checksum", "/a.jar"),
        ({"name": "metrics.sh"}, "a" * 64, "agent_name", "metrics.sh"),
        ({"name": "../metrics-1.jar"}, "a" * 64, "agent_name", "../metrics-1.jar"),
        ({"name": "other-1.jar"}, "a" * 64, "agent_name", "other-1.jar"),
    ],
)
def test_an_agent_is_the_jar_that_was_named(agent: dict[str, str], digest: str, rule: str, value: str) -> None:
    problems = problems_of(contributing({"agents": [{**AGENT, **agent}]}), agent_digests={"/a.jar": digest})
    seen = [(each.rule, each.variable, each.value) for each in problems if each.rule.startswith("agent")]
    assert seen == [(rule, "kafka_contribution_metrics.agents", value)]


def test_an_agent_with_the_digest_that_it_shall_have_is_sound() -> None:
    problems = problems_of(contributing({"agents": [AGENT]}), agent_digests={"/a.jar": "a" * 64})
    assert [each.rule for each in problems if each.rule.startswith("agent")] == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "", "10.0.0.1 -Dx=y", "10.0.0.1=a"])  # noqa: S104
def test_an_address_that_stands_for_all_or_is_none_is_refused(address: str) -> None:
    assert found({"addresses": [address, "10.0.0.1"]}) == [("contributed_address", ".addresses", address)]


@pytest.mark.parametrize(
    "line", ["User=root", "[Install]", "Environment", "Environment=A=b\nUser=root", " Environment=A=b"]
)
def test_a_line_only_adds_to_the_unit(line: str) -> None:
    assert found({"unit_lines": [line]}) == [("unit_line", ".unit_lines", line)]


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ({"ports": ["many"]}, ".ports[0]"),
        ({"jvm_option": ["-Dx=y"]}, ".jvm_option"),
        ({"files": [{"name": "metrics.yml"}]}, ".files[0].content"),
        ({"files": [{**KEY, "contents": "c4n4ry"}]}, ".files[0].contents"),
    ],
)
def test_another_form_is_refused_and_no_content_shown(given: dict[str, Any], part: str) -> None:
    assert found(given) == [("type", part, None)]


COLLECTOR: dict[str, Any] = {
    "interval": 15,
    "metrics": {"kafka_a": ["gauge", "A."]},
    "program": "abc",
    "exporter": "/e",
}
BESIDE: dict[str, Any] = {"ports": [9100], "addresses": ["10.0.0.1"], "process": "e", "collector": COLLECTOR}


@pytest.mark.parametrize(
    ("asked", "rule", "part", "value"),
    [
        ({"interval": 4}, "collector_interval", "interval", 4),
        ({"interval": 61}, "collector_interval", "interval", 61),
        ({"archive": "distributoin"}, "exporter_missing", "archive", "distributoin"),
        ({"archive": "/srv/exporter.zip"}, "exporter_archive", "archive", "/srv/exporter.zip"),
        ({"archive": "/srv/e.tar.gz"}, "exporter_checksum", "checksum", ""),
        ({"archive": "/srv/e.tar.gz", "checksum": "sha256:b"}, "exporter_checksum", "checksum", "sha256:b"),
    ],
)
def test_a_collector_looks_neither_too_often_nor_too_rarely_and_its_exporter_is_there(
    asked: dict[str, Any], rule: str, part: str, value: Any
) -> None:
    given = {**BESIDE, "collector": {**COLLECTOR, **asked}}
    digests = {"distributoin": "", "/srv/exporter.zip": "a", "/srv/e.tar.gz": "a"}
    problems = problems_of(contributing(given), agent_digests=digests)
    seen = [(each.rule, each.variable, each.host, each.value) for each in problems if "collector." in each.variable]
    assert seen == [(rule, f"kafka_contribution_metrics.collector.{part}", "k1", value)]


def test_an_archive_of_the_exporter_with_its_checksum_is_taken() -> None:
    given = {**BESIDE, "collector": {**COLLECTOR, "archive": "/srv/e.tar.gz", "checksum": "sha256:a"}}
    problems = problems_of(contributing(given), agent_digests={"/srv/e.tar.gz": "a"})
    assert [each.rule for each in problems if "collector." in each.variable] == []


def test_a_broker_is_described_with_its_collector_which_asks_that_broker_as_the_node() -> None:
    cluster, _ = read(contributing(BESIDE), SPECS)
    node = describe_node(cluster, cluster.nodes[0])
    found = node["collector"]
    assert found["client"]["bootstrap_servers"] == [node["broker_address"]]
    assert found["client"]["node"] == "/opt/kafka/current/config/server.properties"
    assert found["exporter"] == {"binary": "/e", "listen": "10.0.0.1:9100"}
    assert found["log_dirs"] == sorted({*node["log_dirs"], node["metadata_log_dir"]})
    assert node["contributed_processes"] == {"kafka_contribution_metrics": "e"}


@pytest.mark.parametrize(
    ("client", "between", "bind", "asked"),
    [
        ("PLAINTEXT", "PLAINTEXT", "10.0.0.1", []),
        ("SSL", "SSL", "10.0.0.1", []),
        ("SSL", "PLAINTEXT", "10.0.0.1", ["10.0.0.1:9092"]),
        ("SASL_SSL", "PLAINTEXT", "0.0.0.0", ["k1:9092"]),  # noqa: S104
    ],
)
def test_the_certificate_of_a_listener_for_clients_is_looked_at_where_that_between_brokers_has_none(
    client: str, between: str, bind: str, asked: list[str]
) -> None:
    cluster, _ = read(contributing(BESIDE), SPECS)
    made = {"client": client, "inter_broker": between, "controller": between}
    listeners = tuple(
        dataclasses.replace(each, protocol=made[each.purpose], bind=bind, port=9092 + at)
        for at, each in enumerate(cluster.nodes[0].listeners)
    )
    assert listeners[0].purpose == "client"
    node = dataclasses.replace(cluster.nodes[0], listeners=listeners, address="k1")
    assert describe_node(cluster, node)["collector"]["proxies"] == asked


def test_where_node_exporter_runs_already_none_is_wanted() -> None:
    cluster, _ = read(contributing({**BESIDE, "collector": {**COLLECTOR, "exporter": ""}}), SPECS)
    assert describe_node(cluster, cluster.nodes[0])["collector"]["exporter"] == {}


def test_a_node_that_is_no_broker_has_no_collector_and_opens_no_port_for_it() -> None:
    cluster, _ = read(contributing(BESIDE), SPECS)
    node = dataclasses.replace(cluster.nodes[0], roles=("controller",))
    found = describe_node(cluster, node)
    assert (found["collector"], found["contributed_ports"], found["contributed_addresses"]) == ({}, {}, {})


def test_a_described_node_has_options_and_ports_and_no_content() -> None:
    cluster, _ = read(contributing({**EXPORTER, "files": [KEY], "agents": [AGENT], "addresses": ["10.0.0.1"]}), SPECS)
    node = describe_node(cluster, cluster.nodes[0])
    assert node["derived_jvm_options"][-1] == EXPORTER["jvm_options"][0]
    assert node["contributions"] == ["kafka_contribution_metrics"]
    assert node["contributed_ports"] == {"kafka_contribution_metrics": [9404]}
    assert node["contributed_addresses"] == {"kafka_contribution_metrics": ["10.0.0.1"]}
    assert node["agents"] == [{"path": "/opt/kafka/agents/metrics-1.jar", "source": "/a.jar", "digest": "a" * 64}]
    assert "c4n4ry" not in str(node)


def test_without_contributions_there_is_no_file_and_no_line() -> None:
    assert contributed_files([{}], "/next", "kafka") == []
    assert contributed_lines([{}], "/config") == []


def test_files_of_all_roles_come_after_the_list_that_names_them() -> None:
    text = {"name": "a.yml", "content": "a: 1\n"}
    files = contributed_files([{"files": [KEY]}, {"files": [text]}], "/next", "kafka")
    assert [(one["path"], one["content"], one["sensitive"]) for one in files] == [
        ("/next/contributed.list", "a.yml\nmetrics-key.pem restart\n", False),
        ("/next/a.yml", "a: 1\n", False),
        ("/next/metrics-key.pem", "c4n4ry", True),
    ]
    assert {(one["owner"], one["group"], one["mode"]) for one in files} == {("root", "kafka", "0640")}
    assert contributed_lines([{"files": [KEY], "unit_lines": ["Environment=A=b"]}], "/config") == [
        f"ExecStartPre=+/usr/bin/install -m 0600 -t {STARTED_DIR} /config/contributed.list /config/metrics-key.pem",
        "Environment=A=b",
    ]
