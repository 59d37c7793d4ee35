"""Clients that a change of a node's listeners affects. Pure.

A client may use a broker's address that the broker no longer advertises. After a restart it finds the broker only if
another one still answers at a known address. So the operator must inform the clients first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

Properties = Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Move:
    """A client listener and its former address; ``after`` is empty if the listener is removed."""

    listener: str
    before: str
    after: str


def client_moves(before: Properties, after: Properties) -> tuple[Move, ...]:
    """Return every client listener of `before` that advertises another address or protocol in `after`, or none.

    Source of the advertised address: ``advertised.listeners``, else ``listeners`` (Kafka's own rule).
    """
    old, new = advertised(before), advertised(after)
    own = not_for_clients(before)
    return tuple(
        Move(name, where, new.get(name, ""))
        for name, where in old.items()
        if name not in own and new.get(name) != where
    )


def advertised(properties: Properties) -> dict[str, str]:
    """Return listener -> ``host:port protocol``."""
    text = properties.get("advertised.listeners") or properties.get("listeners") or ""
    protocols = dict(one.split(":", 1) for one in parts(properties, "listener.security.protocol.map") if ":" in one)
    found = (one.split("://", 1) for one in text.split(",") if "://" in one)
    return {name.strip(): f"{where.strip()} {protocols.get(name.strip(), name.strip())}" for name, where in found}


def not_for_clients(properties: Properties) -> frozenset[str]:
    """Return listeners that only nodes use."""
    inter_broker = properties.get("inter.broker.listener.name", "")
    return frozenset((*parts(properties, "controller.listener.names"), inter_broker))


def parts(properties: Properties, key: str) -> list[str]:
    return [one.strip() for one in properties.get(key, "").split(",") if one.strip()]


def move_lines(moves: Mapping[int, Iterable[Move]]) -> list[str]:
    """Return the plan's lines about clients; `moves`: node id -> its moves."""
    return [line(node_id, move) for node_id, found in sorted(moves.items()) for move in found]


def line(node_id: int, move: Move) -> str:
    if move.after:
        return f"of {move.listener} must move: node {node_id}, {move.before} -> {move.after}"
    return f"of {move.listener} must use another listener: node {node_id} gives up {move.before}"
