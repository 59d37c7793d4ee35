"""The law of a proof, for one partition: every record is paired, or excused by evidence. Pure, plain types.

Both sides are what is left of one log. A log loses its oldest records (retention, DeleteRecords), and a compacted one
also loses the older records of a key. So both sides still hold the last records of the log, and on a compacted topic
the last records of each key. Those are paired from the end. They must be the same, and in the same order.
A record without a partner is excused in two cases only:

- *deleted*: it is before the first pair, and the other side's log does not start at 0. That log start offset
  bounds their number. Only one side can have deleted records that the other still holds.
- *compacted*: the other side is compacted (for the target: both are), and this side holds a later record of the key; or
  the record has no key; or it is a deletion whose key the other side does not hold. At most as many records as offsets
  are missing on the other side between the pairs around it. A record of an aborted transaction is not missing, although
  no consumer sees it. Before the first pair these are the last ones: what was deleted there came before them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

SOURCE, TARGET = 0, 1
DELETED, COMPACTED = ("deleted_on_source", "deleted_on_target"), ("compacted_on_source", "compacted_on_target")
FIRST = 10  # offsets of a kind that are named
Pair = tuple[int, int]


class Row(NamedTuple):
    """A record: its offset, all that it holds as one number, its key as one (null if it has none)."""

    offset: int
    whole: int
    key: int | None = None
    deletion: bool = False


@dataclass(frozen=True)
class Log:
    """One side of a partition: the records that consumers see, from the log start offset up to ``end``.

    ``aborted``: offsets of records of aborted transactions, in order.
    """

    rows: Sequence[Row]
    start: int
    end: int
    compacted: bool = False
    aborted: Sequence[int] = ()

    @cached_property
    def last(self) -> Mapping[int | None, int]:
        """Return the highest offset of each key."""
        return {row.key: row.offset for row in self.rows}

    def offset(self, number: int) -> int:
        """Return the offset of the record with this number; before the first and after the last: the log's edges."""
        if number < 0:
            return self.start - 1
        return self.rows[number].offset if number < len(self.rows) else self.end


@dataclass
class Excused:
    """Records that one side alone holds, by kind: how many, the first offsets, and how many the evidence allows."""

    records: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[int]] = field(default_factory=dict)
    at_most: Counter[str] = field(default_factory=Counter)

    def take(self, kind: str, offsets: Sequence[int], bound: int, more: int = 0) -> None:
        """Add these offsets, and ``more`` unnamed records; nothing without any."""
        if offsets or more:
            self.records[kind] += len(offsets) + more
            known = self.first.setdefault(kind, [])
            known += offsets[: FIRST - len(known)]
            self.at_most[kind] += bound


@dataclass
class Heads:
    """Records that the other side has deleted from its head, by the side that holds them: how many ``records``.

    ``since``: by offset that was asked for, the number of them from there on. Nothing is known by offset if they are
    not ``counted``: then the records before the first pair are all of this kind.
    """

    records: list[int] = field(default_factory=lambda: [0, 0])
    since: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    counted: bool = True

    @classmethod
    def at(cls, offsets: tuple[Collection[int], Collection[int]]) -> Heads:
        """Return none so far, to be counted from these offsets of both sides."""
        return cls(since=(dict.fromkeys(offsets[SOURCE], 0), dict.fromkeys(offsets[TARGET], 0)))

    def take(self, side: int, offsets: Sequence[int]) -> None:
        """Add records of one side by their offsets, in order."""
        self.records[side] += len(offsets)
        for mark in self.since[side]:
            self.since[side][mark] += len(offsets) - bisect_left(offsets, mark)


@dataclass(frozen=True)
class Accounted:
    """A partition in which each record is paired or excused; ``pairs`` are offsets of both sides, in order.

    ``heads``: by side, offsets of the records that the other one has deleted.
    """

    pairs: Sequence[Pair]
    excused: Excused
    heads: tuple[Sequence[int], Sequence[int]]


