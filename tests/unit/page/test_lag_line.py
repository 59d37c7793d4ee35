"""A line over time: its course, and its text equivalent."""

from __future__ import annotations

from spark_jobs.page.lag_line import path, row

BEGIN, HOUR = 1_000_000.0, 3600.0


def test_a_line_runs_from_the_left_to_the_right_and_begins_at_zero() -> None:
    found = list(path([(BEGIN + 30 * at, float(at)) for at in range(121)], BEGIN, HOUR))
    assert (found[0], found[-1]) == ("M0 39h2", "L1000 1")
    assert sum(each.startswith("M") for each in found) == 1


def test_a_flat_line_of_zeros_lies_on_the_ground() -> None:
    assert list(path([(BEGIN, 0.0)], BEGIN, HOUR)) == ["M0 39h2"]


def test_words_say_the_last_and_the_highest_value() -> None:
    found = row("Records", ((BEGIN, 2_000_000.0), (BEGIN + 30, 1500.0)), BEGIN, HOUR)
    assert (found.now, found.highest) == ("1,500", "2,000,000")
    assert "Records: 1,500 at last, 2,000,000 at most" in found.picture


def test_what_was_not_recorded_is_a_dash() -> None:
    found = row("Records", (), BEGIN, HOUR)
    assert (found.now, found.highest, found.picture) == ("—", "—", "")
