"""A status as JSON-ready data, for other programs. Pure; docs/runbooks/cluster_status.md lists the fields."""

from __future__ import annotations

import dataclasses
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.status.model import Status
from ansible.module_utils.kraft.status.watched import Watched


def report(status: Status, written: str) -> dict[str, Any]:
    """Return the report. `written`: the time, as ISO 8601 in UTC."""
    return {
        "cluster": status.name,
        "cluster_id": status.cluster_id,
        "written": written,
        "headline": status.headline,
        "healthy": status.healthy,
        "drifted": status.drifted,
        "compared": status.compared,
        "leader": leader(status.leadership),
        "causes": [dataclasses.asdict(cause) for cause in status.causes],
        "unfinished": [dataclasses.asdict(one) for one in status.unfinished],
        "notes": list(status.notes),
        "problems": list(status.problems),
        "nodes": [dataclasses.asdict(node) for node in status.nodes],
        "drift": list(status.drift),
        "corrections": [dataclasses.asdict(one) for one in status.corrections],
        "ungranted": [dataclasses.asdict(one) for one in status.ungranted],
        "counts": dict(status.counts),
        "figures": dataclasses.asdict(status.figures),
        "changed": dataclasses.asdict(status.changed) if status.changed else None,
        "watched": watched(status.watched),
    }


def watched(found: Watched | None) -> dict[str, Any] | None:
    """Return Prometheus' data; null if none is configured."""
    if found is None:
        return None
    firing = [dataclasses.asdict(one) for one in found.alerts]
    full = [dataclasses.asdict(one) for one in found.filling]
    return {"url": found.url, "error": found.error, "watches": found.watches, "alerts": firing, "filling": full}


def leader(led: Leadership) -> dict[str, Any]:
    """Return the leader with its supporters; node_id is null if no majority agrees."""
    others = [{"node_id": one.node_id, "leader_id": one.leader_id, "epoch": one.epoch} for one in led.others]
    return {
        "node_id": led.leader_id if led.known else None,
        "epoch": led.epoch if led.known else None,
        "according_to": list(led.according_to),
        "out_of_date": others,
        "stale": list(led.stale),
        "silent": [{"node_id": one.node_id, "reason": one.error} for one in led.silent],
    }
