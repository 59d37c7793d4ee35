"""Brokers of a partition when its replication factor changes. Pure, and the same for the same input.

Replicas stay as far as possible: growing appends replicas, shrinking takes some away, and neither changes the
leader. Those in sync stay: they alone hold every acknowledged record. So does the preferred leader (the first replica),
unless it is behind, so leaders remain as spread as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Topic


class Loads:
    """Number of replicas on each broker: of one topic, and of all; kept up to date while partitions are placed."""

    def __init__(self, topics: Iterable[Topic], topic: str) -> None:
        self.all: Counter[int] = Counter()
        self.topic: Counter[int] = Counter()
        for one in topics:
            for partition in one.partitions:
                self.all.update(partition.replicas)
                if one.name == topic:
                    self.topic.update(partition.replicas)

    def counts(self, broker: int) -> tuple[int, int]:
        return self.topic[broker], self.all[broker]

    def move(self, broker: int, by: int) -> None:
        self.all[broker] += by
        self.topic[broker] += by


def with_factor(
    topic: Topic,
    factor: int,
    brokers: Sequence[Broker],
    topics: Iterable[Topic] = (),
    leaving: Mapping[int, Sequence[int]] | None = None,
) -> dict[int, tuple[int, ...]]:
    """Return partition → new replicas, for the partitions of `topic` that do not have `factor` replicas.

    `brokers` are those that can take replicas; `topics` is everything they hold (for the load); `leaving` the
    replicas by partition that a reassignment under way takes out already. The factor must not exceed the brokers.
    """
    held = {
        one.partition: tuple(node for node in one.replicas if node not in (leaving or {}).get(one.partition, ()))
        for one in topic.partitions
    }
    if all(len(replicas) == factor for replicas in held.values()):
        return {}
    racks = {broker.node_id: broker.rack or f"broker {broker.node_id}" for broker in brokers}
    loads = Loads(topics, topic.name)
    found: dict[int, tuple[int, ...]] = {}
    for partition in topic.partitions:
        now = held[partition.partition]
        if len(now) < factor:
            found[partition.partition] = _grown(now, factor, racks, loads)
        elif len(now) > factor:
            found[partition.partition] = _shrunk(now, factor, partition, racks, loads)
    return found


def _grown(held: tuple[int, ...], factor: int, racks: Mapping[int, str], loads: Loads) -> tuple[int, ...]:
    """Return `held` and the best others: from racks that hold it least, then from the emptiest brokers."""
    chosen = list(held)
    while len(chosen) < factor:
        used = Counter(racks.get(one, "") for one in chosen)
        free = [one for one in racks if one not in chosen]
        best = min(free, key=lambda one: (used[racks[one]], *loads.counts(one), one))
        chosen.append(best)
        loads.move(best, +1)
    return tuple(chosen)


def _shrunk(
    held: tuple[int, ...], factor: int, partition: Partition, racks: Mapping[int, str], loads: Loads
) -> tuple[int, ...]:
    """Return `held` without the least needed: out of sync, doubled in a rack, on the fullest broker.

    The leader is never taken out, one in sync only when all others are gone, and the preferred leader last of those.
    """
    kept = list(held)
    while len(kept) > factor:
        used = Counter(racks.get(one, "") for one in kept)
        free = [one for one in kept if one != partition.leader]
        worst = max(
            free,
            key=lambda one: (
                one not in partition.isr,
                one != held[0],
                used[racks.get(one, "")],
                *loads.counts(one),
                one,
            ),
        )
        kept.remove(worst)
        loads.move(worst, -1)
    return tuple(kept)
