"""The committed offsets of groups on both sides, and where they point."""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spark_jobs.proof.comparison import Comparison, Marks
from spark_jobs.proof.group_positions import Count, Course, Outcome, partial, place
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.stretches import Block
from spark_jobs.proof.topics import Cluster, Place, TopicPair

Committed = Mapping[Place, int]
Offsets = Mapping[str, Sequence[Committed]]  # by group, of both sides
Ends = Mapping[Place, int]


def committed(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], groups: Sequence[str]) -> Offsets:
    """Return every group's present offsets on both sides, by topic and partition."""
    places = [[(pair.sides[side].name, n) for pair in pairs for n in pair.partitions] for side in (SOURCE, TARGET)]
    return {
        group: [cluster.admin.committed(group, some) for cluster, some in zip(clusters, places)] for group in groups
    }


def ends(clusters: Sequence[Cluster], pairs: Sequence[TopicPair]) -> list[Ends]:
    """Return the end of each log of both sides, open transactions included; read after the groups' offsets."""
    return [
        {
            (pair.sides[side].name, number): end
            for pair in pairs
            for number, end in cluster.admin.written_offsets(pair.sides[side].name, pair.partitions).items()
        }
        for side, cluster in enumerate(clusters)
    ]


def marks(pairs: Sequence[TopicPair], offsets: Offsets) -> Marks:
    """Return by the source's name and partition: the offsets of both sides that groups have committed."""
    found: dict[Place, tuple[set[int], set[int]]] = {}
    for pair in pairs:
        for number in pair.partitions:
            for sides in offsets.values():
                for side, known in enumerate(sides):
                    offset = known.get((pair.sides[side].name, number))
                    if offset is not None:
                        found.setdefault((pair.source.name, number), (set(), set()))[side].add(offset)
    return found


def positions(compared: Comparison, offsets: Offsets, log_ends: Sequence[Ends]) -> list[Position]:
    """Return every group's offsets, partition by partition, if the source has any."""
    counted = Counted(compared)
    counted.read(compared.marks)
    return [position for group in offsets for position in _of_group(compared, group, offsets[group], log_ends, counted)]


def _of_group(
    compared: Comparison, group: str, known: Sequence[Committed], log_ends: Sequence[Ends], counted: Counted
) -> Iterator[Position]:
    for pair in compared.pairs:
        for number in pair.partitions:
            here, there = ((side.name, number) for side in pair.sides)
            visible = functools.partial(counted.before, here)
            if here not in known[SOURCE]:
                yield from _target_alone(group, here, known[TARGET].get(there), compared.courses[here], visible)
                continue
            offset, target = offsets = known[SOURCE][here], known[TARGET].get(there)
            ends_at = log_ends[SOURCE][here], log_ends[TARGET][there]
            outcome, records, exact, set_to = _judged(pair, number, offsets, ends_at, (compared.courses[here], visible))
            yield Position(
                group=group,
                topic=pair.source.name,
                partition=number,
                source_offset=offset,
                target_offset=target,
                outcome=outcome,
                records=records,
                exact=exact,
                set_to=set_to,
            )


def _target_alone(group: str, place: Place, target: int | None, course: Course, visible: Count) -> Iterator[Position]:
    """Yield the position of a group that has an offset on the target alone, behind records of both sides.

    Records that one side alone holds do not count: the source deleted them, or every group misses them here.
    """
    records = 0 if target is None else course.before(TARGET, target, visible)
    if records:
        yield Position(
            group=group,
            topic=place[0],
            partition=place[1],
            source_offset=None,
            target_offset=target,
            outcome="target_alone",
            records=records,
            exact=course.exact,
            set_to=None,
        )


def _judged(
    pair: TopicPair,
    number: int,
    offsets: tuple[int, int | None],
    ends_at: tuple[int, int],
    counting: tuple[Course, Count],
) -> tuple[Outcome, int | None, bool, int | None]:
    """Return the parts of a position: outcome, records, exact, and the offset to set.

    Records that the target has deleted, and that the group would still read on the source, are skipped here: then no
    offset can be set. Those that the source has deleted, and the group would read here, it reads again.
    """
    (offset, target), (course, visible) = offsets, counting
    starts = [side.window.starts[number] for side in pair.sides]
    before = course.before(SOURCE, offset, visible)
    skipped = course.alone(SOURCE, offset, visible)
    outcome = _without_a_place(pair, number, offsets, ends_at)
    if target is None:
        known = offset <= ends_at[SOURCE] and not skipped
        set_to = course.next_on_target(before, starts[TARGET], ends_at[TARGET]) if known else None
        return outcome or "absent", None, True, set_to
    there = course.before(TARGET, target, visible)
    if outcome == "outside_source" and offset < starts[SOURCE] and starts[TARGET] <= target <= ends_at[TARGET]:
        # Retention has passed the group: it would go on with the first record on the source, and may do so here.
        outcome = None if there == 0 else outcome
    if outcome:
        return outcome, None, True, None
    found = place(before + course.alone(TARGET, target, visible), there + skipped, course.exact)
    return found.outcome, found.records, found.exact, None


