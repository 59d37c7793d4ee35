"""The last hour of a cluster as lines, one small picture for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from spark_jobs.page import svg, text

HOUR = 3600.0
WIDTH, HEIGHT = 1000.0, 40.0  # the picture's own units: it is stretched to the width of its cell
GAP = 90.0  # seconds without a value that leave the line open
Point = tuple[float, float]
FORMATS: dict[str, Callable[[float], str]] = {
    "bytes": lambda value: f"{text.size(value)}/s",
    "seconds": lambda value: text.milliseconds(1000 * value),
    "ratio": lambda value: text.percent(value, 1),
    "count": text.integer,
}


class Line(NamedTuple):
    """What a line shows; the lines of a ``Watched`` have the same fields."""

    title: str
    unit: str
    points: Sequence[Point]


class Row(NamedTuple):
    """A line of the table."""

    title: str
    now: str
    highest: str
    picture: Markup


def rows(lines: Sequence[Any], begin: float) -> list[Row]:
    """Of the lines of a ``Watched`` (module_utils/kraft/status/watched.py), those without a point with dashes."""
    return [row(each, begin) for each in lines]


def row(line: Any, begin: float, span: float = HOUR, gap: float = GAP) -> Row:
    """`span`: seconds from the left to the right. `gap`: seconds without a value that leave the line open."""
    if not line.points:
        return Row(line.title, text.UNKNOWN, text.UNKNOWN, Markup(""))
    written = FORMATS[line.unit]
    now, highest = written(line.points[-1][1]), written(max(value for _, value in line.points))
    words = f"{line.title}: {now} at last, {highest} at most"
    drawn = svg.element("path", d=" ".join(path(line.points, begin, span, gap)), class_="line")
    return Row(line.title, now, highest, picture(words, drawn))


def picture(words: str, drawn: Markup) -> Markup:
    box = f"0 0 {svg.number(WIDTH)} {svg.number(HEIGHT)}"
    shape = {"viewBox": box, "preserveAspectRatio": "none", "width": "100%", "height": int(HEIGHT)}
    return svg.element("svg", svg.element("title", words), drawn, role="img", class_="last-hour", **shape)


def path(points: Sequence[Point], begin: float, span: float = HOUR, gap: float = GAP) -> Iterator[str]:
    """From the lowest of zero and the values up to the highest; a gap in time is a gap in the line."""
    floor = min(0.0, *(value for _, value in points))
    high = max(value for _, value in points) - floor or 1.0
    before = float("-inf")
    for at, value in points:
        x = WIDTH * min(1.0, max(0.0, (at - begin) / span))
        y = 1 + (HEIGHT - 2) * (1 - (value - floor) / high)
        opens = at - before > gap
        # a line of one point has no length: a hair's breadth makes it visible
        yield f"{'M' if opens else 'L'}{svg.number(x)} {svg.number(y)}{'h2' if opens else ''}"
        before = at
