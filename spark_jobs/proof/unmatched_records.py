"""Names what is wrong with records that have no equal at their place on the other side, by the law. Pure.

If both sides of a partition are in memory as a whole, ``law`` decides. Here records come in parts, so that memory stays
small; what is excused has the same evidence and the same bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spark_jobs.proof.alignment import Pair
from spark_jobs.proof.law import COMPACTED, DELETED, FIRST, SOURCE, TARGET, Excused, Heads
from spark_jobs.proof.pairing import Gap, Single, moved
from spark_jobs.proof.report_schema import Fault

MISSING, EXTRA, CHANGED, REORDERED, DUPLICATED = "missing", "extra", "changed", "reordered", "duplicated"
LOST_HEAD = "deleted"  #: on the target, while the source still holds it
FAULTS = (MISSING, EXTRA, CHANGED, REORDERED, DUPLICATED, LOST_HEAD)
PARTS = ("key", "value", "headers", "timestamp")


class Details(NamedTuple):
    """The parts of a record as numbers; ``value`` is null if the record's is."""

    key: int
    value: int | None
    headers: int
    timestamp: int
    keyless: bool = False


@dataclass(frozen=True)
class Side:
    """One side of a partition, and the details of its unpaired records. ``aborted``: offsets, in order."""

    start: int = 0  #: its log start offset: at most this number of records was deleted from its head
    compacted: bool = False
    #: Offset -> details of each unpaired record; empty if one side has none and nothing is compacted.
    details: Mapping[int, Details] = field(default_factory=dict)
    #: The first and the last offset that bears a key.
    extents: Mapping[int, Pair] = field(default_factory=dict)
    aborted: Sequence[int] = ()


@dataclass
class Judgement:
    """Faults of one partition, those without a place by kind, and excused records."""

    faults: list[Fault]
    unnamed: Counter[str]
    excused: Excused


@dataclass(frozen=True)
class Alone:
    """The records without a partner at their place, of one partition."""

    reordered: Sequence[Pair]
    source: Sequence[Single]
    target: Sequence[Single]

    @classmethod
    def from_singles(cls, source: Sequence[Single], target: Sequence[Single]) -> Alone:
        return cls(*moved(source, target))


