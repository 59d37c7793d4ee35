"""Lag of the groups of a cluster, as values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class GroupLag:
    """``lag``: records in all ``partitions`` with known offset and end; ``state``: Kafka's own word."""

    name: str
    state: str
    lag: int
    partitions: int


@dataclasses.dataclass(frozen=True)
class Lags:
    """``groups``: the largest lag first, a few of those that were ``asked`` among all that are ``listed``.

    ``unanswered``: messages about failed requests.
    """

    groups: tuple[GroupLag, ...]
    listed: int
    asked: int
    unanswered: tuple[str, ...]


def from_dict(data: Mapping[str, Any] | None) -> Lags | None:
    """Parse the result of ``dataclasses.asdict``; None stays None."""
    if not data:
        return None
    groups = tuple(GroupLag(**one) for one in data["groups"])
    return Lags(groups, data["listed"], data["asked"], tuple(data["unanswered"]))
