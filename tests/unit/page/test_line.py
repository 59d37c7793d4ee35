"""A line of the last hour: where it runs, where it has gaps, and what it says in words."""

from __future__ import annotations

from ansible.module_utils.kraft.status.watched import Line

from spark_jobs.page.last_hour import path, row

BEGIN = 1_000_000.0


def test_a_line_runs_from_an_hour_ago_until_now_and_begins_at_zero() -> None:
    found = list(path([(BEGIN + 30 * at, float(at)) for at in range(121)], BEGIN))
    assert (found[0], found[-1]) == ("M0 39h2", "L1000 1")
    assert sum(each.startswith("M") for each in found) == 1


def test_a_gap_in_time_is_a_gap_in_the_line() -> None:
    found = list(path([(BEGIN, 1.0), (BEGIN + 30, 1.0), (BEGIN + 900, 1.0)], BEGIN))
    assert [each[0] for each in found] == ["M", "L", "M"]


def test_a_flat_line_of_zeros_lies_on_the_ground() -> None:
    assert list(path([(BEGIN, 0.0)], BEGIN)) == ["M0 39h2"]


def test_words_say_the_last_and_the_highest_value() -> None:
    found = row(Line("Written", "bytes", ((BEGIN, 2_000_000.0), (BEGIN + 30, 1500.0))), BEGIN)
    assert (found.now, found.highest) == ("1.50 kB/s", "2.00 MB/s")
    assert "Written: 1.50 kB/s at last, 2.00 MB/s at most" in found.picture
    assert row(Line("Waits", "seconds", ((BEGIN, 0.25),)), BEGIN).now == "250 ms"
    assert row(Line("Failed", "ratio", ((BEGIN, 0.01),)), BEGIN).now == "1 %"


def test_what_was_not_recorded_is_a_dash() -> None:
    found = row(Line("Written", "bytes", ()), BEGIN)
    assert (found.now, found.highest, found.picture) == ("—", "—", "")
