"""Pairs the records of a stretch in which both sides differ, with a bounded number of them in memory. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spark_jobs.proof.alignment import Pair, align
from spark_jobs.proof.law import Heads, missing

WINDOW = 100_000  # records of each side that are looked at together
SURE = 0.75  # of a window: what is paired later may find a better pair with what is still to come


class Record(NamedTuple):
    """A record: its offset, and all its content as one number."""

    offset: int
    whole: int


class Single(NamedTuple):
    """A record that has no partner at its place; ``segment`` counts the pairs before it, 0 is the partition's head."""

    segment: int
    offset: int
    whole: int


@dataclass
class Gap:
    """The place between two pairs: offsets of the pair before it on both sides, and of the pair behind it if known.

    ``visible``: records that each side has there. ``waiting``: offsets of those that may be compacted away, judged
    before the end of the gap was known, by side; ``waiting_count``: how many, since only the first are kept.
    """

    low: Pair
    high: Pair | None = None
    visible: list[int] = field(default_factory=lambda: [0, 0])
    waiting: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    waiting_count: list[int] = field(default_factory=lambda: [0, 0])

    def holes(self, side: int, aborted: Sequence[int]) -> int:
        """Return the number of offsets that a side lacks there; only of a gap whose end is known.

        ``aborted``: offsets of aborted records of that side, in order.
        """
        high = self.high or self.low
        return missing(self.low[side], high[side], self.visible[side], aborted)


@dataclass
class Pairing:
    """Both sides of one stretch as they come in. ``paired`` are in order; ``source`` and ``target`` are unpaired.

    ``low``: offsets of the pair before the stretch, or before the log's start. ``gaps``: by segment, those in which a
    record is unpaired. ``below``: of both sides, offset -> number of pairs before it. ``pairs``: all of them, by
    offsets, if they are kept. ``heads``: unpaired records that the other side has deleted.
    """

    low: Pair = (-1, -1)
    segment: int = 0
    paired: int = 0
    gaps: dict[int, Gap] = field(default_factory=dict)
    below: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    pairs: list[Pair] | None = None
    heads: Heads = field(default_factory=Heads)
    source: list[Single] = field(default_factory=list)
    target: list[Single] = field(default_factory=list)
    _source: list[Record] = field(default_factory=list)
    _target: list[Record] = field(default_factory=list)

    @property
    def room(self) -> Pair:
        """Return the number of records of each side that may be fed next."""
        return max(0, WINDOW - len(self._source)), max(0, WINDOW - len(self._target))

    def feed(self, source: Sequence[Record], target: Sequence[Record], ahead: Pair) -> None:
        """Take in the next records of both sides; ``ahead``: how many are still to come."""
        self._source += source
        self._target += target
        pairs = align([record.whole for record in self._source], [record.whole for record in self._target])
        if not any(ahead):
            self._take(pairs)
            self._drop(len(self._source), len(self._target))
            return
        sizes = (len(self._source), len(self._target))
        ends = [size * SURE if left else size for size, left in zip(sizes, ahead)]
        sure = [pair for pair in pairs if pair[0] < ends[0] and pair[1] < ends[1]]
        if sure:
            self._take(sure)
        elif not any(room for room, left in zip(self.room, ahead) if left):
            self._give_up(sizes, ahead)

    def _take(self, pairs: Sequence[Pair]) -> None:
        """Take everything up to the last pair."""
        at = (0, 0)
        for pair in pairs:
            if pair != at:
                self._alone(self._source[at[0] : pair[0]], self._target[at[1] : pair[1]])
            self.close((self._source[pair[0]].offset, self._target[pair[1]].offset))
            at = (pair[0] + 1, pair[1] + 1)
        self.paired += len(pairs)
        self._count(pairs)
        del self._source[: at[0]], self._target[: at[1]]

    def close(self, high: Pair) -> None:
        """Close the gap at a pair, or at the end of the stretch."""
        if self.segment in self.gaps:
            self.gaps[self.segment].high = high
        self.low = high
        self.segment += 1

    def _count(self, pairs: Sequence[Pair]) -> None:
        if self.pairs is not None:
            self.pairs += ((self._source[here].offset, self._target[there].offset) for here, there in pairs)
        for side, records in enumerate((self._source, self._target)):
            offsets = [records[pair[side]].offset for pair in pairs] if self.below[side] else []
            for mark in self.below[side]:
                self.below[side][mark] += bisect_left(offsets, mark)

    def _give_up(self, sizes: Pair, ahead: Pair) -> None:
        """Give up a window without pairs: the side with more to come passes on."""
        left = [size + more for size, more in zip(sizes, ahead)]
        self._drop(sizes[0] // 2 if left[0] >= left[1] else 0, sizes[1] // 2 if left[1] >= left[0] else 0)

    def _drop(self, source: int, target: int) -> None:
        self._alone(self._source[:source], self._target[:target])
        del self._source[:source], self._target[:target]

    def _alone(self, source: Sequence[Record], target: Sequence[Record]) -> None:
        if source or target:
            gap = self.gaps.setdefault(self.segment, Gap(self.low))
            gap.visible = [gap.visible[0] + len(source), gap.visible[1] + len(target)]
        self.source += (Single(self.segment, *record) for record in source)
        self.target += (Single(self.segment, *record) for record in target)


def moved(source: Sequence[Single], target: Sequence[Single]) -> tuple[list[Pair], list[Single], list[Single]]:
    """Return offsets of records that both sides have, at different places; then the rest of each side."""
    places: defaultdict[int, deque[Single]] = defaultdict(deque)
    for single in target:
        places[single.whole].append(single)
    pairs, alone, taken = [], [], set()
    for single in source:
        found = places.get(single.whole)
        if found:
            partner = found.popleft()
            taken.add(partner.offset)
            pairs.append((single.offset, partner.offset))
        else:
            alone.append(single)
    return pairs, alone, [single for single in target if single.offset not in taken]
