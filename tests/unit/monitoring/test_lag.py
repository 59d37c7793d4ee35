"""Lag in seconds from how the log grew."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.monitoring.lag import MOST, History, noted, seconds_behind

STEADY: History = tuple((float(at), 100 * at) for at in range(0, 61, 15))  # 100 records a second, until now


@pytest.mark.parametrize(
    ("history", "offset", "now", "seconds"),
    [
        (STEADY, 6000, 60, 0),  # everything is read
        (STEADY, 7000, 60, 0),  # more than there was a moment ago
        (STEADY, 3000, 60, 30),  # a point of the history
        (STEADY, 3750, 60, 22.5),  # between two
        (STEADY, 3000, 75, 45),  # not read since
        (((0.0, 5), (30.0, 5), (45.0, 20)), 5, 60, 30),  # written after the last look that did not see it
        (((100.0, 5000), (110.0, 6000)), 4000, 110, 20),  # before the history: as fast as since
        (((100.0, 5000), (110.0, 5000)), 4000, 110, 10),  # before it, and without new records: at least this time
        (((100.0, 5000),), 4000, 103, 3),
        ((), 4000, 103, 0),
    ],
)
def test_the_next_record_has_been_there_since_the_log_was_that_long(
    history: History, offset: int, now: float, seconds: float
) -> None:
    assert seconds_behind(history, offset, now) == pytest.approx(seconds)


def test_a_log_to_which_no_one_writes_has_two_points() -> None:
    history: History = ()
    for at in range(10):
        history = noted(history, float(at), 7)
    assert history == ((0.0, 7), (9.0, 7))
    assert noted(history, 10.0, 8) == ((0.0, 7), (9.0, 7), (10.0, 8))


def test_a_log_that_is_shorter_is_another_one() -> None:
    assert noted(STEADY, 75.0, 10) == ((75.0, 10),)


def test_a_long_history_reaches_back_to_its_begin_and_stays_small() -> None:
    history: History = ()
    for at in range(0, 100_000, 15):
        history = noted(history, float(at), 100 * at)
        assert len(history) <= MOST
    assert history[0] == (0.0, 0)
    assert seconds_behind(history, 100 * 40_000, 99_990.0) == pytest.approx(59_990)
