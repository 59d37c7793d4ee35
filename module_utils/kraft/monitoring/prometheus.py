"""Files for Prometheus and Grafana to watch a cluster, as texts. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml
from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.monitoring import alertmanager, dashboards, rule_tests, rules
from ansible.module_utils.kraft.node.certificate import NODES
from ansible.module_utils.kraft.spec.desired.alerting import ALERTMANAGER, RECEIVERS
from ansible.module_utils.kraft.spec.resources.users import user_certificate

#: The contributions that are scraped, the jobs that scrape them, and the files of their targets.
GIVER, HOST_GIVER = "kafka_contribution_metrics", "kafka_contribution_collector"
JOB, HOST_JOB = "kafka", "kafka-host"
HEADER = "# Written by playbooks/render_monitoring.yml; changes made here are lost.\n"
TARGETS, HOST_TARGETS, RULES = "targets.json", "hosts.json", "rules.yml"
#: Tests of the rules; those of alerts that wait for days.
TESTS, SLOW_TESTS = "rules_test.yml", "rules_slow_test.yml"
ALERTS = "alertmanager.yml"
#: With TLS: the certificates that Prometheus trusts, and its own key with its certificate.
CA, PAIR = "nodes.pem", "scraper.pem"


def files(desired: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, str]:
    """Return name -> content, the same for the same desired state; none if no node has the agent.

    `defaults`: of the variables of ``spec/desired/alerting.py``; the inventory's values count before them.
    """
    found = {TARGETS: targets(desired, GIVER), HOST_TARGETS: targets(desired, HOST_GIVER)}
    if not found[TARGETS]:
        return {}  # with the collector's figures alone KafkaClusterNotScraped would fire without end
    cluster = desired["cluster"]["name"]
    alerting = {**defaults, **desired["cluster"].get("alerting", {})}
    given = {name: str(value) for name, value in alerting.items()}  # Ansible's own kind of text is no YAML
    receivers = {each: given[variable] for each, variable in RECEIVERS.items()}
    written = {
        "prometheus.yml": scrape_text(given.get(ALERTMANAGER, ""), bool(scraper(desired))),
        ALERTS: text(alertmanager.config(cluster, receivers)),
        **{name: json.dumps(each, indent=2) + "\n" for name, each in found.items()},
    }
    return written | rule_files(rules.data(cluster), cluster) | dashboards.files(cluster)


def scraper(desired: Mapping[str, Any]) -> str:
    """Return Prometheus's user at the proxies of the exporters; empty if it scrapes without TLS."""
    found = (each["user"] for node in desired["nodes"].values() for each in proxies_of(node))
    return next(found, "")


def proxies_of(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list((node.get("metrics_proxy") or {}).get("proxies", ()))


def credentials(desired: Mapping[str, Any]) -> dict[str, str]:
    """Return name beside ``prometheus.yml`` -> its file on the control machine."""
    user = scraper(desired)
    directories = (node["certificate"]["authority"] for node in desired["nodes"].values() if proxies_of(node))
    authority = next(directories, "")
    return {CA: f"{authority}/{NODES}.pem", PAIR: user_certificate(authority, user)} if user else {}


def rule_files(data: rules.Rule, cluster: str) -> dict[str, str]:
    """Return the rules, and tests of them for ``promtool test rules``."""
    tested = {name: rule_tests.tests(data, cluster, RULES, step) for name, step in ((TESTS, "m"), (SLOW_TESTS, "h"))}
    return {RULES: text(rules.groups(data)), **{name: text(each) for name, each in tested.items()}}


def text(content: Mapping[str, Any]) -> str:
    return HEADER + yaml.safe_dump(content, sort_keys=False, width=1000)


def targets(desired: Mapping[str, Any], giver: str) -> list[dict[str, Any]]:
    """Return the nodes with the contribution of `giver`, in the form of ``file_sd``, in the order of their ids."""
    nodes = sorted(desired["nodes"].items(), key=lambda one: int(one[1]["node_id"]))
    return [
        {
            "targets": [host_port(node["contributed_addresses"][giver][0], node["contributed_ports"][giver][0])],
            "labels": {
                "cluster": desired["cluster"]["name"],
                "node_id": str(node["node_id"]),
                "host": host,
                "rack": node["rack"] or "",
                "roles": ",".join(node["roles"]),
            },
        }
        for host, node in nodes
        if giver in node["contributed_ports"]
    ]


def scrape_text(alerts_go_to: str = "", secured: bool = False) -> str:
    """Return a configuration of Prometheus; paths are relative to the file. `alerts_go_to`: Alertmanager's address."""
    files_of = {JOB: TARGETS, HOST_JOB: HOST_TARGETS}
    by_tls = {"scheme": "https", "tls_config": {"ca_file": CA, "cert_file": PAIR, "key_file": PAIR}} if secured else {}
    jobs = [{"job_name": name, **by_tls, "file_sd_configs": [{"files": [file]}]} for name, file in files_of.items()]
    intervals = {"scrape_interval": "15s", "evaluation_interval": "15s"}
    named = {"alertmanagers": [{"static_configs": [{"targets": [alerts_go_to]}]}]}
    told = {"alerting": named} if alerts_go_to else {}
    return text({"global": intervals, "rule_files": [RULES], **told, "scrape_configs": jobs})
