"""The page of a smoke test: one HTML file with everything in it, from the report that the test wrote.

Whatever a report lacks, or however a run failed, there is a page: it shows what is known and names what is not.
Sections without data are null or empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark_jobs.page import charts, cluster, environment, smoke_summaries, smoke_tables, svg, text
from spark_jobs.page.report_loader import as_report
from spark_jobs.page.snapshot import Snapshot
from spark_jobs.page.snapshot import snapshot as read_snapshot
from spark_jobs.page.waterfall import waterfall
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import Counts, Latency, Percentiles, Report, Steady, Throughput
from spark_jobs.verdict import WORDS as FAULTS

WORDS = {"proven": "Proven", "failed": "Failed", "undecided": "Undecided", "unreachable": "Unreachable"}
#: Longer tables are folded away behind their heading.
FOLD_ABOVE = 24
PASSES = {"write": "Write", "batch_read": "Read, batch", "stream_read": "Read, streaming"}
#: name in ``Counts`` -> label, and whether anything but zero is a fault that fails the run.
FIGURES = {
    "written": ("written", False),
    "read": ("read back", False),
    "lost": ("lost", True),
    "undecided": ("undecided", True),
    "corrupt": ("corrupt", True),
    "out_of_order": ("out of order", True),
    "misplaced": ("misplaced", True),
    "foreign_headers": ("with foreign headers", True),
    "duplicated": ("duplicated", False),
    "unexpected": ("not of this run", False),
}


@dataclass(frozen=True)
class Figure:
    """A number with its label; ``state`` is good (a fault that is not there), bad or plain."""

    label: str
    value: str
    state: str


@dataclass(frozen=True)
class Setting:
    """A property; ``values`` pairs each value with the nodes that have it, empty for all of them."""

    name: str
    values: tuple[tuple[str, str], ...]


def render(report: object) -> str:
    """Render the page of a loaded ``report.json``; never fails on the content of a report."""
    shown = view(as_report(report), schema_errors(report))
    return environment().get_template("smoke.html.j2").render(shown, say=smoke_summaries, plural=text.plural)


def view(report: Report, gaps: list[str]) -> dict[str, Any]:
    """Return the template's variables. `gaps`: places at which the report does not have its promised shape."""
    snapshot = read_snapshot(report)
    return {
        "report": report,
        "gaps": gaps,
        "unmeasured": unmeasured(snapshot, report),
        **verdict(report),
        **about_cluster(snapshot, report),
        **about_speed(report),
        "waterfall": waterfall(report["timeline"]),
        "settings": settings(report["settings"]),
        "fold_above": FOLD_ABOVE,
        "fault_words": FAULTS,
    }


def verdict(report: Report) -> dict[str, Any]:
    """Return the head of the page."""
    outcome = report["verdict"]["outcome"]
    return {
        "outcome": "unreachable" if outcome == "undecided" else outcome,
        "word": WORDS[outcome],
        "sentences": report["verdict"]["sentences"] or [WORDS[outcome] + "."],
        "figures": figures(report["counts"]) if report["counts"] else [],
    }


def about_cluster(snapshot: Snapshot, report: Report) -> dict[str, Any]:
    """Return the parts that need the cluster's snapshot: map, quorum, leaders, partitions, versions."""
    nodes = cluster.nodes(snapshot, report)
    ids = smoke_tables.broker_ids(nodes, report)
    return {
        "snapshot": snapshot,
        "nodes": nodes,
        "node_names": {node.node_id: node.name for node in nodes},
        "racks": cluster.racks(nodes),
        "leaders": smoke_tables.leaders(nodes, report),
        "partitions": smoke_tables.partitions(ids, snapshot, report),
        "strip_head": charts.strip_head(ids) if ids else "",
        "versions": versions(report) | snapshot.features,
    }


def about_speed(report: Report) -> dict[str, Any]:
    """Return latency, throughput and the native smoke test."""
    latency, native = report["latency"], report["native_smoke"]
    return {
        "histogram": charts.latency_histogram(latency) if latency else "",
        "buckets": charts.shown_buckets(latency["histogram"]) if latency else [],
        "bucket_words": charts.bucket_words,
        "percentiles": percentiles(latency) if latency else [],
        "steady": steady(report["steady"]) if report["steady"] else [],
        "passes": passes(report["throughput"]) if report["throughput"] else [],
        "slowest": max((one["acknowledged_ms"] for one in native["partitions"]), default=None) if native else None,
    }


def figures(counts: Counts) -> list[Figure]:
    """Return the account in numbers, in the readers' usual order."""
    found = []
    for name, value in counts.items():
        if name in FIGURES and isinstance(value, int):
            label, fatal = FIGURES[name]
            found.append((list(FIGURES).index(name), Figure(label, text.integer(value), _state(value, fatal))))
    return [figure for _, figure in sorted(found, key=lambda pair: pair[0])]


def _state(value: int, fatal: bool) -> str:
    return "plain" if not fatal else "bad" if value else "good"


def percentiles(latency: Latency) -> list[tuple[str, float]]:
    """Return names and values of the distribution."""
    return [
        ("p50", latency["p50_ms"]),
        ("p95", latency["p95_ms"]),
        ("p99", latency["p99_ms"]),
        ("p99.9", latency["p999_ms"]),
        ("longest", latency["max_ms"]),
    ]


def steady(found: Steady) -> list[tuple[str, Percentiles]]:
    """Return the steps that the steady client waited for, with their durations."""
    return [("Acknowledged", found["acknowledged"]), ("Had back by a consumer", found["returned"])]


def passes(throughput: Throughput) -> list[dict[str, Any]]:
    """Return the passes that were made, with the share of the fastest as a bar."""
    made = [(PASSES[name], rate) for name, rate in throughput.items() if isinstance(rate, dict) and name in PASSES]
    fastest = max((rate["records_per_s"] for _, rate in made), default=0)
    return [
        {**rate, "name": name, "bar": svg.bar(rate["records_per_s"] / fastest if fastest else 0)} for name, rate in made
    ]


def settings(by_node: dict[str, dict[str, str]]) -> list[Setting]:
    """Return properties in alphabetical order, equal values of several nodes once."""
    rows = []
    for name in sorted({key for found in by_node.values() for key in found}):
        by_value: dict[str, list[str]] = {}
        for node, found in by_node.items():
            if name in found:
                by_value.setdefault(found[name], []).append(node)
        everywhere = len(by_value) == 1 and len(next(iter(by_value.values()))) == len(by_node)
        rows.append(Setting(name, tuple((v, "" if everywhere else text.listed(on)) for v, on in by_value.items())))
    return rows


def versions(report: Report) -> dict[str, str]:
    """Return the versions of all parts, by name; Spark's own report goes before the deployment's notes."""
    found = {name.replace("_", " "): version for name, version in sorted(report["versions"].items())}
    if spark := report["spark"]:
        found |= {
            "spark": spark["version"],
            "spark master": spark["master"],
            "connector": spark["connector"],
            "java of spark": spark["java"],
        }
    if report["native_smoke"]:
        found["native client"] = report["native_smoke"]["client"]
    return found


def unmeasured(snapshot: Snapshot, report: Report) -> list[str]:
    """Return the parts that this run did not reach, as text."""
    parts = {
        "the account of records": report["counts"],
        "the streaming read": report["stream"],
        "the latency of a steady client": report["steady"],
        "the latency of the bulk load": report["latency"],
        "throughput": report["throughput"],
        "the native client's smoke test": report["native_smoke"],
        "the state of the quorum": snapshot.voters,
        "the phases of the deployment": report["timeline"],
    }
    return [words for words, found in parts.items() if not found]
