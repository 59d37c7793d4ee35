"""The probe's timeline: acknowledgements, latency, brokers and steps, one above the other on one time axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from spark_jobs.page import svg, text
from spark_jobs.page.waterfall import DRAWN_TASKS, tick_step

PLOT = 96
TOP = 16  # room for the scale's upper label
PITCH = 16
SECOND_US = 1_000_000
MOST_BANDS = 60  # of stalls
LEAST_MS = 1.0


@dataclass(frozen=True)
class Axis:
    """The time that is drawn, in microseconds since 1970."""

    begin: float
    end: float

    def across(self, at: float) -> str:
        return svg.across((at - self.begin) / self.length)

    def box(self, begin: float, end: float, y: float, height: float) -> svg.Box:
        left, right = max(begin, self.begin), min(end, self.end)
        return svg.Box(self.across(left), y, svg.across(max(0.0, right - left) / self.length), height)

    def column(self, n: int, width: float, share: float) -> svg.Box:
        """Return the ``n``-th column, ``width`` wide, from the plot's foot up to ``share`` of its height."""
        begin, tall = self.begin + n * width, max(1.0, PLOT * share)
        return self.box(begin, begin + width, TOP + PLOT - tall, tall)

    @property
    def length(self) -> float:
        return max(1.0, self.end - self.begin)


@dataclass(frozen=True)
class Row:
    """One strip of the timeline: what it shows, the names of its lanes, and the picture."""

    name: str
    lanes: Sequence[str]
    picture: Markup


def timeline(audit: Mapping[str, Any]) -> list[Row]:
    """Return the strips from top to bottom; the first is the axis itself."""
    axis = Axis(audit["begin_us"], audit["end_us"])
    strips = [Row("", (), ticks(axis)), rates(audit, axis), latencies(audit, axis)]
    more = (brokers(audit["views"], axis), steps(audit["steps"], axis))
    return [*strips, *(row for row in more if row)]


def rates(audit: Mapping[str, Any], axis: Axis) -> Row:
    """Draw acknowledgements a second, with the stalls as bands behind them."""
    width = audit["series"]["width_us"]
    values = [count * SECOND_US / width for count in audit["series"]["acks"]]
    highest = max([*values, 1.0])
    bars = [
        svg.rect(axis.column(n, width, value / highest), "bar", f"{text.integer(value)} a second")
        for n, value in enumerate(values)
        if value
    ]
    longest = sorted(audit["long_stalls"], key=lambda stall: -stall["length_us"])[:MOST_BANDS]
    stalls = [_band(stall, axis) for stall in longest]
    words = f"Acknowledgements a second over time, {text.integer(highest)} at most"
    picture = _plot(words, axis, [*stalls, *bars], [(text.integer(highest), 1.0)])
    return Row("Acknowledged a second", (), picture)


def latencies(audit: Mapping[str, Any], axis: Axis) -> Row:
    """Draw the median and the slowest of each moment, on a logarithmic scale from 1 ms on."""
    series, width = audit["series"], audit["series"]["width_us"]
    highest = max([value for value in series["most_ms"] if value] + [10.0])
    decades = math.log10(highest / LEAST_MS)

    def height(value: float) -> float:
        return max(0.0, math.log10(max(value, LEAST_MS) / LEAST_MS) / decades)

    bars: list[Markup] = []
    for n, (middle, most) in enumerate(zip(series["p50_ms"], series["most_ms"])):
        if most is not None:
            title = f"median {text.milliseconds(middle)}, slowest {text.milliseconds(most)}"
            bars += [
                svg.rect(axis.column(n, width, height(most)), "slowest", title),
                svg.rect(axis.column(n, width, height(middle)), "bar", title),
            ]
    labels = [(text.milliseconds(10.0**n), n / decades) for n in range(1, int(decades) + 1)]
    words = f"Latency over time, logarithmic; the slowest took {text.milliseconds(highest)}"
    return Row("Latency: median, slowest", (), _plot(words, axis, bars, labels))


