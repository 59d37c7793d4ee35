"""The page of a proof: the verdict, each topic with its counts on both sides, and the first records at fault."""

from __future__ import annotations

from typing import Any

from spark_jobs.page import template, text
from spark_jobs.page.view import WORDS, Figure
from spark_jobs.proof.report_schema import Report

FAULTS = {
    "missing": "Missing",
    "extra": "Extra",
    "changed": "Changed",
    "reordered": "Reordered",
    "duplicated": "Duplicated",
}
NOT_HELD = {
    "deleted_on_source": "deleted on the source",
    "deleted_on_target": "deleted on the target",
    "compacted_on_source": "compacted away on the source",
    "compacted_on_target": "compacted away on the target",
}


def render(report: Report) -> str:
    """The page of a proof's report; one file, with everything in it."""
    page = template().environment.get_template("proof.html.j2")
    outcome = report["verdict"]["outcome"]
    return page.render(
        report=report,
        outcome=outcome,
        word=WORDS[outcome],
        figures=figures(report) if report["topics"] else [],
        faults=FAULTS,
        not_held=NOT_HELD,
        plural=text.plural,
    )


def figures(report: Report) -> list[Figure]:
    """The head's figures, added up over all topics."""
    topics: list[Any] = list(report["topics"])
    sides = [("on the source", "source_records"), ("on the target", "target_records"), ("the same", "paired")]
    found = [Figure(label, text.integer(sum(topic[name] for topic in topics)), "plain") for label, name in sides]
    for kind, label in FAULTS.items():
        count = sum(topic["faults"][kind] for topic in topics)
        found.append(Figure(label.lower(), text.integer(count), "bad" if count else "good"))
    return found
