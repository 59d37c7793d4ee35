"""Check that a cluster can run another release, by its finalised features. Pure; control side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.releases import levels

METADATA_VERSION = "metadata.version"
WHERE = "kafka_version"


def upgrade_refusals(version: str, features: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Report obstacles to a roll of the nodes to `version`. `features`: those of a snapshot (``name``, ``level``)."""
    known = {release: found[METADATA_VERSION] for release, found in levels().items()}
    series = re.match(r"\d+\.\d+", version)
    now = next((one["level"] for one in features if one["name"] == METADATA_VERSION), 0)
    if series is None or series.group() not in known:
        text = f"The features of Kafka {version} are unknown; known releases: {', '.join(known)}"
        return [Problem("release_unknown", text, "use one of them", WHERE, value=version)]
    newest = known[series.group()]
    finalised = next((release for release, level in known.items() if level >= now), "a newer one")
    if now > newest:
        text = f"Kafka {version} reads {METADATA_VERSION} up to {newest}, and {now} ({finalised}) is finalised"
        return [Problem("finalised_newer", text, f"use {finalised} or newer", WHERE, value=version)]
    oldest = min(known.values())
    if now < oldest:
        text = f"{METADATA_VERSION} {now} is finalised, and Kafka {version} reads none below {oldest}"
        remedy = "upgrade to 3.9 first, and finalise it"
        return [Problem("finalised_older", text, remedy, WHERE, value=version)]
    return []
