"""What Prometheus needs to watch a cluster, as texts of files: configuration, targets, rules, their tests. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml
from ansible.module_utils.kraft.monitoring import rule_tests, rules
from ansible.module_utils.kraft.spec.desired.model import host_port

GIVER = "kafka_contribution_metrics"
JOB = "kafka"
HEADER = "# Written by playbooks/render_monitoring.yml; changes made here are lost.\n"
TARGETS, RULES, TESTS = "targets.json", "rules.yml", "rules_test.yml"


def files(desired: Mapping[str, Any]) -> dict[str, str]:
    """Name -> content, the same for the same desired state; none where no node publishes metrics."""
    found = targets(desired)
    if not found:
        return {}
    cluster = desired["cluster"]["name"]
    written = {"prometheus.yml": scrape_text(), TARGETS: json.dumps(found, indent=2) + "\n"}
    return written | rule_files(rules.data(cluster), cluster)


def rule_files(data: rules.Rule, cluster: str) -> dict[str, str]:
    """The rules, and tests of them for ``promtool test rules``."""
    return {RULES: text(rules.groups(data)), TESTS: text(rule_tests.tests(data, cluster, RULES))}


def text(content: Mapping[str, Any]) -> str:
    return HEADER + yaml.safe_dump(content, sort_keys=False, width=1000)


def targets(desired: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The nodes with an agent, as ``file_sd`` takes them, in the order of their ids."""
    nodes = sorted(desired["nodes"].items(), key=lambda one: int(one[1]["node_id"]))
    return [
        {
            "targets": [host_port(node["contributed_addresses"][GIVER][0], node["contributed_ports"][GIVER][0])],
            "labels": {
                "cluster": desired["cluster"]["name"],
                "node_id": str(node["node_id"]),
                "host": host,
                "rack": node["rack"] or "",
                "roles": ",".join(node["roles"]),
            },
        }
        for host, node in nodes
        if GIVER in node["contributed_ports"]
    ]


def scrape_text() -> str:
    """A whole configuration of Prometheus; its paths are relative to the file."""
    job = {"job_name": JOB, "file_sd_configs": [{"files": [TARGETS]}]}
    intervals = {"scrape_interval": "15s", "evaluation_interval": "15s"}
    return text({"global": intervals, "rule_files": [RULES], "scrape_configs": [job]})
