"""Assignment of a stall to a step of the operation, by the callback's timeline. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spark_jobs.report_schema import TimelineEntry

SECOND_US = 1_000_000
STEPS = "steps.jsonl"


def load(path: Path) -> list[TimelineEntry]:
    """Load the timeline's lines; none without a file, and none of a torn line."""
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            entries.append(json.loads(line))
        except ValueError:
            continue
    return entries


def overlap_us(step: TimelineEntry, from_us: int, to_us: int) -> int:
    """Return the overlap of a step and a stretch of time; negative without one."""
    return int(min(step["end"] * SECOND_US, to_us) - max(step["start"] * SECOND_US, from_us))


def step_of(from_us: int, to_us: int, steps: Iterable[TimelineEntry]) -> TimelineEntry | None:
    """Return the step that was under way when the stretch began, as its cause; of several the one begun last.

    Without such a step, the one that shares the most time with it.
    """
    met = [step for step in steps if overlap_us(step, from_us, to_us) > 0]
    before = [step for step in met if step["start"] * SECOND_US <= from_us]
    if before:
        return max(before, key=lambda step: step["start"])
    return max(met, key=lambda step: overlap_us(step, from_us, to_us), default=None)


def attributed(stalls: Sequence[Mapping[str, Any]], steps: Sequence[TimelineEntry]) -> list[dict[str, Any]]:
    """Add ``step`` to each stall (``{task, host, phase, into_s}``: seconds since the step began), null outside."""
    found = []
    for stall in stalls:
        step = step_of(stall["from_us"], stall["to_us"], steps)
        about = step and {
            "task": step["task"],
            "host": step["host"],
            "phase": step["phase"],
            "into_s": round(stall["from_us"] / SECOND_US - step["start"], 3),
        }
        found.append({**stall, "step": about or None})
    return found


def merged(steps: Iterable[TimelineEntry], begin_us: int, end_us: int) -> list[TimelineEntry]:
    """Return steps that were under way while the probe ran, in the order of their beginning."""
    return sorted((step for step in steps if overlap_us(step, begin_us, end_us) > 0), key=lambda step: step["start"])
