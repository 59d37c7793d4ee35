"""The law of a proof by brute force, from its text alone: no code of the proof is used.

Every pairing of equal records in the same order is tried. A partition is proven by one in which each record without a
partner is excused:

- deleted: it is before the first pair; at most as many as the other side's log start offset; on one side only.
- compacted: the other side is compacted (if it is the target: both are), and holds no older record of the key; on its
  own side a later record bears the key, or it has no key, or it is a deletion of a key that the other side does not
  hold. At most as many as offsets are missing on the other side between the two pairs around it. A record of an aborted
  transaction is not missing.

A timestamp is not compared if the target's broker has set it.

A group is judged by counting: the visible records from its offset to the end are equally many on both sides, or it
skips or reads again the difference. Records that a cleaner removed from one side count on neither; in the head those
are the last ones, since what was deleted there came before. An offset outside of the log is a separate outcome.
Retention may pass a group on the source: then it goes on at the first record there, and may do so on the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Headers = tuple[tuple[str, bytes | None], ...]


class Rec(NamedTuple):
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp: int
    stamped: bool = False


class Side(NamedTuple):
    """A consumer's view of a partition from its log start offset up to its end."""

    records: tuple[Rec, ...]
    start: int
    end: int
    compacted: bool = False
    aborted: tuple[int, ...] = ()

    def offset(self, number: int) -> int:
        if number < 0:
            return self.start - 1
        return self.records[number].offset if number < len(self.records) else self.end


class Proof(NamedTuple):
    """``pairs``: numbers of the records; ``lost``: records that the target has deleted and the source holds."""

    pairs: tuple[tuple[int, int], ...]
    lost: int


def equal(one: Rec, other: Rec) -> bool:
    same = (one.key, one.value, one.headers) == (other.key, other.value, other.headers)
    return same and (other.stamped or one.timestamp == other.timestamp)


def prove(source: Side, target: Side) -> Proof | None:
    """A pairing by the law, or null: there is none."""
    target = target._replace(compacted=source.compacted and target.compacted)
    start, end = (-1, -1), (len(source.records), len(target.records))
    places = [
        (here, there)
        for here, one in enumerate(source.records)
        for there, other in enumerate(target.records)
        if equal(one, other)
    ]
    known: dict[tuple[int, int], Proof] = {start: Proof((), 0)}
    for place in (*places, end):
        for before, proof in list(known.items()):
            if before[0] < place[0] and before[1] < place[1]:
                lost = gap(source, target, before, place)
                if lost is not None:
                    known[place] = Proof((*proof.pairs, place), proof.lost + lost)
                    break
    found = known.get(end)
    return found and Proof(found.pairs[:-1], found.lost)


def gap(source: Side, target: Side, before: tuple[int, int], place: tuple[int, int]) -> int | None:
    """Return the number of records between two pairs that the target has deleted. Null: one of them is not excused."""
    here = unexplained(source, target, (before[0], place[0]), (before[1], place[1]))
    there = unexplained(target, source, (before[1], place[1]), (before[0], place[0]))
    if before != (-1, -1):
        return 0 if here == there == 0 else None
    if (here and there) or here > target.start or there > source.start:
        return None
    return here


def unexplained(own: Side, other: Side, mine: tuple[int, int], theirs: tuple[int, int]) -> int:
    """Return the number of one side's records in a gap that the other side's cleaner cannot have removed."""
    alone = own.records[mine[0] + 1 : mine[1]]
    low, high = other.offset(theirs[0]), other.offset(theirs[1])
    there = (theirs[1] - theirs[0] - 1) + sum(low < offset < high for offset in other.aborted)
    missing = high - low - 1 - there
    cleaned = sum(cleanable(one, own, other, other.records[: theirs[1]]) for one in alone)
    return len(alone) - min(cleaned, missing)


def placed(source: Side, target: Side, proof: Proof, group: tuple[int, int]) -> tuple[str, int | None, bool]:
    """Return the outcome of a group's offsets, the difference, and whether no cleaner makes that a minimum."""
    target = target._replace(compacted=source.compacted and target.compacted)
    here, there = group
    passed = here < source.start and not any(target.records[number].offset < there for _, number in proof.pairs)
    if here > source.end or (here < source.start and not (passed and target.start <= there <= target.end)):
        return "outside_source", None, True
    if not target.start <= there <= target.end:
        return "outside_target", None, True
    numbers = [{pair[side] for pair in proof.pairs} for side in (0, 1)]
    gone = [cleaned(source, target, numbers[0], numbers[1]), cleaned(target, source, numbers[1], numbers[0])]
    rest = [
        sum(one.offset >= at and number not in removed for number, one in enumerate(side.records))
        for side, at, removed in zip((source, target), group, gone)
    ]
    more = rest[1] - rest[0]
    outcome = "same" if not more else "earlier" if more > 0 else "later"
    return outcome, abs(more), not more or not any(gone)


def cleaned(own: Side, other: Side, mine: set[int], theirs: set[int]) -> set[int]:
    """Return the numbers of one side's records that the other side's cleaner removed."""
    first, last = min(mine, default=len(own.records)), min(theirs, default=len(other.records))
    low, high = other.start - 1, other.offset(last)
    missing = high - low - 1 - last - sum(low < offset < high for offset in other.aborted)
    head = [number for number in range(first) if cleanable(own.records[number], own, other, other.records[:last])]
    return set(head[len(head) - min(missing, len(head)) :]) | set(range(first, len(own.records))) - mine


def cleanable(one: Rec, own: Side, other: Side, older: Sequence[Rec]) -> bool:
    if not other.compacted or any(each.key == one.key for each in older):
        return False
    replaced = any(each.key == one.key and each.offset > one.offset for each in own.records)
    gone = one.value is None and not any(each.key == one.key for each in other.records)
    return one.key is None or replaced or gone
