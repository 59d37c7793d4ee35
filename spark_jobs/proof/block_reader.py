"""Reads blocks of both sides with Spark: from the start, and of what differs from the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.kafka_io import Window
from spark_jobs.proof import fingerprints, stretches
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.stretches import Block, Stretch
from spark_jobs.proof.topics import Cluster, Place, TopicPair
from spark_jobs.session import chain

Blocks = Mapping[tuple[int, str, int], list[Block]]
Places = Mapping[Place, Stretch]  # by the source's name of a topic, and partition


class UnreadableError(Exception):
    """Spark cannot hold a timestamp; its exception names neither topic nor offset."""


def first_pass(
    clusters: Sequence[Cluster], pairs: Sequence[TopicPair], bits: int, left_out: Collection[Place]
) -> Blocks:
    """Read blocks of both sides, without the partitions of ``left_out``. UnreadableError if Spark cannot."""
    frames = []
    for side, cluster in enumerate(clusters):
        windows: dict[str, Window] = {}
        for pair in pairs:
            spans = pair.sides[side].window.spans
            read = [n for n, (start, end) in spans.items() if start < end and (pair.source.name, n) not in left_out]
            if read:
                windows[pair.sides[side].name] = Window({n: spans[n][0] for n in read}, {n: spans[n][1] for n in read})
        if windows:
            rows = fingerprints.blocks(cluster.rows(windows), cluster.append_time, bits)
            frames.append(rows.withColumn("side", F.lit(side)))
    return _collected(frames)


def narrowed(
    clusters: Sequence[Cluster], pairs: Sequence[TopicPair], differing: Places, bits: int
) -> dict[Place, Stretch]:
    """End stretches once both sides are equal again up to their end."""
    two_sided = {place: one for place, one in differing.items() if one.source.records and one.target.records}
    if not two_sided:
        return dict(differing)
    frames = []
    for side, cluster in enumerate(clusters):
        windows: dict[str, Window] = {}
        totals: dict[Place, tuple[int, int]] = {}
        for pair in pairs:
            parts = {number: two_sided[name, number] for name, number in two_sided if name == pair.source.name}
            if parts:
                name = pair.sides[side].name
                spans = {number: (one.sides[side].start, one.sides[side].end) for number, one in parts.items()}
                windows[name] = Window({n: span[0] for n, span in spans.items()}, {n: s[1] for n, s in spans.items()})
                totals |= {
                    (name, number): (one.sides[side].records, min(part.records for part in one.sides))
                    for number, one in parts.items()
                }
        rows = fingerprints.blocks_from_end(cluster.rows(windows), cluster.append_time, bits, totals)
        frames.append(rows.withColumn("side", F.lit(side)))
    ends = _collected(frames)
    target_names = {pair.source.name: pair.target.name for pair in pairs}
    return dict(differing) | {
        (name, number): stretches.without_tail(
            stretch, ends.get((SOURCE, name, number), []), ends.get((TARGET, target_names[name], number), [])
        )
        for (name, number), stretch in two_sided.items()
    }


def _collected(frames: Sequence[DataFrame]) -> Blocks:
    if not frames:
        return {}
    try:
        rows: list[Mapping[str, Any]] = [row.asDict() for row in reduce(DataFrame.union, frames).collect()]
    except (PySparkException, Py4JError) as error:
        if "overflow" in " ".join([str(error), *chain(error)]):
            raise UnreadableError from error
        raise
    return stretches.by_partition(rows)
