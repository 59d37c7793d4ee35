"""The comparison on an open session: one pass over both sides, then a closer look at what differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.kafka_io import Window
from spark_jobs.proof import fingerprints, stretches
from spark_jobs.proof.account import Account
from spark_jobs.proof.closer_look import Partition
from spark_jobs.proof.pairing import WINDOW
from spark_jobs.proof.report_schema import Topic
from spark_jobs.proof.stretches import Block, Stretch
from spark_jobs.proof.topics import SOURCE, TARGET, Cluster, TopicPair

Blocks = Mapping[tuple[int, str, int], list[Block]]
Say = Callable[[str], None]  # each step, for whoever watches
Places = Mapping[tuple[str, int], Stretch]  # by the source's name of a topic, and partition


def compare(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], say: Say) -> list[Topic]:
    """What became of every record of every topic."""
    offsets = sum(side.window.offsets for pair in pairs for side in pair.sides)
    bits = stretches.block_bits(offsets)
    blocks = _first_pass(clusters, pairs, bits)
    total = sum(map(stretches.total, blocks.values()))
    say(f"read {total:,} records of both sides in {sum(map(len, blocks.values())):,} blocks")
    differing = _differing(pairs, blocks)
    if differing:
        say(f"{len(differing)} partitions differ: looking closer")
        differing = _narrowed(clusters, pairs, differing, bits)
    return [_judged(clusters, pair, blocks, differing, say) for pair in pairs]


def _first_pass(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], bits: int) -> Blocks:
    frames = []
    for side, cluster in enumerate(clusters):
        windows = {pair.sides[side].name: pair.sides[side].window for pair in pairs}
        frames.append(_of(side, fingerprints.blocks(cluster.rows(windows), cluster.append_time, bits)))
    return _collected(frames)


def _differing(pairs: Sequence[TopicPair], blocks: Blocks) -> dict[tuple[str, int], Stretch]:
    found = {}
    for pair in pairs:
        for number in pair.partitions:
            here, there = (blocks.get((side, pair.sides[side].name, number), []) for side in (SOURCE, TARGET))
            ends = (pair.source.window.ends[number], pair.target.window.ends[number])
            stretch = stretches.without_head(here, there, ends)
            if stretch:
                found[pair.source.name, number] = stretch
    return found


def _narrowed(
    clusters: Sequence[Cluster], pairs: Sequence[TopicPair], differing: Places, bits: int
) -> dict[tuple[str, int], Stretch]:
    """Long stretches end where both sides are equal again up to their end."""
    long = {
        place: stretch
        for place, stretch in differing.items()
        if min(stretch.source.records, stretch.target.records) > WINDOW
    }
    if not long:
        return dict(differing)
    frames = []
    for side, cluster in enumerate(clusters):
        windows: dict[str, Window] = {}
        totals: dict[tuple[str, int], int] = {}
        for pair in pairs:
            parts = {number: long[name, number].sides[side] for name, number in long if name == pair.source.name}
            if parts:
                name = pair.sides[side].name
                spans = {number: (part.start, part.end) for number, part in parts.items()}
                windows[name] = Window({n: span[0] for n, span in spans.items()}, {n: s[1] for n, s in spans.items()})
                totals |= {(name, number): part.records for number, part in parts.items()}
        rows = fingerprints.blocks_from_end(cluster.rows(windows), cluster.append_time, bits, totals)
        frames.append(_of(side, rows))
    ends = _collected(frames)
    target_names = {pair.source.name: pair.target.name for pair in pairs}
    return dict(differing) | {
        (name, number): stretches.without_tail(
            stretch, ends.get((SOURCE, name, number), []), ends.get((TARGET, target_names[name], number), [])
        )
        for (name, number), stretch in long.items()
    }


def _judged(clusters: Sequence[Cluster], pair: TopicPair, blocks: Blocks, differing: Places, say: Say) -> Topic:
    account = Account()
    for number in pair.partitions:
        held = [blocks.get((side, pair.sides[side].name, number), []) for side in (SOURCE, TARGET)]
        here, there = map(stretches.total, held)
        newest = max((block.newest for block in held[SOURCE]), default=0)
        stretch = differing.get((pair.source.name, number))
        account.read(here, there, here - stretch.source.records if stretch else here, newest)
        if stretch:
            Partition(clusters, pair, number).look(stretch, account)
            say(f"{pair.source.name}, partition {number}: {account.in_words()} so far")
    return account.topic(pair)


def _of(side: int, frame: DataFrame) -> DataFrame:
    return frame.withColumn("side", F.lit(side))


def _collected(frames: Sequence[DataFrame]) -> Blocks:
    rows: list[Mapping[str, Any]] = [row.asDict() for row in reduce(DataFrame.union, frames).collect()]
    return stretches.by_partition(rows)
