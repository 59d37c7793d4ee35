"""Changes of both sides since the proof began: before a switch both must be at rest.

At any other time a copy may be at work, and clients write. Then the compared topics must at least be there still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.groups import Counted, Offsets, committed
from spark_jobs.proof.law import SOURCE, TARGET
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.topics import Place, TopicPair
from spark_jobs.proof.verdict import DELETED, GROWN, MEANWHILE, MOVED, REMADE, SHORTER, SPLIT, WRITTEN, Change

#: Outcomes of an offset that MirrorMaker may still advance on the target.
TRANSLATED_LATER = ("earlier", "absent", "set")


def since(compared: Comparison, offsets: Offsets, positions: Sequence[Position]) -> list[Change]:
    """Return all changes of topics and groups. `offsets`: those from which `positions` were judged."""
    now = committed(compared.clusters, compared.pairs, tuple(offsets))
    return changes(compared) + moved(compared.pairs, offsets, now, positions)


def replaced(compared: Comparison) -> list[Change]:
    """Return topics that were made again or truncated: records were not compared, or those that were are gone."""
    return [one for one in changes(compared) if one.kind in (*REMADE, *SHORTER)]


def changes(compared: Comparison) -> list[Change]:
    """Ask both sides again. Deletions on the source are no obstacle."""
    found = []
    for pair in compared.pairs:
        kinds = dict.fromkeys(MEANWHILE, 0)
        for kind, offsets in _of(compared, pair):
            kinds[kind] += offsets
        found += [Change(pair.source.name, kind, offsets) for kind, offsets in kinds.items() if offsets]
    return found


def moved(pairs: Sequence[TopicPair], before: Offsets, after: Offsets, positions: Sequence[Position]) -> list[Change]:
    """Return the groups whose offsets are not those that were judged, with the number of partitions.

    `before`, `after`: by group, as ``groups.committed`` returns them. On the target MirrorMaker may advance an offset
    that is behind, or bring one that is absent.
    """
    outcomes = {(one["group"], one["topic"], one["partition"]): one["outcome"] for one in positions}
    found = []
    for group, sides in before.items():
        places = set()
        for pair in pairs:
            for number in pair.partitions:
                keys = [(side.name, number) for side in pair.sides]
                (source, later), (target, there) = (
                    (sides[side].get(key), after[group][side].get(key)) for side, key in enumerate(keys)
                )
                translated = outcomes.get((group, *keys[SOURCE])) in TRANSLATED_LATER and (there or 0) >= (target or 0)
                if source != later or (target != there and not translated):
                    places.add(keys[SOURCE])
        if places:
            found.append(Change(group, MOVED, len(places)))
    return found


def _of(compared: Comparison, pair: TopicPair) -> Iterator[tuple[str, int]]:
    other = list(_other_topic(compared, pair))
    if not other:
        yield from _other_offsets(compared, pair)
        other = list(_other_topic(compared, pair))  # again: the offsets may be of a topic that was made meanwhile
    yield from other


def _other_topic(compared: Comparison, pair: TopicPair) -> Iterator[tuple[str, int]]:
    """Yield what makes it another topic than the compared one: another id, none at all, or more partitions."""
    for at, (cluster, side) in enumerate(zip(compared.clusters, pair.sides)):
        topic_id, partitions = cluster.admin.identity(side.name)
        if not partitions or topic_id != side.topic_id:
            yield REMADE[at], 1
        elif partitions != len(pair.partitions):
            yield SPLIT[at], partitions


def _other_offsets(compared: Comparison, pair: TopicPair) -> Iterator[tuple[str, int]]:
    ends = [
        cluster.admin.end_offsets(side.name, pair.partitions) for cluster, side in zip(compared.clusters, pair.sides)
    ]
    for number in pair.partitions:
        more, there = (ends[at][number] - pair.sides[at].window.ends[number] for at in (SOURCE, TARGET))
        yield GROWN if more > 0 else SHORTER[SOURCE], abs(more)
        yield WRITTEN if there > 0 else SHORTER[TARGET], abs(there)
    yield from _deleted(compared, pair)


def _deleted(compared: Comparison, pair: TopicPair) -> Iterator[tuple[str, int]]:
    """Yield offsets of partitions whose target has deleted records meanwhile, and whose source still holds them."""
    here, there = (
        cluster.admin.begin_offsets(side.name, pair.partitions) for cluster, side in zip(compared.clusters, pair.sides)
    )
    for number, start in there.items():
        gone = start - pair.target.window.starts[number]
        if gone > 0 and _holds_more(compared, (pair.source.name, number), here[number], start):
            yield DELETED, gone


def _holds_more(compared: Comparison, place: Place, source: int, target: int) -> bool:
    """Check whether the source still holds records before the target's first one. Log starts of both sides."""
    counted, course = Counted(compared), compared.courses[place]
    here, there = (
        course.before(side, start, lambda side, at: counted.gone(place, side, at))
        for side, start in ((SOURCE, source), (TARGET, target))
    )
    return there > here
