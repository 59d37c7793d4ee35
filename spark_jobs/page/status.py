"""The page of a cluster's status: one HTML file in the dress of the other page, with everything in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from spark_jobs.page import last_hour, template, text


def render(status: Any, words: Mapping[str, Sequence[str]]) -> str:
    """The page of a ``Status`` (module_utils/kraft/status/model.py); `words`: ``sections`` of screen.py there."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    outcome = "proven" if status.good else "failed" if not status.healthy else "unreachable"
    word = "Healthy" if status.good else "Not healthy" if not status.healthy else "Drifted"
    watched = status.watched
    hour = last_hour.rows(watched.lines, watched.begin) if watched else []
    page = template().environment.get_template("status.html.j2")
    return page.render(
        status=status, words=words, outcome=outcome, word=word, written=now, plural=text.plural, hour=hour
    )
