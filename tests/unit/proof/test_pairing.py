"""Records are paired by what they hold and by their order, whatever the size of the window."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from spark_jobs.proof import pairing
from spark_jobs.proof.alignment import align
from spark_jobs.proof.pairing import Pairing, Record
from spark_jobs.proof.unmatched_records import Alone


def fed(source: Sequence[int], target: Sequence[int], slices: int = 10**9) -> Pairing:
    """Both sequences of values through a pairing, a slice at a time; offsets are indices, on the target plus 1000."""
    made = Pairing()
    sides = [Record(n, whole) for n, whole in enumerate(source)], [Record(1000 + n, w) for n, w in enumerate(target)]
    at = [0, 0]
    while at[0] < len(source) or at[1] < len(target):
        parts = []
        for side in (0, 1):
            size = min(slices, made.room[side])
            parts.append(sides[side][at[side] : at[side] + size])
            at[side] += len(parts[side])
        made.feed(parts[0], parts[1], (len(source) - at[0], len(target) - at[1]))
    return made


@pytest.mark.parametrize("window", [8, 50, 10_000])
@pytest.mark.parametrize("slices", [3, 10_000])
def test_equal_sides_pair_all(monkeypatch: pytest.MonkeyPatch, window: int, slices: int) -> None:
    monkeypatch.setattr(pairing, "WINDOW", window)
    values = [random.Random(1).randrange(5) for _ in range(300)]  # noqa: S311
    found = fed(values, values, slices)
    assert (found.paired, found.source, found.target) == (300, [], [])


@pytest.mark.parametrize("window", [40, 10_000])
def test_one_of_each_fault_is_named(monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(pairing, "WINDOW", window)
    source = list(range(300))
    target = [n for n in source if n != 20]
    target[100:102] = [102, 101]
    target.insert(200, 199)
    found = fed(source, target, 25)
    alone = Alone.from_singles(found.source, found.target)
    assert [one.offset for one in alone.source] == [20]
    assert [one.whole for one in alone.target] == [199]
    assert [source[here] for here, _ in alone.reordered] in ([101], [102])
    assert found.paired + len(alone.reordered) == 299


@pytest.mark.parametrize("again", [[5], [3, 4, 5]])
def test_of_equal_records_the_later_one_is_the_copy(again: list[int]) -> None:
    """A fault before and none behind: an alignment from the end alone would take the first for the copy."""
    found = fed(range(10), [0, 2, 3, 4, 5, *again, 6, 7, 8, 9])
    assert [one.offset for one in found.target] == [1005 + n for n in range(len(again))]
    assert [one.whole for one in found.source] == [1]


def test_records_that_are_far_apart_are_reordered_and_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing, "WINDOW", 40)
    target = list(range(300))
    target[10], target[250] = target[250], target[10]
    found = fed(range(300), target, 20)
    alone = Alone.from_singles(found.source, found.target)
    assert alone.reordered == [(10, 1250), (250, 1010)]
    assert (alone.source, alone.target) == ([], [])


@pytest.mark.parametrize("gap", [30, 100, 200])
def test_a_long_gap_on_one_side_leaves_the_rest_paired(monkeypatch: pytest.MonkeyPatch, gap: int) -> None:
    monkeypatch.setattr(pairing, "WINDOW", 40)
    target = [n for n in range(300) if not 50 <= n < 50 + gap]
    for here, there, alone in (
        (range(300), target, "source"),
        (target, range(300), "target"),
    ):
        found = fed(here, there, 20)
        assert found.paired == 300 - gap
        assert [one.whole for one in getattr(found, alone)] == list(range(50, 50 + gap))


def test_the_head_is_told_from_the_rest() -> None:
    found = fed([5, 6, 7], [1, 2, 5, 6, 9, 7])
    assert [(one.segment, one.whole) for one in found.target] == [(0, 1), (0, 2), (2, 9)]


@pytest.mark.parametrize("seed", range(200))
def test_pairs_rise_are_equal_and_are_never_fewer_than_half_of_the_longest(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311
    source = [dice.randrange(12) for _ in range(dice.randrange(25))]
    target = [value for value in source if dice.random() > 0.2]
    for _ in range(dice.randrange(3)):
        target.insert(dice.randrange(len(target) + 1), dice.randrange(12))
    pairs = align(source, target)
    assert all(source[here] == target[there] for here, there in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in zip(pairs, pairs[1:]))
    assert 2 * len(pairs) >= longest(source, target)


def longest(source: Sequence[int], target: Sequence[int]) -> int:
    """The length of the longest common subsequence, by the textbook."""
    above = [0] * (len(target) + 1)
    for one in source:
        line = [0]
        for n, other in enumerate(target):
            line.append(above[n] + 1 if one == other else max(above[n + 1], line[n]))
        above = line
    return above[-1]
