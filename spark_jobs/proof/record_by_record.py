"""A partition that differs, record by record: read in slices, paired, and unpaired records are looked up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from spark_jobs.kafka_io import Window
from spark_jobs.proof.account import Account
from spark_jobs.proof.alignment import Pair
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.pairing import Pairing, Record, Single
from spark_jobs.proof.stretches import Part, Stretch
from spark_jobs.proof.topics import TopicPair
from spark_jobs.proof.unmatched_records import Alone, Details, Judge, Side

MOST_ALONE = 100_000  # of both sides; beyond, unpaired records are classified before the rest of the partition is read


class Reader(Protocol):
    """One partition of both sides, as Spark or the native client reads it."""

    def records(self, windows: Sequence[Window]) -> list[list[Record]]:
        """Return the records in the windows of both sides."""

    def details(self, side: int, offsets: Sequence[int]) -> Mapping[int, Details]:
        """Return by offset the parts of these records."""

    def originals(self, wholes: Collection[int]) -> Mapping[int, int]:
        """Return for each record the first offset that holds it on the source."""

    def extents(self, side: int, keys: Collection[int]) -> Mapping[int, Pair]:
        """Return the first and the last offset of each of these keys in the whole partition."""

    def aborted(self, side: int) -> Sequence[int]:
        """Return the offsets of aborted records of the whole partition, in order; of a compacted side alone."""


@dataclass
class Slices:
    """Progress of reading each side of a stretch."""

    parts: Sequence[Part]
    at: list[int]
    left: list[int]

    @classmethod
    def from_stretch(cls, stretch: Stretch) -> Slices:
        parts = (stretch.source, stretch.target)
        return cls(parts, [part.start for part in parts], [part.records for part in parts])

    @property
    def ahead(self) -> tuple[int, int]:
        """Return the records still to come; none behind the end, whatever was deleted meanwhile."""
        here, there = (max(1, left) if at < part.end else 0 for part, at, left in zip(self.parts, self.at, self.left))
        return here, there

    def windows(self, partition: int, room: Sequence[int]) -> list[Window]:
        """Return the next offsets of both sides, at most as many as there is room for."""
        ends = [min(part.end, at + size) for part, at, size in zip(self.parts, self.at, room)]
        return [Window({partition: at}, {partition: end}) for at, end in zip(self.at, ends)]


@dataclass(frozen=True)
class Partition:
    """One partition of a topic and of its copy."""

    reader: Reader
    pair: TopicPair
    number: int

    def compare(self, stretch: Stretch, account: Account, pairing: Pairing | None = None) -> Pairing:
        """Account for each record of the stretch. ``pairing`` decides which pairs are counted, or kept."""
        pairing = pairing or Pairing()
        pairing.low, pairing.segment = (stretch.source.before, stretch.target.before), 0 if stretch.at_head else 1
        judge = Judge(self.number, stretch.at_head, pairing.gaps, pairing.heads)
        slices = Slices.from_stretch(stretch)
        while any(slices.ahead):
            windows = slices.windows(self.number, pairing.room)
            found = self.reader.records(windows)
            for side, window in enumerate(windows):
                slices.at[side] = window.ends[self.number]
                slices.left[side] -= len(found[side])
            pairing.feed(found[SOURCE], found[TARGET], slices.ahead)
            if len(pairing.source) + len(pairing.target) > MOST_ALONE:
                self._judge(judge, pairing, account)
        pairing.close((stretch.source.end, stretch.target.end))
        self._judge(judge, pairing, account)
        account.paired += pairing.paired
        return pairing

    def _judge(self, judge: Judge, pairing: Pairing, account: Account) -> None:
        alone = Alone.from_singles(pairing.source, pairing.target)
        pairing.source, pairing.target = [], []
        here, there = self._sides(alone)
        # Records that the source may have deleted are not looked up in it.
        extra = {one.whole for one in alone.target if one.segment or not here.start}
        originals = self.reader.originals(extra) if extra else {}
        account.judged(judge.judge(alone, here, there, originals), self.number)

    def _sides(self, alone: Alone) -> tuple[Side, Side]:
        singles = (alone.source, alone.target)
        cleaned = any(self.pair.compacted) and any(singles)
        details: list[Mapping[int, Details]] = [{}, {}]
        extents: list[Mapping[int, Pair]] = [{}, {}]
        if cleaned or all(singles):
            details = [self._details(side, singles[side]) for side in (SOURCE, TARGET)]
        hidden: list[Sequence[int]] = [(), ()]
        if cleaned:
            hidden = [self.reader.aborted(side) if self.pair.compacted[side] else () for side in (SOURCE, TARGET)]
            keys = {one.key for found in details for one in found.values()}
            extents = [self.reader.extents(side, keys) for side in (SOURCE, TARGET)]
        here, there = (
            Side(topic.window.starts[self.number], compacted, found, extent, aborted)
            for topic, compacted, found, extent, aborted in zip(
                self.pair.sides, self.pair.compacted, details, extents, hidden
            )
        )
        return here, there

    def _details(self, side: int, singles: Sequence[Single]) -> Mapping[int, Details]:
        return self.reader.details(side, [one.offset for one in singles]) if singles else {}
