"""Position of a group's offsets on both sides, by counting the pairs before each. Pure.

Offsets differ after a copy. The records of both sides are paired, so two offsets point at the same record if equally
many pairs are before them, and no record in front of all pairs is still to come on one side alone:

- The source has deleted its head, which the target holds. A group that points into it there reads these records, too.
- The target has deleted its head, which the source holds. A group that points into it on the source skips them.

A record that a cleaner has removed from one side counts on neither, and makes the number a minimum. So does a record of
such a head that the cleaner may have removed before, as far as ``law`` excuses it so: a later one replaces it anyway.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from spark_jobs.proof.law import TARGET, Heads, Pair
from spark_jobs.proof.stretches import Block, Stretch

Outcome = Literal["same", "earlier", "later", "absent", "set", "outside_source", "outside_target", "target_alone"]
BAD: tuple[Outcome, ...] = ("later", "absent", "outside_source", "outside_target", "target_alone")
Count = Callable[[int, int], int]  # side and offset -> records that consumers see before it


class Place(NamedTuple):
    """``records``: number that the group would read again (earlier) or skip (later); a minimum unless ``exact``."""

    outcome: Outcome
    records: int | None
    exact: bool


@dataclass(frozen=True)
class Course:
    """Pairing of the records of one partition. ``paired``: the number of pairs; ``totals``: records of both sides.

    Either ``pairs``, the offsets of all; or ``stretch``, in which ``below`` counts pairs before each offset that was
    asked for, and around which all are paired. With neither, all records of both sides are paired. ``heads``: records
    before all pairs that the other side has deleted. ``first``: the target's offset of the first pair, if a record is
    in front of it.
    """

    paired: int
    totals: Pair
    pairs: Sequence[Pair] | None = None
    stretch: Stretch | None = None
    below: Sequence[Mapping[int, int]] = field(default_factory=lambda: ({}, {}))
    heads: Heads = field(default_factory=Heads)
    first: int | None = None

    @property
    def exact(self) -> bool:
        """Check that each record is paired, or that the other side has deleted it."""
        return all(self.paired + alone == total for alone, total in zip(self.heads.records, self.totals))

    def alone(self, side: int, offset: int, visible: Count) -> int:
        """Return the number of records from an offset of one side on that the other has deleted from its head."""
        if not self.heads.counted:
            return max(0, self.heads.records[side] - visible(side, offset))
        return self.heads.since[side].get(offset, 0)

    def before(self, side: int, offset: int, visible: Count) -> int:
        """Return the number of pairs before an offset of one side."""
        if self.pairs is not None:
            return bisect_left([pair[side] for pair in self.pairs], offset)
        if self.stretch is None or offset <= self.stretch.sides[side].start:
            return visible(side, offset)
        if offset in self.below[side] and offset < self.stretch.sides[side].end:
            return self.stretch.head + self.below[side][offset]
        return self.paired - (self.totals[side] - visible(side, offset))

    def next_on_target(self, before: int, start: int, end: int) -> int | None:
        """Return the target's offset of the pair with the number `before` of pairs in front of it; None if unknown.

        `start`, `end`: of the target's log.
        """
        if before == self.paired:
            return end
        if self.pairs is not None:
            return self.pairs[before][TARGET]
        if before:
            return None
        return start if self.first is None else self.first

    def counts(self, side: int, offset: int) -> bool:
        """Check whether ``before`` or ``alone`` has to count visible records of the partition."""
        if self.pairs is not None:
            return False
        if not self.heads.counted and self.heads.records[side]:
            return True
        part = self.stretch.sides[side] if self.stretch else None
        return part is None or not part.start < offset < part.end


def place(source: int, target: int, exact: bool) -> Place:
    """Return the place from the records before the group's offset on each side, without those before both."""
    if source == target:
        return Place("same", 0, True)
    return Place("later" if target > source else "earlier", abs(target - source), exact)


def partial(blocks: Sequence[Block], offset: int) -> tuple[int, int | None]:
    """Return records in the blocks before an offset, and the start of its block if that must be read."""
    count = sum(block.records for block in blocks if block.last < offset)
    inside = [block for block in blocks if block.first < offset <= block.last]
    return count, inside[0].first if inside else None
