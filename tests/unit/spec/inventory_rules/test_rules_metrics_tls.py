"""TLS in front of the exporters: refused before any host is touched, and described for the host."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read

from tests.unit.spec.inventory import SPECS, hosts, problems_of

METRICS, COLLECTOR = "kafka_contribution_metrics", "kafka_contribution_collector"
PROXY = {"user": "prometheus", "stunnel": "distribution"}
AGENT: dict[str, Any] = {"ports": [9404], "addresses": ["10.0.0.1"], "proxy": PROXY}
BESIDE: dict[str, Any] = {
    "ports": [9100],
    "addresses": ["10.0.0.1"],
    "proxy": PROXY,
    "collector": {"interval": 15, "metrics": {}, "program": "a", "exporter": "/e"},
}
SOUND: dict[str, Any] = {
    "kafka_metrics": True,
    "kafka_metrics_tls": True,
    "kafka_metrics_user": "prometheus",
    "kafka_tls": {"passphrase": "long-enough-passphrase"},
    "kafka_users": [{"name": "prometheus", "authentication": "tls"}],
}


def given(agent: dict[str, Any] | None = None, number: int = 1, **more: Any) -> list[HostVariables]:
    made = hosts(number, **{**SOUND, **more})
    agent = AGENT if agent is None else agent
    return [dataclasses.replace(host, contributions={METRICS: agent} if agent else {}) for host in made]


def found(variables: list[HostVariables]) -> list[tuple[str, str, str]]:
    problems = [each for each in problems_of(variables) if each.rule.startswith("metrics_tls")]
    return [(each.rule, each.host, each.variable) for each in problems]


def test_a_node_with_certificates_and_a_scraper_is_sound() -> None:
    problems = problems_of(given())
    assert [each for each in problems if "metrics" in each.rule or "users" in each.variable] == []


def test_a_user_with_a_password_may_have_the_name_of_the_scraper_in_another_case() -> None:
    named = [{"name": "PROMETHEUS", "password": "cDP8YJ2vX0hqF1m7"}, {"name": "Prometheus", "state": "absent"}]
    assert found(given(kafka_users=[*SOUND["kafka_users"], *named])) == []


@pytest.mark.parametrize(
    ("agent", "more", "expected"),
    [
        ({}, {"kafka_metrics": False}, ("metrics_tls_alone", "k1", "kafka_metrics_tls")),
        (AGENT, {"kafka_tls": {}}, ("metrics_tls_authority", "k1", "kafka_metrics_tls")),
        (AGENT, {"kafka_users": []}, ("metrics_tls_user", "k1", "kafka_metrics_user")),
        (
            AGENT,
            {"kafka_users": [{"name": "prometheus", "password": "cDP8YJ2vX0hqF1m7"}]},
            ("metrics_tls_user", "k1", "kafka_metrics_user"),
        ),
        (
            {**AGENT, "proxy": {**PROXY, "user": ".all"}},
            {"kafka_users": [{"name": ".all", "authentication": "tls"}]},
            ("metrics_tls_user", "k1", "kafka_metrics_user"),
        ),
        (
            AGENT,
            {"kafka_users": [*SOUND["kafka_users"], {"name": "Prometheus", "authentication": "tls"}]},
            ("metrics_tls_twin", "k1", "kafka_users"),
        ),
        (
            {**AGENT, "addresses": ["127.0.0.1"]},
            {},
            ("metrics_tls_address", "k1", "kafka_contribution_metrics.addresses"),
        ),
    ],
)
def test_what_cannot_work_is_refused(agent: dict[str, Any], more: dict[str, Any], expected: Any) -> None:
    assert found(given(agent, **more)) == [expected]


def test_all_nodes_are_scraped_in_one_way() -> None:
    made = given(number=3)
    plain = {METRICS: {key: value for key, value in AGENT.items() if key != "proxy"}}
    other = {**made[1].values, "kafka_metrics_tls": False}
    made[1] = dataclasses.replace(made[1], contributions=plain, values=other)
    assert found(made) == [("metrics_tls_differs", "", "kafka_metrics_tls")]


def test_a_listener_cannot_have_the_port_behind_a_proxy() -> None:
    problems = problems_of(given({**AGENT, "ports": [9092]}))
    assert [each.value for each in problems if each.rule == "port_shared"] == [9092]


def clustered(**contributions: Any) -> Cluster:
    made = [dataclasses.replace(host, contributions=contributions) for host in hosts(1, **SOUND)]
    return read(made, SPECS)[0]


def test_a_node_is_described_with_its_proxies_and_its_exporter_on_loopback() -> None:
    cluster = clustered(**{METRICS: AGENT, COLLECTOR: BESIDE})
    node = describe_node(cluster, cluster.nodes[0])
    common = {"address": "10.0.0.1", "user": "prometheus"}
    assert node["metrics_proxy"] == {
        "directory": "/opt/kafka/tls",
        "log_dirs": node["collector"]["log_dirs"],
        "proxies": [
            {"name": "collector", "port": 9100, "behind": "prometheus-node-exporter", **common},
            {"name": "metrics", "port": 9404, "behind": "kafka", **common},
        ],
    }
    addresses = ["10.0.0.1:9100", "10.0.0.1:9404"]
    assert (node["proxy_addresses"], node["collector"]["proxies"]) == (addresses, addresses)
    assert node["collector"]["exporter"] == {"binary": "/e", "listen": "127.0.0.1:9100"}
    assert node["contributed_addresses"] == {METRICS: ["10.0.0.1"], COLLECTOR: ["10.0.0.1"]}
    assert node["stunnel"] == "distribution"


def test_without_secured_listeners_the_certificate_is_for_the_proxy_alone() -> None:
    cluster = clustered(**{METRICS: {**AGENT, "addresses": ["10.0.0.9"]}})
    node = describe_node(cluster, cluster.nodes[0])
    assert "10.0.0.9" in node["certificate"]["node"]["names"]
    assert [key for key in node["properties"] if "ssl" in key] == []


def test_a_controller_has_no_proxy_of_the_collector() -> None:
    cluster = clustered(**{COLLECTOR: BESIDE})
    node = dataclasses.replace(cluster.nodes[0], roles=("controller",))
    described = describe_node(cluster, node)
    assert (described["metrics_proxy"], described["stunnel"], described["certificate"]) == ({}, "", None)
