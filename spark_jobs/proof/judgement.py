"""What became of each record that has no equal at its place on the other side. Pure."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spark_jobs.proof.alignment import Pair
from spark_jobs.proof.pairing import Single, moved
from spark_jobs.proof.report_schema import Fault

MISSING, EXTRA, CHANGED, REORDERED, DUPLICATED = "missing", "extra", "changed", "reordered", "duplicated"
FAULTS = (MISSING, EXTRA, CHANGED, REORDERED, DUPLICATED)
#: Records that one side no longer holds, by its own rules: nothing is wrong with them, and nothing is compared.
DELETED_ON_SOURCE, DELETED_ON_TARGET = "deleted_on_source", "deleted_on_target"
COMPACTED_ON_SOURCE, COMPACTED_ON_TARGET = "compacted_on_source", "compacted_on_target"
NOT_HELD = (DELETED_ON_SOURCE, DELETED_ON_TARGET, COMPACTED_ON_SOURCE, COMPACTED_ON_TARGET)
PARTS = ("key", "value", "headers", "timestamp")


class Details(NamedTuple):
    """The parts of a record as numbers; ``value`` is null where the record's is."""

    key: int
    value: int | None
    headers: int
    timestamp: int


@dataclass(frozen=True)
class Side:
    """What one side of a partition says of itself and of records that stand alone."""

    begins_late: bool = False  #: its first records were deleted
    compacted: bool = False
    #: By offset, of each record that stands alone; of none where one side has none and nothing is compacted.
    details: Mapping[int, Details] = field(default_factory=dict)
    last_of_key: Mapping[int, int] = field(default_factory=dict)  #: the highest offset that bears a key


@dataclass(frozen=True)
class Judgement:
    """Faults of one partition, and how many records of it one side no longer holds."""

    faults: list[Fault]
    not_held: Mapping[str, int]


@dataclass(frozen=True)
class Alone:
    """The records without a partner at their place, of one partition."""

    reordered: Sequence[Pair]
    source: Sequence[Single]
    target: Sequence[Single]

    @classmethod
    def of(cls, source: Sequence[Single], target: Sequence[Single]) -> Alone:
        return cls(*moved(source, target))


def judge(partition: int, alone: Alone, source: Side, target: Side, originals: Mapping[int, int]) -> Judgement:
    """Name each record of ``alone``. ``originals``: for what stands alone on the target, the source's offset of it.

    On a compacted topic a record that its own side replaced later may be gone from the other side. Where a side's
    first records were deleted, the other side's records before the first common one are not compared.
    """
    faults = [_fault(REORDERED, partition, *pair) for pair in alone.reordered]
    missing, gone_there = _split(alone.source, lambda one: _compacted(one, source, target))
    extra, gone_here = _split(alone.target, lambda one: _compacted(one, target, source))
    pairs, missing, extra = _changed(missing, extra, source, target)
    for here, there in pairs:
        fields = _differing(source.details[here], target.details[there])
        faults.append(_fault(CHANGED, partition, here, there, fields))
    missing, old_here = _split(missing, lambda one: target.begins_late and one.segment == 0)
    extra, old_there = _split(extra, lambda one: source.begins_late and one.segment == 0)
    faults += [_fault(MISSING, partition, one.offset, None) for one in missing]
    for one in extra:
        original = originals.get(one.whole)
        faults.append(_fault(EXTRA if original is None else DUPLICATED, partition, original, one.offset))
    not_held = {
        DELETED_ON_SOURCE: len(old_there),
        DELETED_ON_TARGET: len(old_here),
        COMPACTED_ON_SOURCE: len(gone_here),
        COMPACTED_ON_TARGET: len(gone_there),
    }
    return Judgement(faults, {name: count for name, count in not_held.items() if count})


def _compacted(one: Single, own: Side, other: Side) -> bool:
    """Whether the other side's cleaner may have removed its copy: replaced later, or a deletion that is done with."""
    if not other.compacted:
        return False
    details = own.details[one.offset]
    replaced = own.last_of_key.get(details.key, one.offset) > one.offset
    return replaced or (details.value is None and details.key not in other.last_of_key)


def _changed(
    source: Sequence[Single], target: Sequence[Single], here: Side, there: Side
) -> tuple[list[Pair], list[Single], list[Single]]:
    """Offsets of records at the same place that share a key or else a value; then what is left of each side."""
    pairs: list[Pair] = []
    if not source or not target:
        return pairs, list(source), list(target)
    for part in ("key", "value"):
        places: defaultdict[tuple[int, int | None], deque[Single]] = defaultdict(deque)
        for one in target:
            places[one.segment, getattr(there.details[one.offset], part)].append(one)
        partners: dict[int, int] = {}
        # What both sides hold of a partition's head stands at its end, so there the last are paired first.
        for one in sorted(source, key=lambda one: (one.segment, one.offset if one.segment else -one.offset)):
            mine = getattr(here.details[one.offset], part)
            around = places.get((one.segment, mine)) if mine is not None else None
            if around:
                partners[one.offset] = (around.popleft() if one.segment else around.pop()).offset
        pairs += partners.items()
        taken = set(partners.values())
        source = [one for one in source if one.offset not in partners]
        target = [one for one in target if one.offset not in taken]
    return sorted(pairs), list(source), list(target)


def _split(alone: Iterable[Single], gone: Callable[[Single], bool]) -> tuple[list[Single], list[Single]]:
    """Those that count, and those that the other side no longer holds by its own rules."""
    counted: list[Single] = []
    old: list[Single] = []
    for one in alone:
        (old if gone(one) else counted).append(one)
    return counted, old


def _differing(source: Details, target: Details) -> list[str]:
    return [name for name, mine, theirs in zip(PARTS, source, target) if mine != theirs]


def _fault(
    kind: str, partition: int, source_offset: int | None, target_offset: int | None, fields: Sequence[str] = ()
) -> Fault:
    return Fault(
        kind=kind,
        partition=partition,
        source_offset=source_offset,
        target_offset=target_offset,
        fields=list(fields),
    )
