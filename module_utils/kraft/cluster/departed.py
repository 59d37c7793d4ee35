"""Controllers that left a cluster and are still registered. Pure.

A controller that was removed stays registered with the features that it supported (KIP-919), and Kafka finalises none
beyond them. From ``metadata.version`` 33 (4.4) on its registration can be removed (KIP-1312). Below, only a newer
registration under its id lets the feature be finalised.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping

from ansible.module_utils.kraft.cluster.health import caught_up, delay
from ansible.module_utils.kraft.cluster.shutdown_check import silent
from ansible.module_utils.kraft.cluster.snapshot import Feature, Snapshot
from ansible.module_utils.kraft.errors import UnreachableError

METADATA_VERSION = "metadata.version"
UNREGISTERS = 33  #: first level of METADATA_VERSION at which a controller can be unregistered
#: Kafka's refusal of a level that a registered controller does not support.
HOLDS_BACK = re.compile(r"Controller (\d+) only supports")


@dataclasses.dataclass(frozen=True)
class Registered:
    """A registered controller, with the address of its listener."""

    node_id: int
    host: str
    port: int


def departed(registered: Iterable[Registered], snapshot: Snapshot, members: Collection[int]) -> tuple[Registered, ...]:
    """Return those that are neither voters nor among `members`, the controllers of the inventory."""
    voters = {one.node_id for one in snapshot.quorum.voters} if snapshot.quorum else set()
    return tuple(one for one in registered if one.node_id not in voters | set(members))


def running(node_ids: Collection[int], snapshot: Snapshot) -> tuple[str, ...]:
    """Return why controllers have not left: they are voters, or observers of the metadata log. Brokers are, too."""
    quorum, brokers = snapshot.quorum, {one.node_id for one in snapshot.brokers}
    voters = {one.node_id for one in quorum.voters} if quorum else set()
    alive = {one.node_id for one in quorum.observers if caught_up(one)} - brokers if quorum else set()
    words = [f"controller {one} is a voter" for one in sorted(voters & set(node_ids))]
    return (*words, *(f"controller {one} runs (as an observer)" for one in sorted(alive & set(node_ids) - voters)))


def doubtful(node_ids: Collection[int], snapshot: Snapshot) -> tuple[str, ...]:
    """Return why it is not known whether controllers have left: observers that are late, and not silent for long."""
    quorum, brokers = snapshot.quorum, {one.node_id for one in snapshot.brokers}
    late = [
        one
        for one in (quorum.observers if quorum else ())
        if one.last_fetch_ms >= 0 and quorum and not (caught_up(one) or silent(one, quorum))
    ]
    asked = set(node_ids) - brokers
    return tuple(f"controller {one.node_id} {delay(one)} and may still run" for one in late if one.node_id in asked)


def unregisters(level: int) -> bool:
    """Check that Kafka removes registrations of controllers at a `level` of METADATA_VERSION."""
    return level >= UNREGISTERS


def level_of(features: Iterable[Feature] | None) -> int | None:
    """Return the finalised METADATA_VERSION; None if it is unknown. Every cluster has one, so 0 is none."""
    return next((one.level for one in features or () if one.name == METADATA_VERSION), 0) or None


def known_level(snapshot: Snapshot) -> int:
    """Return the finalised METADATA_VERSION. Raises UnreachableError while it is unknown."""
    if (level := level_of(snapshot.features)) is None:
        raise UnreachableError(f"the level of {METADATA_VERSION} is not known")
    return level


def held_back_by(reason: str, found: Iterable[Registered]) -> bool:
    """Check that Kafka's refusal names a controller that left."""
    named = HOLDS_BACK.search(reason)
    return named is not None and int(named[1]) in {one.node_id for one in found}


def common(supported: Mapping[int, Iterable[Feature]]) -> tuple[Feature, ...]:
    """Return the ranges that every node supports. `supported`: node id -> its features."""
    ranges: dict[str, list[Feature]] = {}
    for features in supported.values():
        for one in features:
            ranges.setdefault(one.name, []).append(one)
    return tuple(
        Feature(name, found[0].level, max(one.minimum for one in found), min(one.maximum for one in found))
        for name, found in sorted(ranges.items())
        if len(found) == len(supported)
    )
