"""Which overrides were set here, so that they can be told from those that somebody else has set.

The note says who owns an override, never what it is: that is asked of Kafka. It is written before the override is set.
Lost, it costs nothing but that a left-over of ours is shown as somebody else's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import BROKER

#: Name of a broker entity ('' for all brokers) -> keys.
Claims = Mapping[str, frozenset[str]]


def read(text: str) -> dict[str, frozenset[str]]:
    """A note's claims; none of a note that is not there or cannot be read."""
    try:
        data = json.loads(text or "{}")
        return {str(name): frozenset(map(str, keys)) for name, keys in data.items()}
    except (ValueError, AttributeError, TypeError):
        return {}


def text_of(claims: Claims) -> str:
    return json.dumps({name: sorted(claims[name]) for name in sorted(claims) if claims[name]}, indent=1) + "\n"


def with_set(claims: Claims, changes: Iterable[Change]) -> dict[str, frozenset[str]]:
    """What is noted before the changes are made."""
    out = dict(claims)
    for one in changes:
        if one.entity.kind == BROKER and one.after is not None:
            out[one.entity.name] = out.get(one.entity.name, frozenset()) | {one.key}
    return out


def without_removed(claims: Claims, changes: Iterable[Change]) -> dict[str, frozenset[str]]:
    """What is noted after the changes were made."""
    out = dict(claims)
    for one in changes:
        if one.entity.kind == BROKER and one.after is None:
            out[one.entity.name] = out.get(one.entity.name, frozenset()) - {one.key}
    return out


def forgotten(claims: Claims, node_id: int, wanted: Mapping[str, str | None]) -> dict[str, str | None]:
    """`wanted` of a node, and None for each key that was claimed and is no longer named."""
    claimed = claims.get(str(node_id), frozenset()) | claims.get("", frozenset())
    return {**dict.fromkeys(claimed - set(wanted)), **wanted}
