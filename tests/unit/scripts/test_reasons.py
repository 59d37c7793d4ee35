"""Output about a failed part: its reasons, wherever they are in its output."""

from __future__ import annotations

import pytest

from scripts.parts.__main__ import MOST_REASONS, reasons

AFTER = [f"line {at}" for at in range(1000)]


@pytest.mark.parametrize(
    "line",
    [
        "fatal: [kafka1]: FAILED! => ",
        "[ERROR]: Task failed: Action failed: exit code 2",
        "FAILED tests/unit/test_x.py::test_y - assert 1 == 2",
        "E   AssertionError: assert 1 == 2",
        "ValueError: not a number",
        "make: *** [Makefile:12: archive] Error 1",
    ],
)
def test_reason_is_found_far_from_the_end(line: str) -> None:
    shown = reasons(["TASK [Deploy]", line, *AFTER])
    assert shown[0] == line
    assert "line 0" in shown


def test_what_was_raised_deep_in_a_long_report_comes_first() -> None:
    traceback = ["    Traceback (most recent call last):", *AFTER, "    AssertionError: causes: []", "    runs.Died: x"]
    shown = reasons(["[ERROR]: Task failed: Module failed", *traceback, *AFTER])
    assert shown[:2] == ["AssertionError: causes: []", "[ERROR]: Task failed: Module failed"]


def test_first_reasons_are_shown_and_not_more_than_can_be_read() -> None:
    shown = reasons([f"fatal: [host{at}]" for at in range(500)])
    assert shown[0] == "fatal: [host0]"
    assert len(shown) == MOST_REASONS


def test_waiting_is_no_reason() -> None:
    waiting = [f"FAILED - RETRYING: [host1]: Wait ({left} retries left)." for left in range(MOST_REASONS)]
    assert reasons([*waiting, "fatal: [host1]: FAILED! => "]) == ["fatal: [host1]: FAILED! => "]


def test_without_a_known_reason_nothing_is_shown() -> None:
    assert reasons(AFTER) == []
