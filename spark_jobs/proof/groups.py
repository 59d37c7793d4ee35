"""Reads what follows each group's committed offset on both sides, and says whether it is the same record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spark_jobs.kafka_io import Window
from spark_jobs.proof import fingerprints
from spark_jobs.proof.positions import LOOK_AHEAD, Place, behind, place
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.topics import SOURCE, TARGET, Cluster, TopicPair, TopicSide

Committed = Mapping[tuple[str, int], int]
ABSENT = Place("absent", None)
FAR = 2_000_000  # offsets behind the target's, where the next records of both sides have nothing in common


def positions(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], groups: Sequence[str]) -> list[Position]:
    """Every group's offsets, partition by partition, where the source has any."""
    return [position for group in groups for position in _of_group(clusters, pairs, group)]


def _of_group(clusters: Sequence[Cluster], pairs: Sequence[TopicPair], group: str) -> Iterator[Position]:
    committed = []
    for side, cluster in enumerate(clusters):
        places = [(pair.sides[side].name, number) for pair in pairs for number in pair.partitions]
        committed.append(cluster.admin.committed(group, places))
    following = [_following(clusters[side], side, pairs, committed[side]) for side in (SOURCE, TARGET)]
    for pair in pairs:
        for number in pair.partitions:
            here, there = ((pair.sides[side].name, number) for side in (SOURCE, TARGET))
            if here not in committed[SOURCE]:
                continue
            offset, next_ones = committed[TARGET].get(there), following[SOURCE][here]
            found = ABSENT if offset is None else place(next_ones, following[TARGET][there])
            if offset is not None and found.outcome == "unknown":
                found = behind(next_ones, _from(clusters[TARGET], pair.target, number, offset))
            yield Position(
                group=group,
                topic=pair.source.name,
                partition=number,
                source_offset=committed[SOURCE][here],
                target_offset=offset,
                outcome=found.outcome,
                records=found.records,
            )


def _from(cluster: Cluster, side: TopicSide, number: int, start: int) -> list[int]:
    """The records of a partition from an offset on, as numbers: many, since offsets are translated downwards."""
    window = Window({number: start}, {number: min(start + FAR, side.window.ends[number])})
    rows = fingerprints.records(cluster.rows({side.name: window}), cluster.append_time)
    return list(rows.toArrow().to_pydict()["whole"])


def _following(
    cluster: Cluster, side: int, pairs: Sequence[TopicPair], committed: Committed
) -> dict[tuple[str, int], list[int]]:
    """The next records from each committed offset, as numbers; it looks on where offsets hold no record."""
    sides = [pair.sides[side] for pair in pairs]
    ends = {(one.name, number): end for one in sides for number, end in one.window.ends.items()}
    found: dict[tuple[str, int], list[int]] = {place: [] for place in committed}
    at = dict(committed)
    span = 2 * LOOK_AHEAD
    while waiting := {place: start for place, start in at.items() if start < ends[place] and not found[place]}:
        windows: dict[str, Window] = {}
        for (topic, number), start in waiting.items():
            known = windows.get(topic, Window({}, {}))
            end = at[topic, number] = min(start + span, ends[topic, number])
            windows[topic] = Window({**known.starts, number: start}, {**known.ends, number: end})
        rows = fingerprints.records(cluster.rows(windows), cluster.append_time).toArrow().to_pydict()
        for topic, number, whole in zip(rows["topic"], rows["partition"], rows["whole"]):
            found[topic, number].append(whole)
        span *= 8
    return {place: wholes[:LOOK_AHEAD] for place, wholes in found.items()}
