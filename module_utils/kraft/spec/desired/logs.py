"""Where a node's log files go: what ``kafka_logs`` takes as settings. Pure."""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.spec.desired.alerting import ADDRESS
from ansible.module_utils.kraft.spec.desired.model import Cluster, Node


def receiver(text: str) -> dict[str, Any]:
    """Of ``host:port``; an address of IPv6 stands in brackets there, and without them here."""
    found = ADDRESS.fullmatch(text)
    return {"host": found[1].strip("[]"), "port": int(found[2])} if found else {}


def logs(cluster: Cluster, node: Node) -> dict[str, Any]:
    """Empty where nothing is shipped. ``authority``: path on the control machine; its text comes with the task."""
    asked = next((each.logs for each in node.contributions if each.logs), None)
    if not asked:
        return {}
    return {
        "cluster": cluster.name,
        "cluster_id": cluster.cluster_id,
        "node_id": node.node_id,
        "host": node.host,
        "receiver": receiver(asked.get("receiver", "")),
        "directory": node.tls_directory,
        "log_dir": node.log4j_dir,
        "hidden": sorted({*node.log_dirs, node.metadata_dir}),
        "authority": asked.get("authority", ""),
        **{key: asked[key] for key in ("port", "queue_mb")},
        "packages": asked.get("packages", "distribution"),
    }
