"""States of nodes during the migration from open listeners to secured ones, phase by phase. Pure.

The inventory states the end. Nodes run through ``open`` (both kinds of listeners; nodes still use the old ones),
``switch`` (nodes use the new ones; clients without a login may still do everything) and ``close`` (the end). Before
``close``, ``reopen`` goes back to ``open``, and ``leave`` to what ran at first. Each phase is one roll, in which nodes
of both kinds reach each other. Any other operation keeps the phase that the nodes are in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.kafka_terms import CLIENT, INTER_BROKER, PLAINTEXT
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.access import AUTHORIZER, access_settings
from ansible.module_utils.kraft.spec.desired.model import (
    CLOSE,
    LEAVE,
    OLD,
    OPEN,
    OPENED,
    REOPEN,
    SWITCH,
    Cluster,
    Listener,
    Node,
)

#: In their order: a run that goes forward takes no node back.
FORWARD = (OPEN, SWITCH, CLOSE)
BACK = (REOPEN, LEAVE)
KEEP = "keep"
SHOW = "show"  #: as ``keep``, of a look that changes nothing: what keeps nodes from a change is no matter then
PHASES = (*FORWARD, *BACK, KEEP, SHOW)
VARIABLE = "kafka_listeners"
#: Deployed state of a host, in the form of ``node.service.deployed``.
Deployed = Mapping[str, Any]


def applied(
    cluster: Cluster, asked: str, facts: Mapping[str, Mapping[str, Any] | None]
) -> tuple[Cluster, list[Problem]]:
    """Return `cluster`, the end, in the phase that is `asked`, and the obstacles to it.

    `facts`: host -> what ``kafka_host_info`` has found there; None if it has not looked.
    """
    deployed = {host: found["deployed"] for host, found in facts.items() if found}
    phase = asked
    if asked in (KEEP, SHOW):
        begun = [phase for phase in FORWARD if any(now["migration"] == phase for now in deployed.values())]
        if not begun:
            return cluster, []
        phase = begun[-1]
    found = [] if asked == SHOW else list(migration_refusals(cluster, phase, deployed))
    return in_phase(cluster, phase, deployed), found


def in_phase(cluster: Cluster, asked: str, deployed: Mapping[str, Deployed]) -> Cluster:
    """Return `cluster`, the end, in the phase that is `asked`. `deployed`: host -> its deployed state."""
    known = deployed_before(cluster, deployed)
    phase = phase_of(cluster, asked, deployed) if known else CLOSE
    nodes = list(cluster.nodes)
    if phase != CLOSE:
        nodes = [_node(node, phase, deployed[node.host]) if node in known else node for node in nodes]
    passed = tuple(_passed({reached(cluster, node, deployed[node.host]) for node in known}))
    return dataclasses.replace(cluster, nodes=tuple(nodes), migration=phase, migration_passed=passed)


def _passed(found: Collection[str]) -> Iterator[str]:
    """Yield the phases that every node has passed; ``reopen`` of the way back when no node uses the new listeners."""
    for at, phase in enumerate(FORWARD):
        if all(one in FORWARD[at:] for one in found):
            yield phase
    if all(one in ("", OPEN) for one in found):
        yield REOPEN


def phase_of(cluster: Cluster, asked: str, deployed: Mapping[str, Deployed]) -> str:
    """Return the phase that this run brings every node to: the `asked` one, or the furthest reached one."""
    found = [reached(cluster, node, deployed[node.host]) for node in deployed_before(cluster, deployed)]
    if asked in BACK:
        return LEAVE if asked == LEAVE or "" in found else OPEN
    return FORWARD[max(FORWARD.index(one) for one in (asked, *filter(None, found)))]


def reached(cluster: Cluster, node: Node, now: Deployed) -> str:
    """Return the phase of the running `node` of `cluster`, the end; empty if it has not begun."""
    running = {(one["name"], one["protocol"]) for one in now["listeners"]}
    if not {(one.name, one.protocol) for one in node.own_listeners} <= running:
        return ""
    if now["migration"]:
        return str(now["migration"])
    between = {one.purpose: one.name for one in node.own_listeners if one.purpose != CLIENT}
    used = {one["purpose"]: one["name"] for one in reversed(now["listeners"]) if one["purpose"] != CLIENT}
    judged = now["authorizer"] or not access_settings(cluster, node).get(AUTHORIZER)
    return CLOSE if used == between and judged else ""


def deployed_before(cluster: Cluster, deployed: Mapping[str, Deployed]) -> list[Node]:
    """Return the nodes on whose hosts something was deployed."""
    return [node for node in cluster.nodes if (deployed.get(node.host) or {}).get("listeners")]


def _node(node: Node, phase: str, now: Deployed) -> Node:
    opened = now["opened"] if now["migration"] else {one.name for one in node.own_listeners} - _names_now(now)
    new = tuple(
        dataclasses.replace(one, while_migrated=OPENED) if one.name in opened else one for one in node.listeners
    )
    old = tuple(old_listeners(node, now))
    if phase == LEAVE:
        new = tuple(one for one in new if not one.while_migrated)
    if phase != SWITCH:
        return dataclasses.replace(node, listeners=_known_first((*old, *new)))
    between = tuple(one for one in old if one.purpose != CLIENT)
    clients = tuple(one for one in old if one.purpose == CLIENT)
    return dataclasses.replace(node, listeners=_known_first((*clients, *new, *between)))


def _known_first(listeners: Iterable[Listener]) -> tuple[Listener, ...]:
    """Sort opened client listeners last: our own clients take the first one, and may have no user yet."""
    return tuple(sorted(listeners, key=lambda one: one.purpose == CLIENT and one.while_migrated == OPENED))


def _names_now(now: Deployed) -> set[str]:
    return {one["name"] for one in now["listeners"]}


def old_listeners(node: Node, now: Deployed) -> Iterator[Listener]:
    """Yield the listeners that run and that the end does not have, in the order in which they run."""
    staying = {one.name for one in node.own_listeners}
    for one in now["listeners"]:
        if one["name"] not in staying:
            bind, port = split(one["bind"])
            host, advertised = split(one["address"])
            purpose = INTER_BROKER if one["name"] == now["old_inter_broker"] else one["purpose"]
            yield Listener(one["name"], port, one["protocol"], purpose, bind, host, advertised, while_migrated=OLD)


def split(address: str) -> tuple[str, int]:
    """Split ``host:port`` or ``[host]:port``."""
    host, port = address.rsplit(":", 1)
    return host.strip("[]"), int(port)


def migration_refusals(cluster: Cluster, asked: str, deployed: Mapping[str, Deployed]) -> Iterator[Problem]:
    """Report obstacles on the way to `cluster`, the end; known before any node is touched."""
    known = deployed_before(cluster, deployed)
    for node in cluster.nodes if known else ():
        if node not in known:
            message = (
                "The host is not a node yet, or --limit excludes it: all nodes must change their listeners together"
            )
            remedy = "run without --limit; add nodes before the migration begins, or when it is over"
            yield Problem("migration_left_out", message, remedy, host=node.host)
    for node in known:
        yield from _names(node, deployed[node.host])
        yield from _ports(node, deployed[node.host])
        yield from _protocols(node, deployed[node.host])
    if asked in BACK and any(reached(cluster, node, deployed[node.host]) == CLOSE for node in known):
        message = "The old listeners are closed already, so the migration cannot be reverted"
        yield Problem("migration_closed", message, "leave the variable out", "kafka_migration_back")


def _names(node: Node, now: Deployed) -> Iterator[Problem]:
    runs = {one["name"]: one["protocol"] for one in now["listeners"]}
    for one in node.own_listeners:
        if runs.get(one.name, one.protocol) != one.protocol:
            message = (
                f"A running listener of this name uses {runs[one.name]}, and both must be open during the migration"
            )
            remedy = f"give the secured one a separate name and port, such as {one.name}_TLS"
            yield Problem("migration_name", message, remedy, f"{VARIABLE}[{one.name}].name", node.host, one.name)


def _ports(node: Node, now: Deployed) -> Iterator[Problem]:
    taken = {one.port: one.name for one in old_listeners(node, now)}
    for one in node.own_listeners:
        if one.port in taken:
            message = f"Listener {taken[one.port]} uses this port and stays open during the migration"
            remedy = "give the secured listener a separate port"
            yield Problem("migration_port", message, remedy, f"{VARIABLE}[{one.name}].port", node.host, one.port)


def _protocols(node: Node, now: Deployed) -> Iterator[Problem]:
    runs = {one["name"]: one["protocol"] for one in now["listeners"]}
    for one in old_listeners(node, now):
        if one.protocol != PLAINTEXT:
            message = (
                f"The running listener with {runs[one.name]} must stay: a migration closes PLAINTEXT listeners only"
            )
            remedy = "keep this listener in the inventory now, and remove it afterwards"
            yield Problem("migration_protocol", message, remedy, VARIABLE, node.host, one.name)
