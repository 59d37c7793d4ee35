"""SVG elements as escaped markup. Lengths across are percentages, so that text keeps its size on every screen."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

Content = str | Markup


class Box(NamedTuple):
    """Place of a rectangle: across in per cent of the width, down in pixels."""

    x: str
    y: float
    width: str
    height: float


def number(value: float) -> str:
    """Format a number with at most two decimals, no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *children: Content, **attributes: object) -> Markup:
    """Return ``<name attribute="value">children</name>``; ``class_`` is ``class``, ``text_anchor`` ``text-anchor``."""
    pairs = [
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), number(v) if isinstance(v, float) else v)
        for key, v in attributes.items()
        if v is not None
    ]
    return Markup("<{0}{1}>{2}</{0}>").format(name, Markup("").join(pairs), Markup("").join(children))


def picture(title: str, *children: Content, height: float, class_: str, width: object = "100%") -> Markup:
    """Draw an image with a text equivalent; ``title`` is the text for screen readers."""
    return element("svg", element("title", title), *children, role="img", class_=class_, width=width, height=height)


def across(fraction: float) -> str:
    """Format a share of the width as a percentage, kept inside the picture."""
    return number(100 * min(1.0, max(0.0, fraction))) + "%"


def rect(box: Box, class_: str, title: str = "") -> Markup:
    """Draw a rectangle, with a tooltip if it has a title."""
    inside = (element("title", title),) if title else ()
    return element("rect", *inside, **box._asdict(), class_=class_)


def text(content: str, x: object, y: float, **attributes: object) -> Markup:
    """Draw a line of text whose baseline starts at x and y, unless it has another anchor."""
    return element("text", content, x=x, y=y, **attributes)


def line(x1: str, y1: float, x2: str, y2: float, class_: str) -> Markup:
    """Draw a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def bar(share: float, class_: str = "bar") -> Markup:
    """Draw a bar of a table cell: decoration of the number beside it, so screen readers skip it."""
    box = Box("0", 0, across(share), 8)
    return element("svg", rect(box, class_), class_="inline-bar", width="100%", height=8, aria_hidden="true")
