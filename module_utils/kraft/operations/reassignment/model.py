"""Input and result of a plan of moves. Values only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster.snapshot import Snapshot

BALANCED, DRAINED, SPREAD = "balanced", "drained", "spread"
#: Parts of a snapshot that a plan needs.
PARTS = ("topics", "reassignments")

Name = tuple[str, int]  #: topic and partition


@dataclasses.dataclass(frozen=True)
class Goal:
    """``drained``: `broker_ids` hold nothing; ``spread``: they get their fair share; ``balanced``: everybody has it."""

    state: str = BALANCED
    broker_ids: frozenset[int] = frozenset()


@dataclasses.dataclass(frozen=True)
class Move:
    """One partition: its replicas before and after, the preferred leader first; ``size`` in bytes, None: not known."""

    topic: str
    partition: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    size: int | None = None

    @property
    def name(self) -> Name:
        return self.topic, self.partition

    @property
    def adding(self) -> tuple[int, ...]:
        """Return brokers that get the partition's records. Empty if only the preferred leader changes."""
        return tuple(one for one in self.after if one not in self.before)

    @property
    def bytes(self) -> int | None:
        return None if self.size is None else self.size * len(self.adding)


@dataclasses.dataclass(frozen=True)
class Placement:
    """Present or coming replicas of every partition: the start of a plan."""

    names: Sequence[Name]
    replicas: Sequence[tuple[int, ...]]


def placement(snapshot: Snapshot) -> Placement:
    """Return the placement in `snapshot`, with each reassignment under way at its end."""
    leaving = {(one.topic, one.partition): one.removing for one in snapshot.reassignments or ()}
    names: list[Name] = []
    replicas: list[tuple[int, ...]] = []
    for topic in snapshot.topics or ():
        for one in topic.partitions:
            gone = leaving.get((topic.name, one.partition), ())
            names.append((topic.name, one.partition))
            replicas.append(tuple(node for node in one.replicas if node not in gone) if gone else one.replicas)
    return Placement(names, replicas)


def known_bytes(moves: Sequence[Move]) -> int | None:
    """Return the bytes that the moves copy; None if the size of one is unknown."""
    sizes = [one.bytes for one in moves if one.adding]
    return None if None in sizes else sum(size for size in sizes if size is not None)


Sizes = Mapping[Name, int]
