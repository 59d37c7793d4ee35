"""Replicas of each broker during planning: changed in place, and quick for hundreds of thousands of partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ansible.module_utils.kraft.operations.reassignment.model import Placement, Sizes

#: Partitions that are compared when one of many is to be moved: the best of them is good enough.
LOOK = 50


class Layout:
    """``replicas`` by index of a partition; ``held``: broker → indices of partitions; ``racks``: broker → rack.

    A broker without a rack is a separate rack, as in Kafka's placement.
    """

    def __init__(self, start: Placement, racks: Mapping[int, str | None], sizes: Sizes) -> None:
        self.names, self.racks = start.names, racks
        self.replicas: list[list[int]] = [list(one) for one in start.replicas]
        self.held: dict[int, dict[int, None]] = {broker: {} for broker in racks}
        self._sizes = [sizes.get(name, 0) for name in start.names] if sizes else [0] * len(start.names)
        self._topics: dict[int, dict[str, int]] = {}
        for index, replicas in enumerate(self.replicas):
            topic = self.names[index][0]
            for broker in replicas:
                self.held.setdefault(broker, {})[index] = None
                counts = self._topics.setdefault(broker, {})
                counts[topic] = counts.get(topic, 0) + 1

    def count(self, broker: int) -> int:
        return len(self.held[broker])

    def move(self, index: int, source: int, target: int) -> None:
        """Move the replica on `source` to `target`; it keeps its place in the order."""
        replicas = self.replicas[index]
        replicas[replicas.index(source)] = target
        del self.held[source][index]
        self.held[target][index] = None
        topic = self.names[index][0]
        self._topics[source][topic] -= 1
        counts = self._topics.setdefault(target, {})
        counts[topic] = counts.get(topic, 0) + 1

    def in_rack_of(self, broker: int, replicas: Iterable[int]) -> int:
        """Return the number of `replicas` in the rack of `broker`, itself not counted."""
        rack = self.racks.get(broker)
        return 0 if rack is None else sum(self.racks.get(one) == rack for one in replicas if one != broker)

    def candidate(self, source: int, target: int) -> tuple[int | None, bool]:
        """Return the best partition to move from `source` to `target`; and True if any could go to `target`'s rack.

        A partition may go if its replicas stay as spread over racks as they are. Best: of a topic with many replicas on
        the one and few on the other; then the smallest.
        """
        mine, yours = self._topics.get(source, {}), self._topics.get(target, {})
        rack = self.racks.get(target)
        within = rack is None or rack == self.racks.get(source)
        best: tuple[tuple[int, int], int] | None = None
        seen, possible = 0, False
        for index in self.held[source]:
            replicas = self.replicas[index]
            if not within:
                there = sum([self.racks.get(one) == rack for one in replicas])
                if there and there > self.in_rack_of(source, replicas):
                    continue
            possible = True
            if target in replicas:
                continue
            topic = self.names[index][0]
            key = (yours.get(topic, 0) - mine[topic], self._sizes[index])
            if best is None or key < best[0]:
                best = key, index
            seen += 1
            if seen == LOOK:
                break
        return (None, possible) if best is None else (best[1], True)


def grouped(brokers: Collection[int], racks: Mapping[int, str | None]) -> dict[str | None, list[int]]:
    """Return rack → those of `brokers` in it; all without a rack together."""
    found: dict[str | None, list[int]] = {}
    for broker in sorted(brokers):
        found.setdefault(racks.get(broker), []).append(broker)
    return found


def changed(layout: Layout, before: Sequence[Sequence[int]]) -> list[int]:
    """Return indices of the partitions whose replicas, or their order, differ from `before`."""
    return [index for index, one in enumerate(layout.replicas) if tuple(one) != tuple(before[index])]
