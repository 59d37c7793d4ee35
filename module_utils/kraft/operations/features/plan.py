"""Features to finalise at another level, and nodes that prevent it. Pure.

A feature can be finalised only at a level that every *registered* node supports, a broker that was removed years ago
and never unregistered included. ``kraft.version`` goes in a separate request: with it a static quorum becomes a
dynamic one, for good. All other changes are one request: Kafka does all of it or nothing; so what depends on another
(``eligible.leader.replicas.version`` on ``metadata.version``) is judged with what that one will be.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Iterator, Mapping

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import Broker, Feature
from ansible.module_utils.kraft.problem import Problem

KRAFT_VERSION = "kraft.version"
#: Kafka's FeatureUpdate.UpgradeType. 3, the unsafe downgrade, loses metadata and is never asked for.
UPGRADE, SAFE_DOWNGRADE = 1, 2


@dataclasses.dataclass(frozen=True)
class Change:
    name: str
    before: int
    after: int

    @property
    def kind(self) -> int:
        return UPGRADE if self.after > self.before else SAFE_DOWNGRADE

    def __str__(self) -> str:
        return f"{'raise' if self.kind == UPGRADE else 'lower'} {self.name} {self.before} -> {self.after}"


def plan(wanted: Mapping[str, int], features: Iterable[Feature]) -> tuple[tuple[Change, ...], ...]:
    """Return requests in their order, each with its changes; empty if all is as wanted."""
    now = {one.name: one.level for one in features}
    changes = [Change(name, now.get(name, 0), level) for name, level in sorted(wanted.items())]
    due = [one for one in changes if one.before != one.after]
    together = tuple(one for one in due if one.name != KRAFT_VERSION)
    alone = tuple(one for one in due if one.name == KRAFT_VERSION)
    return tuple(batch for batch in (together, alone) if batch)


def feature_refusals(
    wanted: Mapping[str, int], supported: Mapping[int, Iterable[Feature]], allow_downgrade: bool = False
) -> list[Problem]:
    """Report problems before any request to Kafka. `supported`: broker -> its features, all alike in level."""
    found: list[Problem] = []
    for name, level in sorted(wanted.items()):
        ranges = {node_id: _named(features, name) for node_id, features in supported.items()}
        known = [one for one in ranges.values() if one]
        if not known:
            names = sorted({one.name for features in supported.values() for one in features})
            found.append(_unknown(name, names))
            continue
        current = max(one.level for one in known)
        if level < current and not allow_downgrade:
            found.append(_down(name, level, current))
        found += [] if level == current else _held_back(name, level, ranges)
    return found


def _named(features: Iterable[Feature], name: str) -> Feature | None:
    return next((one for one in features if one.name == name), None)


def _unknown(name: str, names: list[str]) -> Problem:
    near = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Problem("unknown_feature", f"This release has no such feature{hint}", f"use one of {', '.join(names)}", name)


def _down(name: str, level: int, current: int) -> Problem:
    text = f"The feature is finalised at {current}, and the requested level is {level}"
    remedy = "keep this level, or set allow_downgrade: true; Kafka refuses if metadata would be lost"
    return Problem("downgrade", text, remedy, name)


def _held_back(name: str, level: int, ranges: Mapping[int, Feature | None]) -> Iterator[Problem]:
    """Report each broker that does not support `level`."""
    for node_id, one in sorted(ranges.items()):
        if one is None or not (one.minimum <= level <= one.maximum or level == 0):
            can = f"The broker supports {one.minimum} to {one.maximum}" if one else "The broker lacks the feature"
            remedy = "upgrade the broker first (playbooks/upgrade_cluster.yml)"
            yield Problem(
                "not_supported", f"{can}, and the requested level is {level}", remedy, name, f"broker {node_id}"
            )


def refused(changes: Iterable[Change], reason: str, brokers: Iterable[Broker]) -> list[Problem]:
    """Explain Kafka's refusal: its message, and every broker that cannot be queried because it is away."""
    asked = ", ".join(f"{one.name} {one.after}" for one in changes)
    found = [Problem("kafka_refuses", f"Kafka refuses {asked}: {reason}", "inspect the node that the message names")]
    away = sorted(one.node_id for one in brokers if one.fenced)
    if away:
        text = f"brokers {listed(away)} are registered but unavailable (fenced); each may prevent the change"
        remedy = "start it with the new release or, if it is lost, remove its registration (module kafka_registration)"
        found.append(Problem("away", text, remedy))
    return found
