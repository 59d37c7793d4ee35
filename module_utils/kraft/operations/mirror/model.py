"""Both sides of a copy as values: topics with their ends, sizes and settings, and where groups are."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from ansible.module_utils.kraft.wording import named

SOME = 6


@dataclasses.dataclass(frozen=True)
class Topic:
    """``partitions``: number -> (first offset, end). ``size``: bytes of its leaders.

    ``config``: its own settings. ``effective``: these and what its brokers give it.
    ``older``: records of the source that this cluster would delete by its own retention; None if unknown.
    """

    partitions: Mapping[int, tuple[int, int]]
    config: Mapping[str, str] = dataclasses.field(default_factory=dict)
    size: int = 0
    effective: Mapping[str, str] = dataclasses.field(default_factory=dict)
    older: int | None = 0

    @property
    def holds_records(self) -> bool:
        return any(end > start for start, end in self.partitions.values())

    @property
    def records(self) -> int:
        return sum(end - start for start, end in self.partitions.values())


@dataclasses.dataclass(frozen=True)
class Source:
    """``committed``: group -> (topic, partition) -> the offset that it reads next.

    ``missing``: rights that the login lacks, in words. ``old``: whether it is older than Kafka 2.1.
    ``left_topics``, ``left_groups``: what is asked for and cannot be copied -> why.
    ``ids``: of topics, since Kafka 2.8. ``changed``: topics whose copy cannot go on -> why.
    ``gone``: topics that were copied and are on the source no more.
    """

    cluster_id: str
    topics: Mapping[str, Topic]
    groups: tuple[str, ...] = ()
    committed: Mapping[str, Mapping[tuple[str, int], int]] = dataclasses.field(default_factory=dict)
    missing: tuple[str, ...] = ()
    old: bool = False
    left_topics: Mapping[str, str] = dataclasses.field(default_factory=dict)
    left_groups: Mapping[str, str] = dataclasses.field(default_factory=dict)
    ids: Mapping[str, str] = dataclasses.field(default_factory=dict)
    changed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    gone: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Target:
    """``copied``: topics that a mirror from this source has written. ``free``: broker -> its free bytes.

    ``brokers``: their number. ``defaults``: known setting of topics -> value for a new topic.
    """

    cluster_id: str
    topics: Mapping[str, Topic]
    copied: frozenset[str] = frozenset()
    committed: Mapping[str, Mapping[tuple[str, int], int]] = dataclasses.field(default_factory=dict)
    free: Mapping[int, int] = dataclasses.field(default_factory=dict)
    brokers: int = 1
    defaults: Mapping[str, str | None] = dataclasses.field(default_factory=dict)


def few(names: Collection[str], most: int) -> str:
    """Format names as a list for people: some of them, or all if `most` is 0."""
    return named(names, SOME if most else len(names))


def megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"