def accounted(source: Log, target: Log) -> Accounted | None:
    """Account for every record of both sides by the law; null if one is not covered."""
    logs = (source, target)
    by_key = source.compacted or target.compacted
    numbers = _by_key(*logs) if by_key else _by_place(*logs)
    if not all(source.rows[here].whole == target.rows[there].whole for here, there in numbers):
        return None
    if any(after[TARGET] <= before[TARGET] for before, after in zip(numbers, numbers[1:])):
        return None
    excused, heads = Excused(), (list[int](), list[int]())
    for gap in _gaps(numbers, logs):
        for lacking in (SOURCE, TARGET):
            if not _excuse(gap, lacking, logs, excused, heads):
                return None
    if all(heads):
        return None
    return Accounted([(source.rows[here].offset, target.rows[there].offset) for here, there in numbers], excused, heads)


def _by_place(source: Log, target: Log) -> list[Pair]:
    """Return numbers of the records of both sides, the last with the last."""
    sizes = (len(source.rows), len(target.rows))
    common = min(sizes)
    return [(sizes[0] - common + number, sizes[1] - common + number) for number in range(common)]


def _by_key(source: Log, target: Log) -> list[Pair]:
    """Return the same, the last of each key with the last of that key."""
    places: defaultdict[int | None, list[int]] = defaultdict(list)
    for number, row in enumerate(target.rows):
        places[row.key].append(number)
    found = []
    for number in range(len(source.rows) - 1, -1, -1):
        there = places.get(source.rows[number].key)
        if there:
            found.append((number, there.pop()))
    return found[::-1]


class Gap(NamedTuple):
    """Records between two pairs that follow each other: numbers of records, on each side from and up to."""

    low: Pair
    high: Pair

    def rows(self, side: int, log: Log) -> Sequence[Row]:
        return log.rows[self.low[side] + 1 : self.high[side]]

    def holes(self, side: int, log: Log) -> int:
        """Return the number of offsets that the log lacks there."""
        low, high = log.offset(self.low[side]), log.offset(self.high[side])
        return missing(low, high, self.high[side] - self.low[side] - 1, log.aborted)


def missing(low: int, high: int, visible: int, aborted: Sequence[int]) -> int:
    """Return the number of offsets between two that hold nothing: neither visible nor aborted records."""
    hidden = bisect_left(aborted, high) - bisect_left(aborted, low)
    return high - low - 1 - visible - hidden


def _gaps(numbers: Sequence[Pair], logs: tuple[Log, Log]) -> Iterator[Gap]:
    """Yield gaps in which a side has records."""
    low = (-1, -1)
    for high in (*numbers, (len(logs[SOURCE].rows), len(logs[TARGET].rows))):
        if high != (low[0] + 1, low[1] + 1):
            yield Gap(low, high)
        low = high


def _excuse(
    gap: Gap, lacking: int, logs: tuple[Log, Log], excused: Excused, heads: tuple[list[int], list[int]]
) -> bool:
    """Take what one side lacks in a gap; false if the evidence does not cover all of it."""
    own, other = logs[1 - lacking], logs[lacking]
    alone = gap.rows(1 - lacking, own)
    if not alone:
        return True
    holes = gap.holes(lacking, other)
    compacted = [row for row in alone if may_be_compacted(row, own.last, other)][-holes:] if holes else []
    excused.take(COMPACTED[lacking], [row.offset for row in compacted], holes)
    gone = {row.offset for row in compacted}
    rest = [row.offset for row in alone if row.offset not in gone]
    if rest and (gap.low != (-1, -1) or len(rest) > other.start):
        return False
    excused.take(DELETED[lacking], rest, other.start)
    heads[1 - lacking].extend(rest)
    return True


def may_be_compacted(row: Row, own_last: Mapping[int | None, int], other: Log) -> bool:
    """Check whether the cleaner of ``other`` removes it: replaced later, without key, or a deletion done with."""
    if not other.compacted:
        return False
    return row.key is None or row.offset < own_last[row.key] or (row.deletion and row.key not in other.last)
