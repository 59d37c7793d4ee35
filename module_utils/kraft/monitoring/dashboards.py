"""Dashboards of one cluster for Grafana, from compact data. Pure.

Source of the fields: Grafana's JSON model of a dashboard, schema version 39.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.monitoring.catalogue import read

SCHEMA_VERSION = 39
#: Grafana's grid has 24 columns; sizes are columns and rows of it.
COLUMNS = 24
SIZES = {"stat": (4, 4), "timeseries": (8, 8)}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
HOST = "$host"  #: Grafana's variable of the page
SHOWN = {
    "stat": {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "none"},
    "timeseries": {
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    },
}


def files(cluster: str) -> dict[str, str]:
    """Return name -> content of each dashboard."""
    return {
        f"dashboard_{one['name']}.json": json.dumps(dashboard(one, cluster), indent=2) + "\n"
        for one in read("dashboards")
    }


def dashboard(one: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """Return one page; its uid is constant: Grafana recognises a new version of the page by it."""
    digest = hashlib.sha256(cluster.encode()).hexdigest()[:12]
    return {
        "uid": f"kafka-{digest}-{one['name']}",
        "title": f"Kafka {cluster}: {one['title']}",
        "tags": ["kafka", cluster],
        "schemaVersion": SCHEMA_VERSION,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [source(), *([hosts(cluster)] if "{hosts" in str(one) else [])]},
        "panels": list(panels(one["rows"], cluster)),
    }


def source() -> dict[str, Any]:
    """Return the choice of a Prometheus."""
    return {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def hosts(cluster: str) -> dict[str, Any]:
    """Return the choice of hosts."""
    query = f'label_values(up{{cluster="{cluster}"}}, host)'
    return {
        "name": "host",
        "label": "Host",
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": query, "refId": "host"},
        "refresh": 2,  # with the time range
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }


def panels(rows: Sequence[Mapping[str, Any]], cluster: str) -> Iterator[dict[str, Any]]:
    """Yield the panels of all rows with their places, from left to right; a heading above each row."""
    number, top = 0, 0
    for row in rows:
        number, left, height = number + 1, 0, 0
        yield {
            "id": number,
            "type": "row",
            "title": row["title"],
            "collapsed": False,
            "gridPos": place(0, top, COLUMNS, 1),
        }
        top += 1
        for one in row["panels"]:
            width, tall = SIZES[kind(one)]
            if left + width > COLUMNS:
                left, top = 0, top + height
            number, height = number + 1, tall
            yield {"id": number, "gridPos": place(left, top, width, tall), **panel(one, cluster)}
            left += width
        top += height


def panel(one: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """Return one panel without its place."""
    target = {
        "refId": "A",
        "datasource": SOURCE,
        "expr": expression(one, cluster),
        "legendFormat": one.get("legend", ""),
    }
    return {
        "type": kind(one),
        "title": one["title"],
        "description": one["text"],
        "datasource": SOURCE,
        "targets": [target],
        "fieldConfig": {"defaults": {"unit": one["unit"]}, "overrides": []},
        "options": SHOWN[kind(one)],
    }


def kind(one: Mapping[str, Any]) -> str:
    return str(one.get("kind", "timeseries"))


def expression(one: Mapping[str, Any], cluster: str, host: str = HOST) -> str:
    """Return the query for Prometheus; `host`: a regular expression, on a page the variable for it."""
    ours = f'{{cluster="{cluster}"'
    return str(one["expr"]).replace("{ours", ours).replace("{hosts", f'{ours},host=~"{host}"')


def place(left: int, top: int, width: int, height: int) -> dict[str, int]:
    return {"x": left, "y": top, "w": width, "h": height}
