"""Rows of the tables about brokers and partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from spark_jobs.page import charts, smoke_summaries, svg, text
from spark_jobs.page.cluster import Node
from spark_jobs.page.snapshot import Partition, Snapshot
from spark_jobs.report_schema import PartitionResult, Report


@dataclass(frozen=True)
class PartitionRow:
    number: int
    strip: Markup
    bar: Markup
    records: str
    size: str
    offsets: str
    holes: int
    faults: str
    fatal: bool


def broker_ids(nodes: list[Node], report: Report) -> list[int]:
    """Return the columns of the placement strips: brokers known, or at least those that lead."""
    leading = {result["leader"] for result in report["per_partition"]}
    known = {node.node_id for node in nodes if node.broker}
    return sorted(known | {leader for leader in leading if leader is not None and leader >= 0})


def leaders(nodes: list[Node], report: Report) -> list[dict[str, Any]]:
    """Return one row for each leading broker, with the share of the busiest as a bar."""
    names = {node.node_id: node.name for node in nodes}
    most = max((result["records"] for result in report["per_broker"]), default=0)
    rows = []
    for result in report["per_broker"]:
        node_id = result["node_id"]
        faults = {"lost": result["lost"], "corrupt": result["corrupt"]}
        rows.append(
            {
                **result,
                "name": "no leader known" if node_id is None else names.get(node_id) or result["host"] or "",
                "bar": svg.bar(result["records"] / most if most else 0),
                "faults": ", ".join(f"{text.integer(count)} {word}" for word, count in faults.items() if count),
            }
        )
    return rows


def partitions(ids: list[int], snapshot: Snapshot, report: Report) -> list[PartitionRow]:
    """Return one row for each partition of the audited topic; `ids`: the columns of its placement strip."""
    topic = next((topic for topic in snapshot.topics or [] if topic["name"] == report["topic"]["name"]), None)
    placed = {partition["partition"]: partition for partition in topic["partitions"]} if topic else {}
    most = max((result["records"] for result in report["per_partition"]), default=0)
    return [_partition(result, placed.get(result["partition"]), ids, most) for result in report["per_partition"]]


def _partition(result: PartitionResult, placed: Partition | None, ids: list[int], most: int) -> PartitionRow:
    """Return one row; without a snapshot of the topic, only the leader is known to hold the partition."""
    leader = result["leader"]
    alone = [leader] if leader is not None else []
    replicas, isr = (placed["replicas"], placed["isr"]) if placed else (alone, alone)
    faults = smoke_summaries.faults(result)
    fatal = any(word != smoke_summaries.FAULT_WORDS["duplicated"] for word in faults)
    return PartitionRow(
        number=result["partition"],
        strip=charts.placement_strip(ids, leader, replicas, isr) if ids else Markup(""),
        bar=svg.bar(result["records"] / most if most else 0, "bar bad" if fatal else "bar"),
        records=text.integer(result["records"]),
        size=text.size(result["bytes"]),
        offsets=f"{text.integer(result['first_offset'])} to {text.integer(result['end_offset'])}",
        holes=result["holes"],
        faults=", ".join(f"{text.integer(count)} {word}" for word, count in faults.items()),
        fatal=fatal,
    )
