"""Overrides that were set here, to distinguish them from those of other tools.

A file on a host, the override state, lists our overrides, but never their values: Kafka has those. It is written
before the override is set. If it is lost, an override that was set here is shown as foreign.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import BROKER

#: Name of a broker entity ('' for all brokers) -> keys.
ManagedOverrides = Mapping[str, frozenset[str]]


def read(text: str) -> dict[str, frozenset[str]]:
    """Read the overrides in the file; none if the file is missing or cannot be read."""
    try:
        data = json.loads(text or "{}")
        return {str(name): frozenset(map(str, keys)) for name, keys in data.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def text_of(overrides: ManagedOverrides) -> str:
    return json.dumps({name: sorted(overrides[name]) for name in sorted(overrides) if overrides[name]}, indent=1) + "\n"


def with_set(overrides: ManagedOverrides, changes: Iterable[Change]) -> dict[str, frozenset[str]]:
    """Return the override state to write before the changes are made."""
    out = dict(overrides)
    for one in changes:
        if one.entity.kind == BROKER and one.after is not None:
            out[one.entity.name] = out.get(one.entity.name, frozenset()) | {one.key}
    return out


def without_removed(overrides: ManagedOverrides, changes: Iterable[Change]) -> dict[str, frozenset[str]]:
    """Return the override state to write after the changes were made."""
    out = dict(overrides)
    for one in changes:
        if one.entity.kind == BROKER and one.after is None:
            out[one.entity.name] = out.get(one.entity.name, frozenset()) - {one.key}
    return out


def forgotten(overrides: ManagedOverrides, node_id: int, wanted: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return `wanted` of a node, and None for each key that was set here and is no longer named."""
    ours = overrides.get(str(node_id), frozenset()) | overrides.get("", frozenset())
    return {**dict.fromkeys(ours - set(wanted)), **wanted}
