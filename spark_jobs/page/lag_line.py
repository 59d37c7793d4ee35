"""The lag of a copy over time as a line, in a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from spark_jobs.page import svg, text

WIDTH, HEIGHT = 1000.0, 40.0  # the picture's own units: it is stretched to the width of its cell
Point = tuple[float, float]


class Row(NamedTuple):
    """A line of the table."""

    title: str
    now: str
    highest: str
    picture: Markup


def row(title: str, points: Sequence[Point], begin: float, span: float) -> Row:
    """Return a row. `points`: (seconds, value) in time order. `begin`, `span`: seconds at the left, and of the axis."""
    if not points:
        return Row(title, text.UNKNOWN, text.UNKNOWN, Markup(""))
    now, highest = text.integer(points[-1][1]), text.integer(max(value for _, value in points))
    drawn = svg.element("path", d=" ".join(path(points, begin, span)), class_="line")
    return Row(title, now, highest, picture(f"{title}: {now} at last, {highest} at most", drawn))


def picture(words: str, drawn: Markup) -> Markup:
    box = f"0 0 {svg.number(WIDTH)} {svg.number(HEIGHT)}"
    shape = {"viewBox": box, "preserveAspectRatio": "none", "width": "100%", "height": int(HEIGHT)}
    return svg.element("svg", svg.element("title", words), drawn, role="img", class_="over-time", **shape)


def path(points: Sequence[Point], begin: float, span: float) -> Iterator[str]:
    """Draw from the lowest of zero and the values up to the highest."""
    floor = min(0.0, *(value for _, value in points))
    high = max(value for _, value in points) - floor or 1.0
    for number, (at, value) in enumerate(points):
        x = WIDTH * min(1.0, max(0.0, (at - begin) / span))
        y = 1 + (HEIGHT - 2) * (1 - (value - floor) / high)
        # a line of one point has no length: a hair's breadth makes it visible
        yield f"{'L' if number else 'M'}{svg.number(x)} {svg.number(y)}{'' if number else 'h2'}"
