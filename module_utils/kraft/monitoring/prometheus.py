"""What Prometheus needs to find the nodes: scrape configuration and targets, as texts of files. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml
from ansible.module_utils.kraft.spec.desired.model import host_port

GIVER = "kafka_contribution_metrics"
JOB = "kafka"
HEADER = "# Written by playbooks/render_monitoring.yml; changes made here are lost.\n"
TARGETS = "targets.json"


def files(desired: Mapping[str, Any]) -> dict[str, str]:
    """Name -> content, the same for the same desired state; none where no node publishes metrics."""
    found = targets(desired)
    if not found:
        return {}
    return {"prometheus.yml": scrape_text(), TARGETS: json.dumps(found, indent=2) + "\n"}


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
    return HEADER + yaml.safe_dump({"global": intervals, "scrape_configs": [job]}, sort_keys=False)
