"""The page of a copy that goes on: both sides' counts by topic, its lag over time, and its last proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from spark_jobs.page import environment, lag_line, proof, text
from spark_jobs.proof.report_schema import Report

SHORTEST = 60.0  #: seconds that the picture of the lag covers at least


def render(status: Mapping[str, Any], history: Sequence[lag_line.Point], report: Report | None) -> str:
    """Render the page. `status`: source, headline and progress; `history`: seconds and records not copied."""
    page, progress = environment().get_template("mirror.html.j2"), status["progress"]
    outcome, word = judged(progress)
    return page.render(
        status=status,
        progress=progress,
        outcome=outcome,
        word=word,
        written=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        lag=over_time(history),
        since=datetime.fromtimestamp(history[0][0], timezone.utc).isoformat(timespec="seconds") if history else None,
        report=report,
        plural=text.plural,
        **proof.names(),
    )


def judged(progress: Mapping[str, Any]) -> tuple[str, str]:
    """Return the sign and the word of the page's head."""
    if progress["failed"] or progress["changed"]:
        return "failed", "Failed"
    if not progress["begun"]:
        return "unreachable", "Not begun"
    return ("unreachable", "Behind") if progress["lag_records"] else ("proven", "Caught up")


def over_time(history: Sequence[lag_line.Point]) -> lag_line.Row:
    """Return the row from the first sample until the last one."""
    begin = history[0][0] if history else 0.0
    span = max(SHORTEST, history[-1][0] - begin) if history else SHORTEST
    return lag_line.row("Records not copied", history, begin, span)
