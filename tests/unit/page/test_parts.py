"""The page's pure parts: numbers as text, places on axes, shapes of rows, colours that can be read."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from spark_jobs.page import TEMPLATES, breakable, charts, svg, text, waterfall
from spark_jobs.page.report_loader import as_report, fitting
from spark_jobs.page.smoke import settings
from spark_jobs.page.snapshot import Broker
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import TimelineEntry
from tests.unit.page.reports import OUTCOMES, example


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (text.integer(200000), "200,000"),
        (text.integer(None), "—"),
        (text.size(0), "0 B"),
        (text.size(999), "999 B"),
        (text.size(23_800_000), "23.8 MB"),
        (text.size(3.2e15), "3.20 PB"),
        (text.milliseconds(0.4126), "0.413 ms"),
        (text.milliseconds(31), "31 ms"),
        (text.milliseconds(1250), "1.25 s"),
        (text.seconds(0.04), "0.0 s"),
        (text.seconds(37.4), "37.4 s"),
        (text.seconds(125), "2 min 05 s"),
        (text.seconds(3720), "1 h 02 min"),
        (text.percent(1, 3), "33.3 %"),
        (text.percent(1, 0), "—"),
        (text.plural(1, "partition"), "1 partition"),
        (text.plural(2000, "batch", "batches"), "2,000 batches"),
        (text.listed(["a"]), "a"),
        (text.listed(["a", "b", "c"]), "a, b and c"),
        (text.moment("2026-11-21T02:21:30Z"), "21 November 2026, 02:21:30 UTC"),
        (text.moment("yesterday"), "yesterday"),
        (text.clock(1795228889960), "02:41:29.960"),
        (text.clock(-1), "—"),
        (text.clock(1e30), "—"),
    ],
)
def test_numbers_as_people_read_them(made: str, expected: str) -> None:
    assert made == expected


def buckets() -> Any:
    return charts.shown_buckets(example("report")["latency"]["histogram"])


def test_empty_ends_of_a_histogram_are_left_out() -> None:
    shown = buckets()
    assert (shown[0]["from_ms"], shown[-1]["from_ms"]) == (0, 1000)
    assert charts.shown_buckets([{"from_ms": 0, "to_ms": 1, "records": 0}]) == []


@given(st.lists(st.floats(0, 20_000), min_size=2))
def test_later_is_never_further_left(values: list[float]) -> None:
    places = [charts.position(buckets(), value) for value in sorted(values)]
    assert all(0 <= place <= 1 for place in places)
    assert all(a <= b for a, b in pairwise(places))


def test_edge_of_a_bucket_stands_between_its_columns() -> None:
    shown = buckets()
    assert charts.position(shown, shown[5]["from_ms"]) == pytest.approx(5 / len(shown))


def test_inside_a_column_the_scale_is_logarithmic() -> None:
    shown = buckets()
    middle = (shown[5]["from_ms"] * shown[5]["to_ms"]) ** 0.5
    assert charts.position(shown, middle) == pytest.approx(5.5 / len(shown))


@pytest.mark.parametrize(
    ("leader", "replicas", "isr", "words"),
    [
        (1, [1, 2, 3], [1, 2, 3], "leader 1, in sync 2 and 3"),
        (1, [1, 2, 3], [1, 3], "leader 1, in sync 3, behind 2"),
        (-1, [1, 2], [], "no leader, behind 1 and 2"),
        (None, [], [], "no leader"),
    ],
)
def test_placement_in_words(leader: int | None, replicas: list[int], isr: list[int], words: str) -> None:
    assert charts.placement_words(leader, replicas, isr) == words


def test_placement_strip_has_one_kind_of_glyph_for_each_state() -> None:
    strip = charts.placement_strip([1, 2, 3, 4], 1, [1, 2, 3], [1, 2])
    assert re.findall(r"glyph-(\w+)", strip) == ["leads", "follows", "behind", "none"]


def entry(host: str, phase: str, start: float, end: float, **more: bool) -> TimelineEntry:
    made: Any = {"host": host, "phase": phase, "task": "t", "start": start, "end": end, "changed": True, "ok": True}
    return made | more  # type: ignore[no-any-return]


def test_waterfall_counts_hosts_that_work_side_by_side_once() -> None:
    made = waterfall.waterfall([entry("b", "host", 10, 12), entry("a", "host", 11, 13), entry("a", "start", 13, 14)])
    assert made
    assert [(row.phase, row.seconds, row.hosts) for row in made.rows] == [("host", 3, ("a", "b")), ("start", 1, ("a",))]
    assert (made.seconds, made.start_ms, made.longest.phase) == (4, 10_000, "host")


def test_waterfall_of_very_many_tasks_draws_phases() -> None:
    many = [entry(f"h{n % 12}", "install", n, n + 1) for n in range(waterfall.DRAWN_TASKS + 1)]
    made = waterfall.waterfall(many)
    assert made
    assert made.rows[0].lanes.count("<rect") == 12
    assert not made.named


def test_waterfall_of_a_moment_is_drawn() -> None:
    made = waterfall.waterfall([entry("a", "host", 5, 5)])
    assert made
    assert made.rows[0].seconds == 0


def test_waterfall_of_nothing_is_nothing() -> None:
    assert waterfall.waterfall([]) is None


@given(st.floats(0.001, 100_000))
def test_time_axis_has_few_marks(length: float) -> None:
    assert length / waterfall.tick_step(length) <= max(waterfall.MOST_TICKS, length / waterfall.TICK_STEPS[-1])


def test_settings_of_some_nodes_name_them() -> None:
    rows = settings({"a": {"x": "1", "y": "1"}, "b": {"x": "1", "z": "2"}, "c": {"x": "1", "z": "3"}})
    assert [(row.name, row.values) for row in rows] == [
        ("x", (("1", ""),)),
        ("y", (("1", "a"),)),
        ("z", (("2", "b"), ("3", "c"))),
    ]


def test_elements_escape_what_they_are_given() -> None:
    made = svg.element("text", "<b>", title='"><script>')
    assert made == Markup('<text title="&#34;&gt;&lt;script&gt;">&lt;b&gt;</text>')
    assert breakable("<a>.b") == Markup("&lt;a&gt;.<wbr>b")


@pytest.mark.parametrize("name", OUTCOMES)
def test_whole_reports_are_taken_as_they_are(name: str) -> None:
    assert as_report(example(name)) == example(name)
    assert not schema_errors(as_report(example(name)))


def test_items_without_their_shape_are_left_out() -> None:
    whole = {"node_id": 1, "host": "h", "port": 1, "rack": None, "fenced": False}
    assert fitting([whole, None, 3, {"host": "h"}, whole | {"node_id": "1"}], Broker) == [whole]
    assert fitting("text", Broker) == []


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * c for c in digits) if len(digits) == 3 else digits
    channels = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def palettes() -> list[dict[str, str]]:
    """Light, dark and print, each with the three tints."""
    css = (TEMPLATES / "style.css").read_text()
    found = []
    for part in (css.split("@media")[0], css.split("@media (prefers-color-scheme: dark)")[1].split("* {")[0]):
        tints = re.findall(r"--tint: (#\w+)", part)
        found += [dict(re.findall(r"--([\w-]+): (#\w+)", part)) | {"tint": tint} for tint in tints]
    return found


def test_every_text_colour_can_be_read_on_every_ground() -> None:
    """WCAG 2 AA: 4.5 for text, 3 for graphics."""
    assert len(palettes()) == 6
    for palette in palettes():
        for ground in ("paper", "panel", "tint"):
            for ink in ("ink", "quiet", "good", "bad", "warn"):
                assert contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground, palette)
            assert contrast(palette["data"], palette[ground]) >= 4.5
        for shape in ("good", "bad", "warn"):
            assert contrast(palette["on-shape"], palette[shape]) >= 3
