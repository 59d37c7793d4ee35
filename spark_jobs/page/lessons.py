"""The page of the lessons: each sentence with its experiment, what it came to, and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from spark_jobs.page import environment, svg, text

OUTCOMES = {True: ("proven", "Shown"), False: ("failed", "Not shown")}
STATES = {"holds": "good", "wrong": "bad", "not shown": ""}
ROW, LABELLED, BAR, TOP = 40, 14, 10, 4
LANE = 46


def render(report: Mapping[str, Any]) -> str:
    """Render the page of a loaded ``lessons.json``; one file, with everything in it."""
    whole = bool(report["lessons"]) and all(one["verdict"] == "holds" for one in report["lessons"])
    outcome, word = OUTCOMES[whole]
    return (
        environment()
        .get_template("lessons.html.j2")
        .render(
            report=report,
            outcome=outcome,
            word=word,
            states=STATES,
            lessons=[{**one, "picture": bars(one["bars"], one["claim"])} for one in report["lessons"]],
            course=course(report["course"], report["window"]) if report.get("course") else "",
            plural=text.plural,
        )
    )


def bars(rows: Sequence[Mapping[str, Any]], title: str) -> Markup:
    """Draw a bar for each row, its label and its text above it; no picture without rows."""
    longest = max((row["value"] for row in rows), default=0) or 1
    drawn: list[Markup] = []
    for place, row in enumerate(rows):
        y = TOP + place * ROW
        box = svg.Box("0", y + LABELLED + 6, svg.across(row["value"] / longest), BAR)
        drawn += [
            svg.text(row["label"], "0", y + LABELLED, class_="tick"),
            svg.text(row["text"], "100%", y + LABELLED, class_="mark-label", text_anchor="end"),
            svg.rect(box, "bar bad" if row["bad"] else "bar"),
        ]
    words = "; ".join(f"{row['label']}: {row['text']}" for row in rows)
    return svg.picture(f"{title} {words}", *drawn, height=TOP + ROW * len(rows), class_="chart") if rows else Markup("")


def course(seen: Mapping[str, Any], window: float) -> Markup:
    """Draw the records of each partition over time, with the time without a controller as a band."""
    counts = seen["counts"]
    steps = max(len(one) for one in counts.values())
    whole = steps * seen["width"]
    height = LANE * len(counts)
    band = svg.Box(svg.across(-seen["from"] / whole), 0, svg.across(window / whole), height)
    drawn = [svg.rect(band, "stall", f"no controller for {window:.1f} s")]
    for place, (name, values) in enumerate(counts.items()):
        drawn += _lane(name, values, steps, place * LANE)
    ticks = [
        svg.text(f"{second} s", svg.across((second - seen["from"]) / whole), height + 16, class_="tick")
        for second in range(0, int(whole + seen["from"]), max(1, round(whole / 6)))
    ]
    title = f"Records over time; no controller for {window:.1f} s after the kill"
    return svg.picture(title, *drawn, *ticks, height=height + 22, class_="chart")


def _lane(name: str, values: Sequence[int], steps: int, top: float) -> list[Markup]:
    """Draw the counts of one partition as columns, under its name."""
    highest, room = max([*values, 1]), LANE - 22
    drawn = [svg.text(name, "0", top + 12, class_="tick")]
    for place, value in enumerate(values):
        if value:
            tall = room * value / highest
            box = svg.Box(svg.across(place / steps), top + LANE - 4 - tall, svg.across(0.8 / steps), tall)
            drawn.append(svg.rect(box, "bar"))
    return drawn
