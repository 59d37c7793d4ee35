"""Differing stretches of two partitions: equal blocks at the start and at the end are set aside. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

LEAST_BITS = 10
COLUMNS = ("block", "records", "first", "last", "fingerprint", "newest", "stamped")
MOST_BLOCKS = 100_000  # of both sides together, in the driver's memory


class Block(NamedTuple):
    """A run of records: how many, its first and last offset, and one number for what they hold and their order.

    ``newest``: the highest timestamp, in ms since 1970; not above 0 if records bear none. ``stamped``: how many
    records have a timestamp that a broker has set.
    """

    number: int
    records: int
    first: int
    last: int
    fingerprint: int
    newest: int = 0
    stamped: int = 0


class Part(NamedTuple):
    """Offsets of one side from ``start`` up to but not including ``end``, and the visible records in them.

    ``before``: the offset of the last record before it that is equal, or the one before the log's start.
    """

    start: int
    end: int
    records: int
    before: int = -1


class Stretch(NamedTuple):
    """The rest of a partition on both sides; ``at_head`` if nothing before it is equal, else ``head`` records."""

    source: Part
    target: Part
    at_head: bool
    head: int = 0

    @property
    def sides(self) -> tuple[Part, Part]:
        return self.source, self.target


def block_bits(offsets: int) -> int:
    """Return the size of blocks, as a power of two: small, as long as all fit into the driver's memory."""
    bits = LEAST_BITS
    while offsets >> bits > MOST_BLOCKS:
        bits += 1
    return bits


def total(blocks: Sequence[Block]) -> int:
    return sum(block.records for block in blocks)


def without_head(source: Sequence[Block], target: Sequence[Block], logs: Sequence[tuple[int, int]]) -> Stretch | None:
    """Return the rest after equal blocks at the start; null if there is none. ``logs``: start and end of both sides."""
    equal = _equal(source, target)
    if len(source) == len(target) == equal:
        return None
    here, there = (_part(blocks, equal, *log) for blocks, log in zip((source, target), logs))
    return Stretch(here, there, equal == 0, total(source[:equal]))


def _part(blocks: Sequence[Block], equal: int, start: int, end: int) -> Part:
    left = blocks[equal:]
    before = blocks[equal - 1].last if equal else start - 1
    return Part(left[0].first if left else end, end, total(left), before)


def without_tail(stretch: Stretch, source: Sequence[Block], target: Sequence[Block]) -> Stretch:
    """Return the stretch without the equal blocks at its end; the blocks are counted from there."""
    equal = _equal(source, target)
    gone = total(source[:equal])
    here, there = (
        Part(part.start, blocks[equal - 1].first if equal else part.end, part.records - gone, part.before)
        for part, blocks in zip(stretch.sides, (source, target))
    )
    return Stretch(here, there, stretch.at_head, stretch.head)


def _equal(source: Sequence[Block], target: Sequence[Block]) -> int:
    """Return the number of equal blocks at the start; offsets differ after a copy."""
    pairs = zip(source, target)
    prints = ((here.records, here.fingerprint) == (there.records, there.fingerprint) for here, there in pairs)
    return next((number for number, same in enumerate(prints) if not same), min(len(source), len(target)))


def by_partition(rows: Sequence[Mapping[str, int | str]]) -> dict[tuple[int, str, int], list[Block]]:
    """Group collected rows: the blocks of each side, topic and partition, in their order."""
    found: dict[tuple[int, str, int], list[Block]] = {}
    for row in rows:
        numbers = (int(row[name]) for name in COLUMNS)
        found.setdefault((int(row["side"]), str(row["topic"]), int(row["partition"])), []).append(Block(*numbers))
    return {place: sorted(blocks) for place, blocks in found.items()}
