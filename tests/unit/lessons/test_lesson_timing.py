"""Counts and gaps of moments, and the rules of the packet filter."""

from __future__ import annotations

import pytest

from spark_jobs.lessons.nodes import filter_of
from spark_jobs.lessons.timing import buckets, longest_gap, within


@pytest.mark.parametrize(
    ("moments", "expected"),
    [([], 10.0), ([5.0], 5.0), ([1.0, 2.0, 9.0], 7.0), ([-5.0, 15.0], 10.0), ([0.0, 10.0], 10.0)],
)
def test_longest_gap_counts_the_edges_of_the_window(moments: list[float], expected: float) -> None:
    assert longest_gap(moments, 0.0, 10.0) == expected


def test_moments_are_counted_in_a_window_and_in_steps() -> None:
    moments = [-0.1, 0.0, 0.3, 0.5, 1.0]
    assert within(moments, 0.0, 0.5) == 3
    assert buckets(moments, 0.0, 1.0, 0.5) == [2, 1]


def test_the_filter_lets_in_the_nodes_and_the_host_itself() -> None:
    rules = filter_of(["10.0.0.3", "10.0.0.2"], 9093)
    assert "ip saddr != { 127.0.0.0/8, 10.0.0.2, 10.0.0.3 } tcp dport 9093 drop;" in rules
