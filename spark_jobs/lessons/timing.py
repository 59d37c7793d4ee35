"""Counts and gaps of moments, in seconds. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence


def within(moments: Sequence[float], begin: float, end: float) -> int:
    """Return how many moments are in a window."""
    return sum(begin <= one <= end for one in moments)


def longest_gap(moments: Sequence[float], begin: float, end: float) -> float:
    """Return the longest time without a moment between `begin` and `end`; the whole window if it has none."""
    edges = [begin, *sorted(one for one in moments if begin < one < end), end]
    return max(after - before for before, after in zip(edges, edges[1:]))


def buckets(moments: Sequence[float], begin: float, end: float, width: float) -> list[int]:
    """Return the counts of moments in steps of `width` from `begin` to `end`."""
    found = [0] * max(1, round((end - begin) / width))
    for one in moments:
        place = math.floor((one - begin) / width)
        if 0 <= place < len(found):
            found[place] += 1
    return found
