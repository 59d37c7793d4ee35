"""The page of a proof: the verdict, each topic with its counts on both sides, and the first records at fault."""

from __future__ import annotations

from typing import Any

from spark_jobs.page import environment, text
from spark_jobs.page.smoke import WORDS, Figure
from spark_jobs.proof.group_positions import BAD
from spark_jobs.proof.report_schema import Report

FAULTS = {
    "missing": "Missing",
    "extra": "Extra",
    "changed": "Changed",
    "reordered": "Reordered",
    "duplicated": "Duplicated",
    "deleted": "Deleted on the target",
}
#: Accepted deviations from a rule: name and bound.
EXCUSED = {
    "deleted_on_source": ("Deleted on the source", "its log start offsets"),
    "deleted_on_target": ("Deleted on the target, which is allowed", "its log start offsets"),
    "compacted_on_source": ("Compacted away on the source", "offsets missing there"),
    "compacted_on_target": ("Compacted away on the target", "offsets missing there"),
    "timestamps_set_by_target": ("Timestamps not compared", "records stamped by the target's brokers"),
}
POINTS_AT = {
    "same": "the same record",
    "earlier": "an earlier record",
    "later": "a later record",
    "absent": "nothing",
    "set": "nothing; set once all else is proven",
    "outside_source": "nothing that the source holds",
    "outside_target": "nothing that the target holds",
    "target_alone": "a record, on the target alone",
}


def render(report: Report) -> str:
    """Render the page of a proof's report; one file, with everything in it."""
    page = environment().get_template("proof.html.j2")
    outcome = report["verdict"]["outcome"]
    return page.render(
        report=report,
        outcome=outcome,
        word=WORDS[outcome],
        figures=figures(report) if report["topics"] else [],
        plural=text.plural,
        **names(),
    )


def names() -> dict[str, Any]:
    """Return the names of kinds and outcomes for ``proof_sections.html.j2``."""
    return {"faults": FAULTS, "excused": EXCUSED, "points_at": POINTS_AT, "bad_positions": BAD}


def figures(report: Report) -> list[Figure]:
    """Return the head's figures, added up over all topics."""
    topics: list[Any] = list(report["topics"])
    sides = [("on the source", "source_records"), ("on the target", "target_records"), ("the same", "paired")]
    found = [Figure(label, text.integer(sum(topic[name] for topic in topics)), "plain") for label, name in sides]
    for kind, label in FAULTS.items():
        count = sum(topic["faults"][kind] for topic in topics)
        found.append(Figure(label.lower(), text.integer(count), "bad" if count else "good"))
    return found
