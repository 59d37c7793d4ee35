"""Pictures of one thing each, as pure functions from numbers to SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from spark_jobs.page import svg, text
from spark_jobs.report_schema import Bucket, Latency

PLOT_TOP = 46
PLOT_HEIGHT = 150
AXIS = PLOT_TOP + PLOT_HEIGHT
#: A glyph of the placement strip: its pitch and the square inside it, in pixels.
PITCH = 16
SQUARE = 10


def shown_buckets(buckets: Sequence[Bucket]) -> list[Bucket]:
    """Return the buckets from the first to the last with records, with one empty neighbour on each side."""
    filled = [n for n, bucket in enumerate(buckets) if bucket["records"]]
    return list(buckets[max(0, filled[0] - 1) : filled[-1] + 2]) if filled else []


def position(buckets: Sequence[Bucket], value: float) -> float:
    """Return a latency's position on the axis (0 to 1): columns are equally wide, and logarithmic inside."""
    for n, bucket in enumerate(buckets):
        low, high = bucket["from_ms"], bucket["to_ms"]
        if high is None or value < high or n == len(buckets) - 1:
            return (n + _within(low, high, value)) / len(buckets)
    return 0.0


def _within(low: float | None, high: float | None, value: float) -> float:
    if low is None or high is None or high <= low:
        return 0.5
    share = math.log(value / low) / math.log(high / low) if low > 0 and value > 0 else (value - low) / (high - low)
    return min(1.0, max(0.0, share))


def bucket_words(bucket: Bucket) -> str:
    """Format ``30 ms to 50 ms``, ``below 0 ms``, ``10 s and more``."""
    low, high = bucket["from_ms"], bucket["to_ms"]
    if low is None:
        return f"below {text.milliseconds(high)}"
    return (
        f"{text.milliseconds(low)} and more"
        if high is None
        else f"{text.milliseconds(low)} to {text.milliseconds(high)}"
    )


def latency_histogram(latency: Latency) -> Markup:
    """Draw columns of records by latency, with the median and the 99th percentile marked."""
    buckets = shown_buckets(latency["histogram"])
    if not buckets:
        return Markup("")
    highest = max(bucket["records"] for bucket in buckets)
    total = sum(bucket["records"] for bucket in buckets)
    columns = [_column(n, len(buckets), bucket, highest, total) for n, bucket in enumerate(buckets)]
    marks = [
        mark
        for row, (name, value) in enumerate((("p50", latency["p50_ms"]), ("p99", latency["p99_ms"])))
        for mark in _mark(position(buckets, value), f"{name}  {text.milliseconds(value)}", row)
    ]
    title = (
        f"Histogram of latency: half of {text.integer(total)} records within {text.milliseconds(latency['p50_ms'])}, "
        f"99 % within {text.milliseconds(latency['p99_ms'])}"
    )
    axis = svg.line("0", AXIS, "100%", AXIS, "axis")
    return svg.picture(title, *columns, axis, *_ticks(buckets), *marks, height=AXIS + 30, class_="chart")


def _column(n: int, count: int, bucket: Bucket, highest: int, total: int) -> Markup:
    height = PLOT_HEIGHT * bucket["records"] / highest
    share = text.percent(bucket["records"], total)
    title = f"{bucket_words(bucket)}: {text.plural(bucket['records'], 'record')} ({share})"
    skewed = bucket["to_ms"] is not None and bucket["to_ms"] <= 0
    box = svg.Box(svg.across((n + 0.04) / count), AXIS - height, svg.across(0.92 / count), height)
    return svg.rect(box, "bar bad" if skewed else "bar", title)


def _ticks(buckets: Sequence[Bucket]) -> Iterable[Markup]:
    """Draw a tick at each edge, a label at the powers of ten."""
    for n, bucket in enumerate(buckets):
        edge = bucket["from_ms"]
        x = svg.across(n / len(buckets))
        decade = edge is not None and edge > 0 and math.log10(edge).is_integer()
        crowded = edge == 0 and any((b["from_ms"] or 0) == 1 for b in buckets[n : n + 3])
        yield svg.line(x, AXIS, x, AXIS + (6 if decade else 3), "axis")
        if decade or (edge == 0 and not crowded):
            anchor = "middle" if n else "start"
            yield svg.text(text.milliseconds(edge), x, AXIS + 20, class_="tick", text_anchor=anchor)


def _mark(at: float, label: str, row: int) -> tuple[Markup, Markup]:
    """Draw a dotted line with its label; on the right half the label is written leftwards."""
    x, y = svg.across(at), 14 + 18 * row
    left = at > 0.6  # noqa: PLR2004
    anchor, dx = ("end", -6) if left else ("start", 6)
    return (
        svg.line(x, y - 10, x, AXIS, "mark"),
        svg.text(label, x, y, dx=dx, class_="mark-label", text_anchor=anchor),
    )


def strip_head(broker_ids: Sequence[int]) -> Markup:
    """Draw the broker ids over the columns of the placement strips."""
    labels = [
        svg.text(str(node), n * PITCH + PITCH / 2, 11, class_="tick", text_anchor="middle")
        for n, node in enumerate(broker_ids)
    ]
    words = "Brokers " + ", ".join(map(str, broker_ids))
    return svg.picture(words, *labels, width=PITCH * len(broker_ids), height=14, class_="strip")


def placement_strip(
    broker_ids: Sequence[int], leader: int | None, replicas: Sequence[int], isr: Sequence[int]
) -> Markup:
    """Draw one glyph for each broker: filled square leads, hollow square is in sync, crossed one is behind."""
    shapes: dict[str, list[str]] = {"leads": [], "follows": [], "behind": [], "none": []}
    for n, node in enumerate(broker_ids):
        kind = _kind(node, leader, replicas, isr)
        shapes[kind].append(_glyph(kind, n * PITCH + (PITCH - SQUARE) / 2, 3))
    paths = [svg.element("path", d="".join(d), class_=f"glyph-{kind}") for kind, d in shapes.items() if d]
    return svg.picture(
        placement_words(leader, replicas, isr), *paths, width=PITCH * len(broker_ids), height=PITCH, class_="strip"
    )


def _kind(node: int, leader: int | None, replicas: Sequence[int], isr: Sequence[int]) -> str:
    if node == leader:
        return "leads"
    if node not in replicas:
        return "none"
    return "follows" if node in isr else "behind"


def placement_words(leader: int | None, replicas: Sequence[int], isr: Sequence[int]) -> str:
    """Format ``leader 1, in sync 2 and 3, behind 4``."""
    following = [str(node) for node in replicas if node in isr and node != leader]
    behind = [str(node) for node in replicas if node not in isr]
    parts = [f"leader {leader}" if leader is not None and leader >= 0 else "no leader"]
    parts += [f"in sync {text.listed(following)}"] if following else []
    parts += [f"behind {text.listed(behind)}"] if behind else []
    return ", ".join(parts)


def _glyph(kind: str, x: float, y: float) -> str:
    left, edge = svg.number(x), f"h{SQUARE}v{SQUARE}h-{SQUARE}z"
    if kind == "none":
        return f"M{svg.number(x + SQUARE / 2 - 1)} {svg.number(y + SQUARE / 2 - 1)}h2v2h-2z"
    square = f"M{left} {svg.number(y)}{edge}"
    return square + f"l{SQUARE} {SQUARE}m-{SQUARE} 0l{SQUARE}-{SQUARE}" if kind == "behind" else square
