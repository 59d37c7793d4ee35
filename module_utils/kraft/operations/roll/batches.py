"""Plan the batches of a restart and their order. Pure.

A batch is a set of nodes that may be down at the same time: every partition keeps its min.insync.replicas in sync, and
the caught-up controllers keep their majority. Batches are filled from one rack if the racks allow it, since replicas
are spread over racks; otherwise with nodes that share no partition at risk. The shutdown check judges each batch again,
from a fresh snapshot, before it goes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence

from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS, caught_up
from ansible.module_utils.kraft.cluster.shutdown_check import majority
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.operations.roll.restart_order import order, ready


@dataclasses.dataclass(frozen=True)
class Members:
    """Node ids that the inventory expects; an empty set means: those of the snapshot."""

    voters: frozenset[int] = frozenset()
    brokers: frozenset[int] = frozenset()


def batches(
    snapshot: Snapshot,
    node_ids: Collection[int],
    members: Members = Members(),
    together: int = 1,
    largest_delay_ms: int = LARGEST_DELAY_MS,
) -> tuple[tuple[int, ...], ...]:
    """Split `node_ids` into batches of at most `together` nodes.

    Nodes that do not serve go first, one by one. So do those without which a partition or the quorum has nothing to
    spare; the shutdown check decides about them. The active controller goes last and alone.
    """
    sequence = order(node_ids, snapshot, members.voters, members.brokers, largest_delay_ms)
    serving = ready(snapshot, members.voters, members.brokers, largest_delay_ms)
    room = Room(snapshot, frozenset(sequence), largest_delay_ms)
    alone = {one for one in sequence if one not in serving or one == snapshot.controller_id or not room.fits(one)}
    first = [(one,) for one in sequence if one in alone and one != snapshot.controller_id]
    last = [(one,) for one in sequence if one == snapshot.controller_id]
    shared = _packed(room, [one for one in sequence if one not in alone], _racks(snapshot), together)
    return (*first, *shared, *last)


class Room:
    """Room for more nodes to go down: replicas that each partition can spare, and controllers that the quorum can."""

    def __init__(self, snapshot: Snapshot, going: frozenset[int], largest_delay_ms: int) -> None:
        voters = snapshot.quorum.voters if snapshot.quorum else ()
        self._voters = {one.node_id for one in voters}
        self._caught_up = {one.node_id for one in voters if caught_up(one, largest_delay_ms)}
        self._controllers = len(self._caught_up) - majority(len(voters))
        self._spare: list[int] = []
        self._held: dict[int, list[int]] = {one: [] for one in going}
        self._bound = {one for move in snapshot.reassignments or () for one in move.adding}
        for topic in snapshot.topics or ():
            least = (snapshot.min_insync or {}).get(topic.name)
            for partition in topic.partitions:
                needed = len(partition.isr) if least is None else min(least, len(partition.replicas))
                spare = len(partition.isr) - needed
                for one in going.intersection(partition.replicas):
                    if one in partition.isr:
                        self._held[one].append(len(self._spare))
                    elif spare < 0:
                        self._bound.add(one)  # it is catching up, and is needed
                self._spare.append(spare)

    def fits(self, node_id: int) -> bool:
        """Check whether this node may go down beside those that were taken."""
        needed = 1 if node_id in self._caught_up else 0
        if node_id in self._bound or (node_id in self._voters and self._controllers < needed):
            return False
        spare = self._spare
        return all(spare[index] > 0 for index in self._held[node_id])

    def take(self, node_id: int, number: int = 1) -> None:
        """Count a node as down; -1 as back."""
        if node_id in self._caught_up:
            self._controllers -= number
        for index in self._held[node_id]:
            self._spare[index] -= number


def _racks(snapshot: Snapshot) -> dict[int, str | None]:
    return {broker.node_id: broker.rack for broker in snapshot.brokers}


def _packed(
    room: Room, sequence: Sequence[int], racks: dict[int, str | None], together: int
) -> Iterable[tuple[int, ...]]:
    """Yield batches, each filled greedily: first from the rack of its first node, then from the others."""
    left = list(sequence)
    while left:
        rack = racks.get(left[0])
        batch: list[int] = []
        for one in sorted(left, key=lambda node_id: racks.get(node_id) != rack):
            if len(batch) < max(1, together) and room.fits(one):
                room.take(one)
                batch.append(one)
        for one in batch:
            room.take(one, -1)
        left = [one for one in left if one not in batch]
        yield tuple(batch)
