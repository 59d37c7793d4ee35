"""Writes docs/metrics.md from the catalogue of metrics; run it after a change there. A contract test compares."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import ansible.module_utils

ROOT = Path(__file__).resolve().parents[1]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))

from ansible.module_utils.kraft.monitoring.catalogue import LEVELS, Metric, catalogue  # noqa: E402 - by the path above

PAGE = ROOT / "docs/metrics.md"
HEAD = """# Metrics

What a node publishes with `kafka_metrics: true` ([role kafka_metrics](../roles/kafka_metrics/README.md)).
`scripts/render_metrics.py` writes this page from `module_utils/kraft/monitoring/data/catalogue.yml`.

Where an entry counts for the whole cluster, every controller publishes the same count: take `max`, never `sum`.
A series with the label `quantile` is a percentile that Kafka computed on one node. Take the worst node, never an
average. The agent also publishes a few more series of its own about the JVM.
"""
COLUMNS = ("name", "type", "unit", "nodes", "counts for", "meaning", "in Kafka")
TITLES = {"node": "Of a node", "topic": "Of a topic, with `kafka_metrics_level: topic`"}


def source(metric: Metric) -> str:
    """Where Kafka has it."""
    if not metric.mbean:
        return "the JVM"
    attribute = metric.attribute or "percentiles"
    return f"`{metric.mbean}` {attribute}"


def table(metrics: Iterable[Metric]) -> str:
    rows = [COLUMNS, ["---"] * len(COLUMNS), *map(cells, metrics)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(metric: Metric) -> tuple[str, ...]:
    """One row."""
    counts_for = "cluster" if metric.of == "cluster" else metric.level
    own = (f"`{metric.name}`", metric.type, metric.unit, metric.role, counts_for, metric.help)
    return (*own, source(metric))


def page() -> str:
    """The whole page."""
    parts = [f"## {TITLES[level]}\n\n{table(m for m in catalogue() if m.level == level)}\n" for level in LEVELS]
    return "\n".join([HEAD, *parts])


if __name__ == "__main__":
    PAGE.write_text(page())
