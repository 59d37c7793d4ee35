"""The committed offsets of groups on both sides, and where they point."""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spark_jobs.proof.comparison import Comparison, Marks
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.positions import Outcome, partial, place
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.stretches import Block
from spark_jobs.proof.topics import Cluster, Place, TopicPair

Committed = Mapping[Place, int]
Offsets = Mapping[str, Sequence[Committed]]  # by group, of both sides
Ends = Mapping[Place, int]


def committed(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], groups: Sequence[str]) -> Offsets:
    """Every group's offsets on both sides, by topic and partition, where it has any."""
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
    """By the source's name and partition: the offsets of both sides that groups have committed."""
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
    """Every group's offsets, partition by partition, where the source has any."""
    counted = Counted(compared)
    counted.read(compared.marks)
    return [position for group in offsets for position in _of_group(compared, group, offsets[group], log_ends, counted)]


def _of_group(
    compared: Comparison, group: str, known: Sequence[Committed], log_ends: Sequence[Ends], counted: Counted
) -> Iterator[Position]:
    for pair in compared.pairs:
        for number in pair.partitions:
            here, there = ((side.name, number) for side in pair.sides)
            if here not in known[SOURCE]:
                continue
            offset, target = known[SOURCE][here], known[TARGET].get(there)
            outcome = _without_a_place(pair, number, (offset, target), (log_ends[0][here], log_ends[1][there]))
            records: int | None = None
            exact = True
            if outcome is None:
                course = compared.courses[here]
                visible = functools.partial(counted.before, here)
                outcome, records, exact = place(
                    course.before(SOURCE, offset, visible),
                    course.before(TARGET, target or 0, visible),
                    course.exact,
                )
            yield Position(
                group=group,
                topic=pair.source.name,
                partition=number,
                source_offset=offset,
                target_offset=target,
                outcome=outcome,
                records=records,
                exact=exact,
            )


def _without_a_place(
    pair: TopicPair, number: int, offsets: tuple[int, int | None], log_ends: tuple[int, int]
) -> Outcome | None:
    """An offset that is none, or that points at nothing which the log holds, or held a moment ago."""
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
