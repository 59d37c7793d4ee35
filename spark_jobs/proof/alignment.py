"""Pairs equal elements of two sequences in the same order: the longest such pairing if nothing repeats. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

Pair = tuple[int, int]


def align(source: Sequence[int], target: Sequence[int]) -> list[Pair]:
    """Return indices of equal elements, rising on both sides: equal ends first, then the longest rising run between.

    Elements that repeat are paired in their order; then equal ones beside a pair are paired, too.
    """
    head, tail = _ends(source, target, (0, 0), (len(source), len(target)))
    paired = [(number, number) for number in range(head)]
    low = (head, head)
    high = (len(source) - tail, len(target) - tail)
    for pair in (*longest_rising(same(source, target, low, high)), high):
        paired += _beside(source, target, low, pair)
        if pair != high:
            paired.append(pair)
        low = (pair[0] + 1, pair[1] + 1)
    paired += [(high[0] + number, high[1] + number) for number in range(tail)]
    return list(_with_the_first(target, paired))


def same(source: Sequence[int], target: Sequence[int], low: Pair, high: Pair) -> Iterator[Pair]:
    """Yield equal elements between ``low`` and ``high``: the first of a kind with the first, and so on."""
    places: defaultdict[int, deque[int]] = defaultdict(deque)
    for number in range(low[1], high[1]):
        places[target[number]].append(number)
    for number in range(low[0], high[0]):
        found = places.get(source[number])
        if found:
            yield number, found.popleft()


def longest_rising(pairs: Iterator[Pair]) -> list[Pair]:
    """Return the longest run of ``pairs``, which rise in the first, that rises in the second, too."""
    lowest: list[int] = []  # the lowest end of a run of each length
    ends: list[int] = []  # which pair that is
    made: list[tuple[Pair, int]] = []  # each pair, and the pair before it in its run
    for pair in pairs:
        length = bisect_left(lowest, pair[1])
        made.append((pair, ends[length - 1] if length else -1))
        lowest[length : length + 1] = [pair[1]]
        ends[length : length + 1] = [len(made) - 1]
    run: list[Pair] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        pair, at = made[at]
        run.append(pair)
    return run[::-1]


def _with_the_first(target: Sequence[int], paired: Sequence[Pair]) -> Iterator[Pair]:
    """Yield pairs with the first of the target's equal elements, since a copy comes after its original."""
    low = 0
    for here, there in paired:
        first = next((number for number in range(low, there) if target[number] == target[there]), there)
        yield here, first
        low = first + 1


def _beside(source: Sequence[int], target: Sequence[int], low: Pair, high: Pair) -> list[Pair]:
    head, tail = _ends(source, target, low, high)
    first = [(low[0] + number, low[1] + number) for number in range(head)]
    return first + [(high[0] - number, high[1] - number) for number in range(tail, 0, -1)]


def _ends(source: Sequence[int], target: Sequence[int], low: Pair, high: Pair) -> Pair:
    """Return the number of equal elements at the start and, of the rest, at the end."""
    (here, there), (end, other_end) = low, high
    room = min(end - here, other_end - there)
    head = next((number for number in range(room) if source[here + number] != target[there + number]), room)
    room -= head
    tail = next((number for number in range(room) if source[end - 1 - number] != target[other_end - 1 - number]), room)
    return head, tail
