"""The page of a probe's audit: what clients felt, and what was done meanwhile, on one time axis."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from spark_jobs.page import environment, probe_charts, text
from spark_jobs.probe import verdict

FAULTS = {"lost": "Lost", "duplicated": "Duplicated", "reordered": "Out of order", "misplaced": "Misplaced"}
MOST_ROWS = 60


def render(audit: Mapping[str, Any]) -> str:
    """Render the page of a loaded ``audit.json``; one file, with everything in it."""
    page = environment().get_template("probe.html.j2")
    begun = datetime.fromtimestamp(audit["begin_us"] / 1e6, timezone.utc).isoformat(timespec="seconds")
    return page.render(
        audit=audit,
        drill=audit.get("drill", ()),
        outcome="unreachable" if audit["outcome"] == verdict.UNDECIDED else audit["outcome"],
        word=verdict.WORDS[audit["outcome"]],
        begun=begun,
        figures=figures(audit),
        timeline=probe_charts.timeline(audit),
        stalls=sorted(audit["stalls"], key=lambda stall: -stall["length_us"])[:MOST_ROWS],
        partitions=audit["partitions"][:MOST_ROWS],
        most_rows=MOST_ROWS,
        plural=text.plural,
    )


def figures(audit: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the head's figures: label, value, and whether it is good or bad."""
    counts, latency = audit["counts"], audit["latency"]
    longest = max((stall["length_us"] for stall in audit["stalls"]), default=None)
    faults = [
        {"label": label, "value": text.integer(counts[name]), "state": "bad" if counts[name] else "good"}
        for name, label in FAULTS.items()
    ]
    return [
        {"label": "Acknowledged", "value": text.integer(counts["acked"]), "state": ""},
        *faults,
        {"label": "Longest stall", "value": text.milliseconds(longest and longest / 1000), "state": ""},
        {"label": "Latency p99", "value": text.milliseconds(latency["p99_ms"]), "state": ""},
    ]
