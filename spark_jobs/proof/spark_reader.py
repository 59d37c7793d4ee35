"""Reads one partition of both sides with Spark, in slices, and looks up single records."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.kafka_io import READ_UNCOMMITTED, Window
from spark_jobs.proof import fingerprints
from spark_jobs.proof.alignment import Pair
from spark_jobs.proof.law import SOURCE
from spark_jobs.proof.pairing import Record
from spark_jobs.proof.topics import Cluster, TopicPair
from spark_jobs.proof.unmatched_records import Details


@dataclass(frozen=True)
class SparkReader:
    """``record_by_record.Reader`` for partitions that may be large: nothing of a record but hashes is collected."""

    clusters: Sequence[Cluster]
    pair: TopicPair
    number: int
    hidden: dict[int, Sequence[int]] = field(default_factory=dict)

    def records(self, windows: Sequence[Window]) -> list[list[Record]]:
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

    def details(self, side: int, offsets: Sequence[int]) -> dict[int, Details]:
        rows = self._rows(side, Window({self.number: min(offsets)}, {self.number: max(offsets) + 1}))
        wanted = fingerprints.among(self.clusters[side].spark, rows, "offset", offsets)
        found = fingerprints.details(wanted, self.clusters[side].append_time).collect()
        return {row["offset"]: Details(*(row[name] for name in Details._fields)) for row in found}

    def originals(self, wholes: Collection[int]) -> dict[int, int]:
        cluster = self.clusters[SOURCE]
        rows = fingerprints.records(self._rows(SOURCE, self._whole(SOURCE)), cluster.append_time)
        some = fingerprints.among(cluster.spark, rows, "whole", wholes)
        return {
            row["whole"]: row["first"] for row in some.groupBy("whole").agg(F.min("offset").alias("first")).collect()
        }

    def extents(self, side: int, keys: Collection[int]) -> dict[int, Pair]:
        rows = self._rows(side, self._whole(side)).select(fingerprints.key_hash().alias("key"), "offset")
        some = fingerprints.among(self.clusters[side].spark, rows, "key", keys)
        ends = some.groupBy("key").agg(F.min("offset").alias("first"), F.max("offset").alias("last"))
        return {row["key"]: (row["first"], row["last"]) for row in ends.collect()}

    def aborted(self, side: int) -> Sequence[int]:
        if side not in self.hidden:
            names = {self.pair.sides[side].name: self._whole(side)}
            every = self.clusters[side].rows(names, READ_UNCOMMITTED).select("offset")
            seen = self._rows(side, self._whole(side)).select("offset")
            found = every.join(seen, "offset", "left_anti").toArrow().to_pydict()["offset"]
            self.hidden[side] = sorted(found)
        return self.hidden[side]

    def _whole(self, side: int) -> Window:
        window = self.pair.sides[side].window
        return Window({self.number: window.starts[self.number]}, {self.number: window.ends[self.number]})

    def _rows(self, side: int, window: Window) -> DataFrame:
        return self.clusters[side].rows({self.pair.sides[side].name: window})
