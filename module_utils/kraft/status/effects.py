"""Effects on the cluster of nodes that do not work: partitions, and the controllers' majority. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator

from ansible.module_utils.kraft.cluster.shutdown_check import majority
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Snapshot

WORST_FIRST = ("no_majority", "no_leader", "under_min_isr", "under_replicated", "no_spare_controller")


@dataclasses.dataclass(frozen=True)
class Effect:
    """``rule`` names it; ``count`` is how many partitions or controllers it is about."""

    rule: str
    count: int
    text: str


@dataclasses.dataclass(frozen=True)
class Replica:
    """A partition with the replicas that it lacks; ``least``: its effective min.insync.replicas, 0 when unknown."""

    name: str
    partition: Partition
    missing: frozenset[int]
    moving: frozenset[int]
    least: int


def lacking(snapshot: Snapshot | None) -> list[Replica]:
    """Return partitions without a leader or a replica in sync; those that only move have nothing ``missing``."""
    if snapshot is None:
        return []
    moves = {(one.topic, one.partition): frozenset(one.adding) for one in snapshot.reassignments or ()}
    found = []
    for topic in snapshot.topics or ():
        for one in topic.partitions:
            # Without a leader no broker serves it: not even those that were in sync last.
            behind = frozenset(one.replicas) - frozenset(() if one.leader == NO_NODE else one.isr)
            moving = behind & moves.get((topic.name, one.partition), frozenset())
            if behind or one.leader == NO_NODE:
                least = min((snapshot.min_insync or {}).get(topic.name, 0), len(one.replicas))
                found.append(Replica(f"{topic.name}-{one.partition}", one, behind - moving, moving, least))
    return found


def of_partitions(nodes: Collection[int], partitions: Collection[Replica]) -> Iterator[Effect]:
    """Describe the effects on partitions of the absence of `nodes`."""
    ours = [one for one in partitions if one.missing & frozenset(nodes)]
    unled = [one for one in ours if one.partition.leader == NO_NODE and _led_by(one.partition, nodes)]
    closed = [one for one in ours if one.partition.leader != NO_NODE and len(one.partition.isr) < one.least]
    if ours:
        yield Effect("under_replicated", len(ours), f"{counted(len(ours))} under-replicated")
    if unled:
        yield Effect("no_leader", len(unled), f"{counted(len(unled))} without a leader: clients cannot use them")
    if closed:
        text = f"{counted(len(closed))} closed to writes with acks=all (fewer in sync than min.insync.replicas)"
        yield Effect("under_min_isr", len(closed), text)


def _led_by(partition: Partition, nodes: Collection[int]) -> bool:
    """Check that one of `nodes` could lead the partition, or that this is unknown."""
    if partition.eligible is None or not partition.electable:
        return True
    return bool(partition.electable & frozenset(nodes))


def counted(number: int) -> str:
    return f"{number} partition{' is' if number == 1 else 's are'}"


def of_controllers(nodes: Collection[int], voters: Collection[int], broken: Collection[int]) -> Iterator[Effect]:
    """Describe the effects on the quorum if voters among `nodes` do not work. `broken`: all that do not."""
    if not set(nodes) & set(voters):
        return
    left, needed = len(set(voters) - set(broken)), majority(len(voters))
    if left < needed:
        working = f"only {left} of {len(voters)} controllers work" if left else "no controller works"
        text = f"{working}, and a leader needs {needed}"
        yield Effect("no_majority", left, text)
    elif left == needed:
        yield Effect(
            "no_spare_controller", left, f"only {left} of {len(voters)} controllers work: no other may go down"
        )
