"""The page of a cluster's status: one HTML file in the dress of the other page, with everything in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from spark_jobs.page import environment, status_tables, text

SENTENCES = ("Certificates", "Of processes")  #: counts that are sentences
FOLD_ABOVE = 24  #: rows
MOST_STEPS = 20  #: tasks of the last deployment


def render(status: Any, words: Mapping[str, Sequence[str]]) -> str:
    """Render the page of a ``Status`` (module_utils/kraft/status/model.py); `words`: its ``sections`` (screen.py)."""
    page = environment().get_template("status.html.j2")
    return page.render(
        status=status,
        words=words,
        **verdict(status),
        written=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        plural=text.plural,
        moment_of=text.moment_of,
        fold_above=FOLD_ABOVE,
        most_steps=MOST_STEPS,
        tiles=tiles(status),
        certificates=[figure for label, figure in status.counts.items() if label in SENTENCES],
        at_risk=status_tables.at_risk(status),
        tables=[table for table in (status_tables.nodes(status), status_tables.log_dirs(status)) if table],
        of_cluster=status_tables.cluster(status),
        gaps=status_tables.gaps(status),
        largest=[table for table in (status_tables.topics(status), status_tables.groups(status)) if table],
    )


def verdict(status: Any) -> dict[str, str]:
    """Return the sign and the word of the page's head."""
    outcome = "proven" if status.good else "failed" if not status.healthy else "unreachable"
    return {
        "outcome": outcome,
        "word": "Healthy" if status.good else "Not healthy" if not status.healthy else "Drifted",
    }


def tiles(status: Any) -> dict[str, str]:
    """Return the figures of the head: short, for they are large."""
    found = {label: figure for label, figure in status.counts.items() if label not in SENTENCES}
    days = [one.days for node in status.nodes for one in node.certificates if not one.own]
    return {**found, **({"First certificate ends in": text.plural(min(days), "day")} if days else {})}
