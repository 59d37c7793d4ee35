"""Even counts with least movement. Pure.

Replicas go one by one from a broker that holds most to one that holds least, as long as they differ by two or more.
Without racks in the way that is the least that can be moved: each step takes away from what is above the fair share,
or fills up what is below it, or both. No step puts two replicas of a partition on one broker, or one into a rack
that has no fewer of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence

from ansible.module_utils.kraft.operations.reassignment.layout import Layout, grouped


def share(total: int, brokers: int) -> tuple[int, int]:
    """Return the equal share of each broker: rounded down, and up."""
    return total // max(1, brokers), -(-total // max(1, brokers))


class Level:
    """Evens out what `donors` and `takers` hold of a layout."""

    def __init__(self, layout: Layout, donors: Collection[int], takers: Collection[int]) -> None:
        self._layout, self._donors = layout, donors
        self._takers = frozenset(takers)
        self._share = share(sum(map(layout.count, {*donors, *takers})), len({*donors, *takers}))
        self._racks = grouped(takers, layout.racks)
        self._heaps = {rack: [(layout.count(one), one) for one in members] for rack, members in self._racks.items()}
        for heap in self._heaps.values():
            heapq.heapify(heap)
        self._dead: set[tuple[int, str | None]] = set()

    def run(self) -> None:
        while self._pass():
            self._dead.clear()

    def _pass(self) -> bool:
        """Move replicas until no fuller broker finds a target; return whether anything was moved."""
        fullest = [(-self._layout.count(one), one) for one in self._donors]
        heapq.heapify(fullest)
        moved = False
        while fullest:
            count, source = heapq.heappop(fullest)
            if -count != self._layout.count(source):
                heapq.heappush(fullest, (-self._layout.count(source), source))
                continue
            target = self._give(source)
            if target is None:
                continue
            moved = True
            heapq.heappush(fullest, (-self._layout.count(source), source))
        return moved

    def _give(self, source: int) -> int | None:
        """Move one replica of `source` to the emptiest possible broker, and return it; None if there is none."""
        for _, target, rack in self._emptiest(source):
            if (source, rack) in self._dead:
                continue
            index, possible = self._layout.candidate(source, target)
            if index is not None:
                self._move(index, source, target)
                return target
            if not possible:
                self._dead.add((source, rack))
        return None

    def _move(self, index: int | None, source: int, target: int) -> None:
        """Move this one and, while the one has more than its share and the other less, the next best."""
        count = self._layout.count
        while index is not None:
            self._layout.move(index, source, target)
            both = count(source) > self._share[1] and count(target) < self._share[0]
            index = self._layout.candidate(source, target)[0] if both else None
        self._count(target)
        self._count(source)

    def _emptiest(self, source: int) -> Iterator[tuple[int, int, str | None]]:
        """Yield the emptiest broker of each rack, then all, as long as it pays: (count, broker, rack)."""
        most = self._layout.count(source) - 2
        firsts = sorted(
            (first for rack in self._heaps if (source, rack) not in self._dead and (first := self._first(rack))),
            key=lambda one: one[:2],
        )
        yield from (one for one in firsts if one[0] <= most)
        rest = [
            (self._layout.count(one), one, rack)
            for rack, members in self._racks.items()
            if (source, rack) not in self._dead
            for one in members
        ]
        tried = {one[1] for one in firsts}
        yield from (one for one in sorted(rest, key=lambda one: one[:2]) if one[0] <= most and one[1] not in tried)

    def _first(self, rack: str | None) -> tuple[int, int, str | None] | None:
        heap = self._heaps[rack]
        while heap and heap[0][0] != self._layout.count(heap[0][1]):
            heapq.heappop(heap)
        return (*heap[0], rack) if heap else None

    def _count(self, broker: int) -> None:
        if broker in self._takers:
            heapq.heappush(self._heaps[self._layout.racks.get(broker)], (self._layout.count(broker), broker))


class Leaders:
    """Balances the preferred leaders, by the order of replicas alone: no record is moved.

    A partition each is handed over along the shortest chain of brokers, from one that leads most to one that
    leads at least two fewer. If no such chain is left, the spread is the best that this layout can have. The
    chain is a cost-reducing path: Harvey and others, "Semi-matchings for bipartite graphs and load balancing", 2006.
    `indices`: the partitions whose order may change; `able`: brokers that may lead.
    """

    def __init__(self, layout: Layout, indices: Collection[int], able: Collection[int]) -> None:
        self._layout, self._able = layout, frozenset(able)
        self._leads = dict.fromkeys(able, 0)
        self._hands: dict[int, dict[int, dict[int, None]]] = {one: {} for one in able}
        for replicas in layout.replicas:
            if replicas and replicas[0] in self._leads:
                self._leads[replicas[0]] += 1
        self._share = share(sum(self._leads.values()), len(self._leads))
        for index in indices:
            self._enter(index)

    def run(self) -> None:
        most = [(-count, one) for one, count in self._leads.items()]
        heapq.heapify(most)
        while most:
            count, source = heapq.heappop(most)
            if -count != self._leads[source]:
                heapq.heappush(most, (-self._leads[source], source))
                continue
            chain = self._chain(source)
            for _ in range(self._times(chain)):
                for one, other in zip(chain, chain[1:]):
                    self._hand_over(one, other)
            if chain:
                heapq.heappush(most, (-self._leads[source], source))

    def _chain(self, source: int) -> list[int]:
        """Return brokers from `source` to the nearest that leads least and two fewer; empty: none."""
        if min(self._leads.values()) > self._leads[source] - 2:
            return []
        before: dict[int, int] = {source: source}
        ring = [source]
        while ring:
            found: list[int] = []
            for one in ring:
                for other, partitions in self._hands[one].items():
                    if partitions and other not in before:
                        before[other] = one
                        found.append(other)
            target = min(found, key=lambda one: (self._leads[one], one), default=source)
            if self._leads[target] <= self._leads[source] - 2:
                return _back(before, target)
            ring = found
        return []

    def _times(self, chain: Sequence[int]) -> int:
        """Return how often a chain may be used before others are better off: its ends approach their share."""
        if not chain:
            return 0
        above = self._leads[chain[0]] - self._share[1]
        below = self._share[0] - self._leads[chain[-1]]
        there = min(len(self._hands[one][other]) for one, other in zip(chain, chain[1:]))
        return max(1, min(above, below, there))

    def _hand_over(self, source: int, target: int) -> None:
        index = next(iter(self._hands[source][target]))
        replicas = self._layout.replicas[index]
        for other in replicas:
            if other in self._able and other != source:
                del self._hands[source][other][index]
        place = replicas.index(target)
        replicas[0], replicas[place] = replicas[place], replicas[0]
        self._leads[source] -= 1
        self._leads[target] += 1
        self._enter(index)

    def _enter(self, index: int) -> None:
        """Note the brokers that could take over a partition's preferred leadership."""
        replicas = self._layout.replicas[index]
        if replicas and replicas[0] in self._able:
            for other in replicas[1:]:
                if other in self._able:
                    self._hands[replicas[0]].setdefault(other, {})[index] = None


def _back(before: dict[int, int], target: int) -> list[int]:
    chain = [target]
    while before[chain[-1]] != chain[-1]:
        chain.append(before[chain[-1]])
    return chain[::-1]
