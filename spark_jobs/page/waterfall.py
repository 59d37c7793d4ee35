"""The deployment's phases over time: one row for each phase, in it one lane for each host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from spark_jobs.page import svg, text
from spark_jobs.report_schema import TimelineEntry

#: With at most this number of hosts, each lane has room for its host's name.
NAMED_HOSTS = 6
WIDE_PITCH = 16
THIN_PITCH = 6
#: More tasks than this are drawn as one bar for each phase and host, so that the page stays small.
DRAWN_TASKS = 300
TICK_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)
MOST_TICKS = 6


@dataclass(frozen=True)
class Row:
    """One phase. ``seconds`` is its wall time over all hosts; ``hosts`` the lanes from top to bottom."""

    phase: str
    seconds: float
    hosts: tuple[str, ...]
    failed_on: tuple[str, ...]
    lanes: Markup


@dataclass(frozen=True)
class Waterfall:
    """``start`` in milliseconds since 1970, ``seconds`` from the first task's start to the last one's end."""

    start_ms: float
    seconds: float
    hosts: tuple[str, ...]
    named: bool
    rows: tuple[Row, ...]
    axis: Markup

    @property
    def longest(self) -> Row:
        return max(self.rows, key=lambda row: row.seconds)


@dataclass(frozen=True)
class Scale:
    """Scale of a run's drawing: ``length`` seconds across from ``begin`` (since 1970), a lane every ``pitch`` pixels.

    ``whole``: a phase on a host is one bar, whatever its tasks.
    """

    begin: float
    length: float
    pitch: int
    whole: bool


def waterfall(entries: Sequence[TimelineEntry]) -> Waterfall | None:
    """Draw a run; null if nothing was recorded."""
    if not entries:
        return None
    begin, end = min(e["start"] for e in entries), max(e["end"] for e in entries)
    phases: dict[str, list[TimelineEntry]] = {}
    for entry in sorted(entries, key=lambda e: e["start"]):
        phases.setdefault(entry["phase"], []).append(entry)
    hosts = tuple(sorted({e["host"] for e in entries}))
    named = len(hosts) <= NAMED_HOSTS
    pitch = WIDE_PITCH if named else THIN_PITCH
    scale = Scale(begin, max(end - begin, 0.001), pitch, len(entries) > DRAWN_TASKS)
    rows = tuple(_row(phase, some, scale) for phase, some in phases.items())
    return Waterfall(begin * 1000, scale.length, hosts, named, rows, _axis(scale.length))


def tick_step(length: float) -> float:
    """Return the smallest round step, in seconds, that puts at most ``MOST_TICKS`` marks on the axis."""
    return next((step for step in TICK_STEPS if length / step <= MOST_TICKS), float(TICK_STEPS[-1]))


def covered(entries: Sequence[TimelineEntry]) -> float:
    """Return the wall time of tasks, in seconds: simultaneous ones count once."""
    total, reached = 0.0, float("-inf")
    for entry in sorted(entries, key=lambda e: e["start"]):
        total += max(0.0, entry["end"] - max(entry["start"], reached))
        reached = max(reached, entry["end"])
    return total


def _row(phase: str, entries: list[TimelineEntry], scale: Scale) -> Row:
    hosts = tuple(sorted({e["host"] for e in entries}))
    failed = tuple(sorted({e["host"] for e in entries if not e["ok"]}))
    drawn = [bar for host in hosts for bar in _bars([e for e in entries if e["host"] == host], scale.whole)]
    shapes = [_shape(bar, hosts.index(bar["host"]), scale) for bar in drawn]
    height = scale.pitch * len(hosts)
    words = f"{phase}: {text.seconds(covered(entries))} on {text.plural(len(hosts), 'host')}"
    picture = svg.picture(words, *_grid(scale.length, height), *shapes, height=height, class_="lanes")
    return Row(phase, covered(entries), hosts, failed, picture)


def _bars(entries: list[TimelineEntry], whole: bool) -> list[TimelineEntry]:
    """Return the tasks of a phase on one host, or all of them as one."""
    if not whole:
        return entries
    one: TimelineEntry = {
        "host": entries[0]["host"],
        "phase": entries[0]["phase"],
        "task": text.plural(len(entries), "task"),
        "start": entries[0]["start"],
        "end": max(e["end"] for e in entries),
        "changed": any(e["changed"] for e in entries),
        "ok": all(e["ok"] for e in entries),
    }
    return [one]


def _shape(entry: TimelineEntry, lane: int, scale: Scale) -> Markup:
    took = max(0.0, entry["end"] - entry["start"])
    outcome = "failed" if not entry["ok"] else "changed" if entry["changed"] else "unchanged"
    inset = scale.pitch / 5
    box = svg.Box(
        x=svg.across((entry["start"] - scale.begin) / scale.length),
        y=lane * scale.pitch + inset,
        width=svg.across(took / scale.length),
        height=scale.pitch - 2 * inset,
    )
    return svg.rect(box, f"task {outcome}", f"{entry['host']}: {entry['task']}, {text.seconds(took)}, {outcome}")


def _grid(length: float, height: float) -> list[Markup]:
    return [svg.line(x, 0, x, height, "grid") for x, _ in _marks(length)]


def _axis(length: float) -> Markup:
    labels = [
        svg.text(_tick(at), x, 11, class_="tick", text_anchor="middle" if at else "start") for x, at in _marks(length)
    ]
    return svg.picture("Seconds since the first task", *labels, height=14, class_="lanes")


def _tick(at: float) -> str:
    return f"{at:g} s" if at < 2 * text.MINUTE else text.seconds(at)


def _marks(length: float) -> list[tuple[str, float]]:
    """Return position and seconds of each mark of the time axis."""
    step = tick_step(length)
    return [(svg.across(n * step / length), n * step) for n in range(int(length / step) + 1)]
