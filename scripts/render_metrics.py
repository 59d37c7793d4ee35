"""Write docs/metrics.md and docs/runbooks/alerts.md from the catalogue and the rules; run it after a change there.

A contract test compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import ansible.module_utils

ROOT = Path(__file__).resolve().parents[1]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.monitoring import rules  # noqa: E402 - by the path above
from ansible.module_utils.kraft.monitoring.catalogue import (  # noqa: E402 - by the path above
    AGENT,
    COLLECTOR,
    LEVELS,
    MARKER,
    Metric,
    catalogue,
)

PAGE = ROOT / "docs/metrics.md"
ALERTS = ROOT / "docs/runbooks/alerts.md"
HEAD = """# Metrics

Metrics of a node with `kafka_metrics: true` ([role kafka_metrics](../roles/kafka_metrics/README.md)).
`scripts/render_metrics.py` writes this page from `module_utils/kraft/monitoring/data/catalogue.yml`.

If an entry counts for the whole cluster, every controller publishes the same count: take `max`, never `sum`.
A series with the label `quantile` is a percentile that Kafka computed on one node. Take the worst node, never an
average. The agent also publishes a few more series about the JVM. Metrics of the collector come with
`kafka_collector: true`, through node_exporter.
"""
COLUMNS = ("name", "type", "unit", "nodes", "counts for", "meaning", "in Kafka")
#: Source of a metric without an MBean.
OTHERS = {AGENT: "the JVM", COLLECTOR: "asked by the collector", MARKER: "left by an operation"}
TITLES = {"node": "Metrics of a node", "topic": "Metrics of a topic, with `kafka_metrics_level: topic`"}


def source(metric: Metric) -> str:
    """Return the metric's source."""
    if not metric.mbean:
        return OTHERS[metric.by]
    attribute = metric.attribute or "percentiles"
    return f"`{metric.mbean}` {attribute}"


def table(metrics: Iterable[Metric]) -> str:
    rows = [COLUMNS, ["---"] * len(COLUMNS), *map(cells, metrics)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(metric: Metric) -> tuple[str, ...]:
    """Return one row."""
    counts_for = "cluster" if metric.of == "cluster" else metric.level
    own = (f"`{metric.name}`", metric.type, metric.unit, metric.role, counts_for, metric.help)
    return (*own, source(metric))


def page() -> str:
    """Return the whole page."""
    parts = [f"## {TITLES[level]}\n\n{table(m for m in catalogue() if m.level == level)}\n" for level in LEVELS]
    return "\n".join([HEAD, *parts])


ALERTS_PAGE = """# Alerts

## When

Prometheus fires an alert of the rules that `render_monitoring.yml` has written. `page` is for immediate action,
`ticket` for the next morning. `scripts/render_metrics.py` writes this page from
`module_utils/kraft/monitoring/data/rules.yml`.

## Command

Look at the cluster first:

```sh
ansible-playbook -i inventories/mine playbooks/cluster_status.yml
```

## What you see when it worked

The status names the cause first, then what to do next. An alert resolves by itself once its cause is gone.

## If it fails

{alerts}
## Way back

An alert never changes the cluster. To have no alerts, take `rules.yml` out of Prometheus' configuration.
"""
TEMPLATE = re.compile(r"\{\{ \$(?:labels\.)?(\w+)[^}]*\}\}")


def alerts_page() -> str:
    """Return the runbook of all alerts, a section for each."""
    return ALERTS_PAGE.replace("{alerts}", "\n".join(map(section, rules.data("*cluster*")["alerts"])))


def section(alert: rules.Rule) -> str:
    lasts = "" if alert["for"] == "0m" else f" It fires after {alert['for']}."
    summary = TEMPLATE.sub(r"*\1*", alert["summary"])
    return f"### {alert['alert']}\n\n{summary}. Severity: `{alert['severity']}`.{lasts} {alert['remedy']}\n"


if __name__ == "__main__":
    PAGE.write_text(page())
    ALERTS.write_text(alerts_page())
