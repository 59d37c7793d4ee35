"""The log dirs of brokers with their replicas, and moves between log dirs of one broker. Values only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

Name = tuple[str, int]  #: topic and partition


@dataclasses.dataclass(frozen=True)
class Disk:
    """A log dir of a broker. ``usable``: bytes free on its volume, -1: not known; ``error``: empty while it is online.

    ``held``: replica -> bytes. ``coming``: replica -> bytes that have arrived of one that is moved here ("future").
    """

    path: str
    usable: int = -1
    total: int = -1
    error: str = ""
    held: Mapping[Name, int] = dataclasses.field(default_factory=dict)
    coming: Mapping[Name, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class BrokerDisks:
    node_id: int
    disks: tuple[Disk, ...]

    @property
    def online(self) -> tuple[Disk, ...]:
        return tuple(one for one in self.disks if not one.error)

    @property
    def held(self) -> dict[Name, tuple[str, int]]:
        """Return replica -> its log dir and its bytes."""
        return {name: (disk.path, size) for disk in self.disks for name, size in disk.held.items()}

    @property
    def coming(self) -> dict[Name, tuple[str, int]]:
        """Return moving replica -> its target log dir, and the bytes that have arrived.

        One whose own log dir has failed is none: Kafka lists what has arrived of it, and copies no more.
        """
        held = self.held
        found = ((name, disk.path, size) for disk in self.disks for name, size in disk.coming.items())
        return {name: (path, size) for name, path, size in found if name in held}


@dataclasses.dataclass(frozen=True)
class DiskMove:
    """One replica from one log dir of its broker to another; back to `source`: the move is taken back."""

    node_id: int
    name: Name
    source: str
    target: str
    size: int = 0

    @property
    def copied(self) -> int:
        return self.size if self.source != self.target else 0


def broker_disks(node_id: int, answer: Mapping[str, Any], error_text: Mapping[int, str]) -> BrokerDisks:
    """Convert DescribeLogDirs' answer of one broker; `error_text`: possible error code -> its name."""
    return BrokerDisks(
        node_id,
        tuple(
            Disk(
                path=one["log_dir"],
                usable=one["usable_bytes"],
                total=one["total_bytes"],
                error=error_text.get(one["error_code"], f"error {one['error_code']}") if one["error_code"] else "",
                held=_replicas(one, future=False),
                coming=_replicas(one, future=True),
            )
            for one in sorted(answer["results"], key=lambda one: str(one["log_dir"]))
        ),
    )


def _replicas(directory: Mapping[str, Any], future: bool) -> dict[Name, int]:
    return {
        (topic["name"], one["partition_index"]): one["partition_size"]
        for topic in directory["topics"]
        for one in topic["partitions"]
        if bool(one["is_future_key"]) == future
    }
