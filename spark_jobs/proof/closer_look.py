"""A partition that differs, record by record: read in slices, paired, and what stands alone is looked up."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.kafka_io import Window
from spark_jobs.proof import fingerprints
from spark_jobs.proof.account import Account
from spark_jobs.proof.judgement import Alone, Details, Side, judge
from spark_jobs.proof.pairing import Pairing, Record, Single
from spark_jobs.proof.stretches import Part, Stretch
from spark_jobs.proof.topics import SOURCE, TARGET, Cluster, TopicPair

MOST_ALONE = 100_000  # of both sides; beyond, what stands alone is judged before the rest of the partition is read


@dataclass
class Slices:
    """How far each side of a stretch has been read."""

    parts: Sequence[Part]
    at: list[int]
    left: list[int]

    @classmethod
    def of(cls, stretch: Stretch) -> Slices:
        parts = (stretch.source, stretch.target)
        return cls(parts, [part.start for part in parts], [part.records for part in parts])

    @property
    def ahead(self) -> tuple[int, int]:
        """Records still to come; none behind the end, whatever was deleted while it was read."""
        here, there = (max(1, left) if at < part.end else 0 for part, at, left in zip(self.parts, self.at, self.left))
        return here, there

    def windows(self, partition: int, room: Sequence[int]) -> list[Window]:
        """The next offsets of both sides, no more of them than there is room for records."""
        ends = [min(part.end, at + size) for part, at, size in zip(self.parts, self.at, room)]
        return [Window({partition: at}, {partition: end}) for at, end in zip(self.at, ends)]


@dataclass(frozen=True)
class Partition:
    """One partition of a topic and of its copy."""

    clusters: Sequence[Cluster]
    pair: TopicPair
    number: int

    def look(self, stretch: Stretch, account: Account) -> None:
        """Account for each record of the stretch."""
        pairing = Pairing(segment=0 if stretch.at_head else 1)
        slices = Slices.of(stretch)
        while any(slices.ahead):
            windows = slices.windows(self.number, pairing.room)
            found = self._records(windows)
            for side, window in enumerate(windows):
                slices.at[side] = window.ends[self.number]
                slices.left[side] -= len(found[side])
            pairing.feed(found[SOURCE], found[TARGET], slices.ahead)
            if len(pairing.source) + len(pairing.target) > MOST_ALONE:
                self._judge(pairing, account)
        self._judge(pairing, account)
        account.paired += pairing.paired

    def _judge(self, pairing: Pairing, account: Account) -> None:
        alone = Alone.of(pairing.source, pairing.target)
        pairing.source, pairing.target = [], []
        here, there = self._sides(alone)
        # What the source may have deleted is not looked for in it.
        extra = {one.whole for one in alone.target if one.segment or not here.begins_late}
        account.judged(judge(self.number, alone, here, there, self._originals(extra)))

    def _records(self, windows: Sequence[Window]) -> list[list[Record]]:
        frames = [
            fingerprints.records(self._rows(side, window), self.clusters[side].append_time).select(
                F.lit(side).alias("side"), "offset", "whole"
            )
            for side, window in enumerate(windows)
            if window.offsets
        ]
        table = reduce(DataFrame.union, frames).toArrow().to_pydict()
        found: list[list[Record]] = [[], []]
        for side, offset, whole in zip(table["side"], table["offset"], table["whole"]):
            found[side].append(Record(offset, whole))
        return found

    def _sides(self, alone: Alone) -> tuple[Side, Side]:
        singles = (alone.source, alone.target)
        compacted = any(side.compacted for side in self.pair.sides) and any(singles)
        details: list[dict[int, Details]] = [{}, {}]
        lasts: list[dict[int, int]] = [{}, {}]
        if compacted or all(singles):
            details = [self._details(side, singles[side]) for side in (SOURCE, TARGET)]
        if compacted:
            keys = {one.key for found in details for one in found.values()}
            lasts = [self._last_of_key(side, keys) for side in (SOURCE, TARGET)]
        here, there = (
            Side(topic.begins_late(self.number), topic.compacted, found, last)
            for topic, found, last in zip(self.pair.sides, details, lasts)
        )
        return here, there

    def _details(self, side: int, singles: Sequence[Single]) -> dict[int, Details]:
        if not singles:
            return {}
        offsets = [one.offset for one in singles]
        rows = self._rows(side, Window({self.number: min(offsets)}, {self.number: max(offsets) + 1}))
        wanted = fingerprints.among(self.clusters[side].spark, rows, "offset", offsets)
        found = fingerprints.details(wanted, self.clusters[side].append_time).collect()
        return {row["offset"]: Details(*(row[name] for name in Details._fields)) for row in found}

    def _originals(self, wholes: Collection[int]) -> dict[int, int]:
        """Where the source has records that the target has besides; the first of each."""
        if not wholes:
            return {}
        cluster = self.clusters[SOURCE]
        rows = fingerprints.records(self._rows(SOURCE, self._whole(SOURCE)), cluster.append_time)
        some = fingerprints.among(cluster.spark, rows, "whole", wholes)
        return {
            row["whole"]: row["first"] for row in some.groupBy("whole").agg(F.min("offset").alias("first")).collect()
        }

    def _last_of_key(self, side: int, keys: Collection[int]) -> dict[int, int]:
        rows = self._rows(side, self._whole(side)).select(fingerprints.key_hash().alias("key"), "offset")
        some = fingerprints.among(self.clusters[side].spark, rows, "key", keys)
        return {row["key"]: row["last"] for row in some.groupBy("key").agg(F.max("offset").alias("last")).collect()}

    def _whole(self, side: int) -> Window:
        window = self.pair.sides[side].window
        return Window({self.number: window.starts[self.number]}, {self.number: window.ends[self.number]})

    def _rows(self, side: int, window: Window) -> DataFrame:
        return self.clusters[side].rows({self.pair.sides[side].name: window})
