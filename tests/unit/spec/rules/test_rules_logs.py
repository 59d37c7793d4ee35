"""Log files that are shipped: refused before any host is touched, and described for the host."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read

from tests.unit.spec.inventory import SPECS, hosts, problems_of

LOGS: dict[str, Any] = {
    "receiver": "logs.example.com:20514",
    "authority": "/pki/logs.pem",
    "queue_mb": 1024,
    "port": 20514,
}
TLS = {"passphrase": "long-enough-passphrase"}


def given(logs: dict[str, Any], tls: dict[str, Any] | None = None, **variables: Any) -> list[HostVariables]:
    made = hosts(1, kafka_logs=True, kafka_tls=TLS if tls is None else tls, **variables)
    return [dataclasses.replace(host, contributions={"kafka_contribution_logs": {"logs": logs}}) for host in made]


def found(logs: dict[str, Any], tls: dict[str, Any] | None = None, faults: dict[str, str] | None = None) -> list[Any]:
    told = problems_of(given(logs, tls), log_authority_faults=faults or {})
    problems = [each for each in told if each.rule.startswith("logs")]
    return [(each.rule, each.host, each.variable, each.value) for each in problems]


def test_a_receiver_with_an_authority_and_a_node_with_certificates_are_sound() -> None:
    assert found(LOGS) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"receiver": ""}, ("logs_receiver", "k1", "kafka_logs_receiver", None)),
        ({"receiver": "logs.example.com"}, ("logs_receiver", "k1", "kafka_logs_receiver", "logs.example.com")),
        ({"receiver": "https://logs:1"}, ("logs_receiver", "k1", "kafka_logs_receiver", "https://logs:1")),
        ({"receiver": "logs:99999"}, ("logs_receiver", "k1", "kafka_logs_receiver", "logs:99999")),
        ({"authority": ""}, ("logs_authority", "k1", "kafka_logs_authority", None)),
        ({"queue_mb": 1}, ("logs_queue", "k1", "kafka_logs_queue_mb", 1)),
        ({"port": 514}, ("logs_port", "k1", "kafka_logs_port", 514)),
        ({"port": 9092}, ("logs_port", "k1", "kafka_logs_port", 9092)),
    ],
)
def test_what_cannot_work_is_refused(changed: dict[str, Any], expected: Any) -> None:
    assert found({**LOGS, **changed}) == [expected]


def test_an_authority_that_cannot_be_used_is_refused() -> None:
    faults = {"/pki/logs.pem": "holds no certificate"}
    assert found(LOGS, faults=faults) == [("logs_authority", "k1", "kafka_logs_authority", "/pki/logs.pem")]


@pytest.mark.parametrize("path", ["/var/lib/kafka-logs", "/var/lib/kafka-logs/data1"])
@pytest.mark.parametrize("variable", ["kafka_log_dirs[1]", "kafka_metadata_log_dir", "kafka_log4j_dir"])
def test_nothing_of_kafka_lies_where_lines_wait(variable: str, path: str) -> None:
    value: Any = ["/srv/kafka/data1", path] if variable.startswith("kafka_log_dirs") else path
    changed: dict[str, Any] = {variable.partition("[")[0]: value}
    told = problems_of(given(LOGS, **changed))
    assert [(one.variable, one.value) for one in told if one.rule == "logs_directory"] == [(variable, path)]
    alone = problems_of(hosts(1, **changed))
    assert [one for one in alone if one.rule == "logs_directory"] == []


def test_a_node_without_a_certificate_has_nothing_to_show_to_the_receiver() -> None:
    assert found(LOGS, tls={}) == [("logs_certificate", "k1", "kafka_logs", True)]


def test_a_node_is_described_with_its_receiver_and_gets_a_certificate_without_secured_listeners() -> None:
    cluster = read(given({**LOGS, "receiver": "[2001:db8::1]:20514"}), SPECS)[0]
    node = describe_node(cluster, cluster.nodes[0])
    assert node["logs"]["receiver"] == {"host": "2001:db8::1", "port": 20514}
    assert (node["logs"]["host"], node["logs"]["log_dir"], node["logs"]["packages"]) == (
        "k1",
        "/var/log/kafka",
        "distribution",
    )
    assert node["certificate"]
    assert [key for key in node["properties"] if "ssl" in key] == []


def test_without_shipping_there_are_no_settings() -> None:
    cluster = read(hosts(1), SPECS)[0]
    assert describe_node(cluster, cluster.nodes[0])["logs"] == {}