def brokers(views: Sequence[Mapping[str, Any]], axis: Axis) -> Row | None:
    """Draw a lane for each broker: full while it leads partitions, hollow while none, empty while it is away."""
    if not views:
        return None
    ids = sorted({node for view in views for node in view["brokers"]})
    ends = [*(view["at_us"] for view in views[1:]), axis.end]
    shapes = []
    for view, end in zip(views, ends):
        for lane, node in enumerate(ids):
            if node in view["brokers"]:
                led = view["led"].get(str(node), 0)
                box = axis.box(view["at_us"], end, lane * PITCH + 3, PITCH - 6)
                words = f"broker {node} leads {text.plural(led, 'partition')}"
                shapes.append(svg.rect(box, "presence" if led else "presence idle", words))
    height = PITCH * len(ids)
    words = "Brokers that a client sees over time"
    picture = svg.picture(words, *_grid(axis, height), *shapes, height=height, class_="lanes")
    return Row("Brokers", [f"broker {node}" for node in ids], picture)


def steps(entries: Sequence[Mapping[str, Any]], axis: Axis) -> Row | None:
    """Draw a lane for each host with the tasks that ran on it."""
    if not entries:
        return None
    hosts = sorted({entry["host"] for entry in entries})
    drawn = sorted(entries, key=lambda entry: entry["start"] - entry["end"])[:DRAWN_TASKS]
    shapes = [_step(entry, hosts.index(entry["host"]), axis) for entry in drawn]
    height = PITCH * len(hosts)
    words = f"{text.plural(len(entries), 'task')} on {text.plural(len(hosts), 'host')} over time"
    picture = svg.picture(words, *_grid(axis, height), *shapes, height=height, class_="lanes")
    return Row("Steps", hosts, picture)


def _step(entry: Mapping[str, Any], lane: int, axis: Axis) -> Markup:
    outcome = "failed" if not entry["ok"] else "changed" if entry["changed"] else "unchanged"
    box = axis.box(entry["start"] * SECOND_US, entry["end"] * SECOND_US, lane * PITCH + 3, PITCH - 6)
    took = text.seconds(entry["end"] - entry["start"])
    return svg.rect(box, f"task {outcome}", f"{entry['host']}: {entry['task']}, {took}, {outcome}")


def _band(stall: Mapping[str, Any], axis: Axis) -> Markup:
    title = f"partition {stall['partition']} stalled for {text.milliseconds(stall['length_us'] / 1000)}"
    return svg.rect(axis.box(stall["from_us"], stall["to_us"], TOP, PLOT), "stall", title)


def _plot(words: str, axis: Axis, shapes: Iterable[Markup], labels: Iterable[tuple[str, float]]) -> Markup:
    """Draw shapes over a time grid, with horizontal lines at the labelled shares of the height."""
    lines: list[Markup] = []
    names: list[Markup] = []
    for label, share in labels:
        y = TOP + PLOT * (1 - share)
        lines.append(svg.line("0", y, "100%", y, "grid"))
        names.append(svg.text(label, "0", y - 3, class_="scale"))
    base = svg.line("0", TOP + PLOT, "100%", TOP + PLOT, "axis")
    grid = _grid(axis, TOP + PLOT)
    return svg.picture(words, *grid, *lines, *shapes, base, *names, height=TOP + PLOT + 2, class_="lanes")


def _marks(axis: Axis) -> list[tuple[str, float]]:
    length = axis.length / SECOND_US
    step = tick_step(length)
    return [(svg.across(n * step / length), n * step) for n in range(int(length / step) + 1)]


def _grid(axis: Axis, height: float) -> list[Markup]:
    return [svg.line(x, 0, x, height, "grid") for x, _ in _marks(axis)]


def ticks(axis: Axis) -> Markup:
    """Draw the labels of the time axis."""
    labels = [
        svg.text(f"{at:g} s", x, 11, class_="tick", text_anchor="middle" if at else "start") for x, at in _marks(axis)
    ]
    return svg.picture("Seconds since the probe began", *labels, height=14, class_="lanes")
