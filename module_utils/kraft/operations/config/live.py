"""Decision which differences a running cluster takes without a restart. Pure: desired and described state in.

In the end the file counts. An override bridges the time until the node's next start, when the file has the same
value; then it is taken away. So overrides stay few, and a restarted node has the inventory's values.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.node.service.client_moves import Move
from ansible.module_utils.kraft.operations.config.plan import Change, change
from ansible.module_utils.kraft.operations.config.settings import (
    ALL_BROKERS,
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    STATIC,
    Entity,
    Setting,
    Settings,
    broker,
    same,
)

#: Settings that controllers use, too: they read the cluster's default, not a broker's override. With eligible leader
#: replicas Kafka refuses an override of min.insync.replicas for one broker, and the files no longer count for it.
SHARED = ("min.insync.replicas", "unclean.leader.election.enable")
ASIDE = (DYNAMIC_BROKER, DYNAMIC_DEFAULT)


@dataclasses.dataclass(frozen=True)
class Node:
    """A node and what the inventory wants of it. ``wanted``: the settings that Kafka could change live; None for one
    that the inventory no longer names. ``differences``: why it would be restarted. ``serves``: it is a broker."""

    host: str
    node_id: int
    serves: bool
    wanted: Mapping[str, str | None]
    differences: tuple[Difference, ...] = ()
    moves: tuple[Move, ...] = ()

    @property
    def entity(self) -> Entity:
        return broker(self.node_id)


@dataclasses.dataclass(frozen=True)
class Decision:
    """``changes``: of overrides. ``settled``: host -> keys that need no restart once the changes are made."""

    changes: tuple[Change, ...]
    settled: Mapping[str, frozenset[str]]

    def restarts(self, node: Node) -> tuple[Difference, ...]:
        """Return the differences of a node that need a restart."""
        keys = self.settled.get(node.host, frozenset())
        return tuple(one for one in node.differences if one.setting not in keys)


def counts(setting: Setting, value: str) -> bool:
    """Check whether a setting has the value, in Kafka's notation or as it was given."""
    first = setting.layers[0].value if setting.layers else None
    return same(setting.value, value) or same(first, value)


def goal(key: str, setting: Setting, wanted: str | None) -> str | None:
    """Return the value that must count; None if no override must be left, because the node's own file has none.

    Raises LookupError if only a restart can bring it about.
    """
    static = setting.layer(STATIC)
    if wanted is not None or static is None or static.key != key:
        return wanted
    default = setting.layer(DEFAULT)
    if default is None or default.key != key or default.value is None:
        raise LookupError(key)
    return default.value


def override(entity: Entity, key: str, setting: Setting, wanted: str | None) -> Change | None:
    """Return the change of an entity's override that makes `wanted` count; None if nothing is to be done.

    Raises LookupError if only a restart can bring it about.
    """
    if setting.read_only or setting.secret:
        raise LookupError(key)
    value, own = goal(key, setting, wanted), setting.layer(entity.source)
    needless = same(setting.beneath(entity.source, key), value)
    if value is None or needless:
        return change(entity, key, None, setting) if own else None
    if counts(setting, value):
        return None
    return change(entity, key, value, setting)


def decide(nodes: Sequence[Node], described: Mapping[Entity, Settings]) -> Decision:
    """Decide. `described`: settings of the brokers that answered; other nodes are left to a restart.

    A node that is restarted for another reason gets no new override: its file has the value at the next start.
    """
    shared = _shared(nodes, described)
    changes = [one for made in shared.values() for one in made]
    settled: dict[str, frozenset[str]] = {}
    for node in nodes:
        own = _own(node, described.get(node.entity, {}), frozenset(shared))
        settled[node.host] = frozenset((*shared, *own))
        if Decision((), settled).restarts(node):
            own = {key: one for key, one in own.items() if one is None or one.before is not None}
            settled[node.host] = frozenset((*shared, *own))
        changes += [one for one in own.values() if one]
    return Decision(tuple(changes), settled)


def _own(node: Node, settings: Settings, besides: frozenset[str]) -> dict[str, Change | None]:
    """Return key -> change, or None if it is as wanted; keys that only a restart can change are absent."""
    out: dict[str, Change | None] = {}
    for key, wanted in node.wanted.items():
        if key in settings and key not in besides and node.serves:
            with contextlib.suppress(LookupError):
                out[key] = override(node.entity, key, settings[key], wanted)
    return out


def _shared(nodes: Sequence[Node], described: Mapping[Entity, Settings]) -> dict[str, list[Change]]:
    """Return key -> changes of shared settings; not if nodes want different values, or no broker answered."""
    out = {}
    for key in SHARED:
        wanted = {node.wanted[key] for node in nodes if node.serves and key in node.wanted}
        found = {entity: settings[key] for entity, settings in described.items() if key in settings}
        if len(wanted) == 1 and found:
            with contextlib.suppress(LookupError):
                out[key] = list(_share(key, found, wanted.pop()))
    return out


def _share(key: str, found: Mapping[Entity, Setting], wanted: str | None) -> Iterator[Change]:
    """Set the default of all brokers, and remove brokers' separate overrides. A desired default is never removed:
    while eligible leader replicas are on, Kafka refuses that."""
    first = next(iter(found.values()))
    value = goal(key, first, wanted)
    late = next((one for one in found.values() if not same(one.value, value)), None)
    if value is None and first.layer(DYNAMIC_DEFAULT):
        yield change(ALL_BROKERS, key, None, first)
    elif value is not None and late:
        yield change(ALL_BROKERS, key, value, late)
    for entity, setting in found.items():
        if setting.layer(DYNAMIC_BROKER):
            yield change(entity, key, None, setting)


def undeclared(nodes: Iterable[Node], described: Mapping[Entity, Settings]) -> list[tuple[Entity, str, Setting]]:
    """Return overrides of brokers that the inventory does not name, and that were not set here."""
    return [
        (node.entity, key, setting)
        for node in nodes
        for key, setting in sorted(described.get(node.entity, {}).items())
        if setting.layers and setting.layers[0].source in ASIDE and key not in node.wanted
    ]