def to_set(positions: Sequence[Position]) -> list[Position]:
    """Return the same; those with a known place on the target, and none there, are to be set."""
    marked = [one.copy() for one in positions]
    for one in marked:
        if one["set_to"] is not None:
            one["outcome"] = "set"
    return marked


def set_offsets(target: Cluster, positions: Sequence[Position], names: Mapping[str, str]) -> list[str]:
    """Set them; what was refused, in sentences. `names`: of topics, source to target."""
    wanted: dict[str, dict[Place, int]] = {}
    for one in positions:
        if one["outcome"] == "set" and one["set_to"] is not None:
            wanted.setdefault(one["group"], {})[names[one["topic"]], one["partition"]] = one["set_to"]
    refused = {group: target.admin.commit(group, offsets) for group, offsets in wanted.items()}
    return [
        f"Group {group}: its offsets cannot be set on the target ({why}). Stop its members there, then repeat this."
        for group, why in refused.items()
        if why
    ]


def _without_a_place(
    pair: TopicPair, number: int, offsets: tuple[int, int | None], log_ends: tuple[int, int]
) -> Outcome | None:
    """Return the outcome of an offset that is none, or that points at nothing in the log."""
    outside = [
        offset is not None and not side.window.starts[number] <= offset <= end
        for side, offset, end in zip(pair.sides, offsets, log_ends)
    ]
    if outside[SOURCE]:
        return "outside_source"
    if offsets[TARGET] is None:
        return "absent"
    return "outside_target" if outside[TARGET] else None


@dataclass
class Counted:
    """Visible records before offsets: whole blocks are known, of one block the offsets are read."""

    compared: Comparison
    offsets: dict[tuple[int, Place, int], list[int]] = field(default_factory=dict)  # side, place, first of the block

    def before(self, source_place: Place, side: int, offset: int) -> int:
        count, start = partial(self._blocks(side, source_place), offset)
        if start is None:
            return count
        return count + bisect_left(self.offsets[side, source_place, start], offset)

    def gone(self, source_place: Place, side: int, start: int) -> int:
        """Count the same before a new log start: what the log held there is deleted, so the rest is read."""
        count, first = partial(self._blocks(side, source_place), start)
        if first is None:
            return count
        block = next(block for block in self._blocks(side, source_place) if block.first == first)
        name = self._name(side, source_place)
        left = self.compared.clusters[side].native.read({name: (start, block.last + 1)})[name]
        return count + block.records - len(left)

    def read(self, asked: Marks) -> None:
        """Read what ``before`` needs for these offsets: in each round one block of each partition."""
        wanted: dict[tuple[int, Place, int], int] = {}
        for source_place, both in asked.items():
            for side, offsets in enumerate(both):
                for offset in offsets:
                    _, start = partial(self._blocks(side, source_place), offset)
                    if start is not None and self.compared.courses[source_place].counts(side, offset):
                        key = (side, source_place, start)
                        wanted[key] = max(wanted.get(key, 0), offset)
        while wanted:
            taken: dict[tuple[int, Place], tuple[int, Place, int]] = {}
            for key in wanted:
                taken.setdefault(key[:2], key)
            self._read(list(taken.values()), wanted)
            wanted = {key: offset for key, offset in wanted.items() if key not in self.offsets}

    def _read(self, keys: Sequence[tuple[int, Place, int]], ends_at: Mapping[tuple[int, Place, int], int]) -> None:
        for side, cluster in enumerate(self.compared.clusters):
            spans = {self._name(side, key[1]): (key[2], ends_at[key]) for key in keys if key[0] == side}
            found = cluster.native.read(spans)
            for key in keys:
                if key[0] == side:
                    self.offsets[key] = [one.offset for one in found[self._name(side, key[1])]]

    def _name(self, side: int, source_place: Place) -> Place:
        return self.compared.pair(source_place).sides[side].name, source_place[1]

    def _blocks(self, side: int, source_place: Place) -> Sequence[Block]:
        return self.compared.held(self.compared.pair(source_place), source_place[1])[side]