@dataclass
class Judge:
    """Judges one partition in parts. ``heads``: the records of each side's head that are excused so far."""

    partition: int
    at_head: bool
    gaps: Mapping[int, Gap]
    heads: Heads = field(default_factory=Heads)

    def judge(self, alone: Alone, source: Side, target: Side, originals: Mapping[int, int]) -> Judgement:
        """Name each record of ``alone``. ``originals``: for records on the target alone, the source's offset."""
        found = Judgement([], Counter(), Excused())
        found.faults += (self._fault(REORDERED, *pair) for pair in alone.reordered)
        missing, extra = self._changed("key", alone.source, alone.target, (source, target), found)
        missing = self._compacted(missing, TARGET, source, target, found)
        extra = self._compacted(extra, SOURCE, target, source, found)
        missing, extra = self._changed("value", missing, extra, (source, target), found)
        extra = self._deleted(extra, SOURCE, source, found)
        missing = self._deleted(missing, TARGET, target, found)
        found.faults += (self._fault(MISSING, one.offset, None) for one in missing)
        for one in extra:
            original = originals.get(one.whole)
            found.faults.append(self._fault(EXTRA if original is None else DUPLICATED, original, one.offset))
        return found

    def _changed(
        self, part: str, source: Sequence[Single], target: Sequence[Single], sides: tuple[Side, Side], found: Judgement
    ) -> tuple[list[Single], list[Single]]:
        """Return the rest of both sides without the records of one gap that share a key, or a value."""
        here, there = sides[0].details, sides[1].details
        if not source or not target:
            return list(source), list(target)
        pairs = _sharing(part, source, target, here, there)
        for mine, theirs in sorted(pairs.items()):
            found.faults.append(self._fault(CHANGED, mine, theirs, _differing(here[mine], there[theirs])))
        taken = set(pairs.values())
        return [one for one in source if one.offset not in pairs], [one for one in target if one.offset not in taken]

    def _compacted(
        self, alone: Sequence[Single], lacking: int, own: Side, other: Side, found: Judgement
    ) -> list[Single]:
        """Return the rest that the other side's cleaner did not remove; its missing offsets bound the excused ones."""
        if not other.compacted:
            return list(alone)
        _, eligible = _split(alone, lambda one: self._may_be_gone(one, lacking, own, other))
        by_gap: defaultdict[int, list[Single]] = defaultdict(list)
        for one in eligible:
            by_gap[one.segment].append(one)
        gone = {one.offset for one in eligible}
        for segment in by_gap.keys() | {number for number, gap in self.gaps.items() if gap.waiting_count[lacking]}:
            gap = self.gaps[segment]
            holes = gap.holes(lacking, other.aborted)
            gone.difference_update(self._too_many(gap, by_gap[segment], lacking, holes, found))
        return [one for one in alone if one.offset not in gone]

    def _too_many(self, gap: Gap, eligible: Sequence[Single], lacking: int, holes: int, found: Judgement) -> list[int]:
        """Return the first offsets that the holes of the gap do not cover; in an open gap all wait."""
        offsets = [one.offset for one in eligible]
        waited = gap.waiting_count[lacking]
        if gap.high is None:
            gap.waiting[lacking].extend(offsets[: FIRST - len(gap.waiting[lacking])])
            gap.waiting_count[lacking] += len(offsets)
            return []
        uncovered = max(0, waited + len(offsets) - holes)
        early = min(waited, uncovered)
        self._name_waiting(gap, early, lacking, found)
        late = offsets[: uncovered - early]
        found.excused.take(COMPACTED[lacking], offsets[len(late) :], holes, waited - early)
        return late

    def _name_waiting(self, gap: Gap, count: int, lacking: int, found: Judgement) -> None:
        """Report the first ``count`` of those that wait for the end of their gap as faults; the others are settled."""
        kind = MISSING if lacking == TARGET else EXTRA
        named = gap.waiting[lacking][:count]
        for offset in named:
            found.faults.append(self._fault(kind, *((offset, None) if lacking == TARGET else (None, offset))))
        found.unnamed[kind] += count - len(named)
        gap.waiting_count[lacking] = 0

    def _may_be_gone(self, one: Single, lacking: int, own: Side, other: Side) -> bool:
        """Check for a replaced record, one without key, or a finished deletion, if nothing older of the key is left."""
        details = own.details[one.offset]
        low = self.gaps[one.segment].low[lacking]
        if details.key in other.extents and other.extents[details.key][0] <= low:
            return False
        replaced = own.extents.get(details.key, (0, one.offset))[1] > one.offset
        return details.keyless or replaced or (details.value is None and details.key not in other.extents)

    def _deleted(self, alone: Sequence[Single], lacking: int, other: Side, found: Judgement) -> list[Single]:
        """Return the rest that the other side's log start does not explain. Only one side can have deleted its head."""
        taken, others = self.heads.records[1 - lacking], self.heads.records[lacking]
        room = other.start - taken
        if not self.at_head or others or room <= 0:
            return list(alone)
        rest, head = _split(alone, lambda one: one.segment == 0)
        gone = head[:room]
        offsets = [one.offset for one in gone]
        found.excused.take(DELETED[lacking], offsets, 0 if taken else other.start)
        self.heads.take(1 - lacking, offsets)
        return head[room:] + rest

    def _fault(self, kind: str, source: int | None, target: int | None, fields: Sequence[str] = ()) -> Fault:
        return Fault(
            kind=kind, partition=self.partition, source_offset=source, target_offset=target, fields=list(fields)
        )


def _sharing(
    part: str,
    source: Sequence[Single],
    target: Sequence[Single],
    here: Mapping[int, Details],
    there: Mapping[int, Details],
) -> dict[int, int]:
    """Return offsets of both sides of records in one gap whose key, or whose value, is the same."""
    places: defaultdict[tuple[int, int | None], deque[Single]] = defaultdict(deque)
    for one in target:
        places[one.segment, getattr(there[one.offset], part)].append(one)
    partners: dict[int, int] = {}
    # Shared records of a partition's head are at its end, so there the last are paired first.
    for one in sorted(source, key=lambda one: (one.segment, one.offset if one.segment else -one.offset)):
        mine = getattr(here[one.offset], part)
        around = places.get((one.segment, mine)) if mine is not None else None
        if around:
            partners[one.offset] = (around.popleft() if one.segment else around.pop()).offset
    return partners


def _split(alone: Iterable[Single], wanted: Callable[[Single], bool]) -> tuple[list[Single], list[Single]]:
    """Split into those that are not wanted, and those that are."""
    rest: list[Single] = []
    found: list[Single] = []
    for one in alone:
        (found if wanted(one) else rest).append(one)
    return rest, found


def _differing(source: Details, target: Details) -> list[str]:
    return [name for name, mine, theirs in zip(PARTS, source, target) if mine != theirs]
