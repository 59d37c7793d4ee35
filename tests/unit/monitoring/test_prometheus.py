"""Files by which Prometheus finds the nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.kraft.monitoring.prometheus import credentials, files, targets

ROOT = Path(__file__).resolve().parents[3]
DEFAULTS = yaml.safe_load((ROOT / "roles/kafka_metrics/defaults/main.yml").read_text())
GIVER, BESIDE = "kafka_contribution_metrics", "kafka_contribution_collector"


def desired(**nodes: dict[str, Any]) -> dict[str, Any]:
    made = {
        "node_id": 1,
        "rack": None,
        "roles": ["broker", "controller"],
        "contributed_addresses": {GIVER: ["10.0.0.1"]},
        "contributed_ports": {GIVER: [9404]},
    }
    return {"cluster": {"name": "blue"}, "nodes": {host: {**made, **node} for host, node in nodes.items()}}


def test_targets_are_the_nodes_with_an_agent_in_the_order_of_their_ids() -> None:
    silent = {"node_id": 1, "contributed_ports": {}, "contributed_addresses": {}}
    found = targets(desired(a={"node_id": 10}, b={"node_id": 9, "rack": "r", "roles": ["broker"]}, c=silent), GIVER)
    labels = {"cluster": "blue", "node_id": "9", "host": "b", "rack": "r", "roles": "broker"}
    assert found[0] == {"targets": ["10.0.0.1:9404"], "labels": labels}
    assert [each["labels"]["host"] for each in found] == ["b", "a"]


def test_an_ipv6_address_has_brackets() -> None:
    (found,) = targets(desired(a={"contributed_addresses": {GIVER: ["fd00::1"]}}), GIVER)
    assert found["targets"] == ["[fd00::1]:9404"]


def test_files_refer_to_each_other() -> None:
    made = files(desired(a={}), DEFAULTS)
    config = yaml.safe_load(made["prometheus.yml"])
    named = {
        job["job_name"]: [each for sd in job["file_sd_configs"] for each in sd["files"]]
        for job in config["scrape_configs"]
    }
    assert named == {"kafka": ["targets.json"], "kafka-host": ["hosts.json"]}
    assert config["rule_files"] == yaml.safe_load(made["rules_test.yml"])["rule_files"] == ["rules.yml"]
    assert json.loads(made["targets.json"]) == targets(desired(a={}), GIVER)
    assert json.loads(made["hosts.json"]) == []
    assert made == files(desired(a={}), DEFAULTS)


def test_node_exporter_is_scraped_where_it_is_with_the_labels_of_the_node() -> None:
    given = {"contributed_ports": {BESIDE: [9100]}, "contributed_addresses": {BESIDE: ["10.0.0.1"]}}
    made = files(desired(a=given, b={"node_id": 2}), DEFAULTS)
    (found,) = json.loads(made["hosts.json"])
    assert (found["targets"], found["labels"]["host"]) == (["10.0.0.1:9100"], "a")
    assert [each["labels"]["host"] for each in json.loads(made["targets.json"])] == ["b"]


def test_without_an_agent_there_is_nothing_to_write() -> None:
    assert files(desired(a={"contributed_ports": {}}), DEFAULTS) == {}


def test_with_the_collector_alone_no_alert_is_written_that_would_fire_for_good() -> None:
    given = {"contributed_ports": {BESIDE: [9100]}, "contributed_addresses": {BESIDE: ["10.0.0.1"]}}
    assert files(desired(a=given), DEFAULTS) == {}


def test_what_the_inventory_says_of_alerts_counts_before_the_defaults() -> None:
    made = desired(a={})
    given = {"kafka_metrics_page_receiver": "on call", "kafka_metrics_alertmanager": "alerts:9093"}
    made["cluster"]["alerting"] = given
    found = files(made, DEFAULTS)
    config = yaml.safe_load(found["alertmanager.yml"])
    assert [each["name"] for each in config["receivers"]] == ["on call", "kafka-ticket", "kafka-watchdog"]
    assert all(each.keys() == {"name"} for each in config["receivers"]), "a placeholder sends nothing"
    (named,) = yaml.safe_load(found["prometheus.yml"])["alerting"]["alertmanagers"]
    assert named["static_configs"] == [{"targets": ["alerts:9093"]}]
    assert "alerting" not in yaml.safe_load(files(desired(a={}), DEFAULTS)["prometheus.yml"])


def test_behind_proxies_prometheus_shows_a_certificate_that_lies_beside_its_configuration() -> None:
    proxies = {"proxies": [{"user": "prometheus"}]}
    made = desired(a={"metrics_proxy": proxies, "certificate": {"authority": "/pki"}})
    jobs = yaml.safe_load(files(made, DEFAULTS)["prometheus.yml"])["scrape_configs"]
    assert {job["scheme"] for job in jobs} == {"https"}
    named = credentials(made)
    assert named == {"nodes.pem": "/pki/nodes.pem", "scraper.pem": "/pki/users/prometheus.pem"}
    assert all(set(job["tls_config"].values()) == set(named) for job in jobs)
    assert credentials(desired(a={})) == {}
