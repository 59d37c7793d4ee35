"""A crash's records are accounted for one by one, and its figures are a median and a range."""

from __future__ import annotations

from benchmarks.crash import DETECTIONS, VICTIMS, Crash, rows
from benchmarks.traffic import Reconciled, reconcile


def test_all_that_was_acknowledged_and_can_be_read_is_neither_lost_nor_doubled() -> None:
    assert reconcile({0: [0, 1], 1: [0]}, {0: [0, 1], 1: [0]}) == Reconciled(acknowledged=3)


def test_a_write_that_no_one_acknowledged_does_not_hide_a_lost_one() -> None:
    """The log holds as many records as were acknowledged, and one that was is not among them."""
    assert reconcile({0: [0, 1, 2]}, {0: [0, 1, 3]}) == Reconciled(acknowledged=3, lost=((0, 2),))


def test_a_record_in_another_partition_is_lost_where_it_belongs() -> None:
    assert reconcile({0: [7], 1: []}, {0: [], 1: [7]}).lost == ((0, 7),)


def test_a_record_that_stands_twice_is_named_whether_acknowledged_or_not() -> None:
    found = reconcile({0: [0]}, {0: [0, 0, 1, 1]})
    assert (found.lost, found.duplicated) == ((), ((0, 0), (0, 1)))


def test_three_rounds_are_a_median_and_a_range() -> None:
    times = {"default": (9.0, 10.0, 12.0), "fast": (2.0, 4.0, 3.0)}
    crashes = {
        (victim, each): [Crash(one, one + 1, Reconciled(5)) for one in times[each]]
        for victim in VICTIMS
        for each in DETECTIONS
    }
    leaders, writes, *_ = rows(crashes)
    assert leaders[2:] == ["10.0 s (9.0 to 12.0)", "3.0 s (2.0 to 4.0)", "4.00 (2.50 to 4.50)", "≤ 3 s: kept"]
    assert writes[3:] == ["4.0 s (3.0 to 5.0)", "3.25 (2.20 to 3.33)", "≤ 3 s: **missed**"]
