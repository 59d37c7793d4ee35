"""A cluster's status as one value, from what was asked of it and of its hosts. Pure; whatever is missing is said."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.gate import judge
from ansible.module_utils.kraft.cluster.health import caught_up, expected, problems
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot, from_dict
from ansible.module_utils.kraft.status.drift import node_drift, strangers, unread

SILENT = "not known: the cluster does not answer"


@dataclasses.dataclass(frozen=True)
class Node:
    """``state``: what the cluster says of it; ``may_go``: whether it may go down now, and ``reasons`` why not."""

    host: str
    node_id: int
    roles: tuple[str, ...]
    state: str
    leads: bool
    may_go: bool | None
    reasons: tuple[str, ...]
    drift: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Status:
    """``problems``: what is wrong with the cluster; ``drift``: strangers and overrides; ``counts``: label -> figure."""

    name: str
    cluster_id: str
    leader: str
    problems: tuple[str, ...]
    nodes: tuple[Node, ...]
    drift: tuple[str, ...]
    counts: Mapping[str, str]

    @property
    def healthy(self) -> bool:
        return not self.problems

    @property
    def drifted(self) -> bool:
        return bool(self.drift or any(node.drift for node in self.nodes))

    @property
    def good(self) -> bool:
        return self.healthy and not self.drifted

    @property
    def headline(self) -> str:
        """One sentence that can stand alone."""
        health = "healthy" if self.healthy else f"NOT HEALTHY ({_number(self.problems, 'problem')})"
        found = [*self.drift, *(text for node in self.nodes for text in node.drift)]
        drift = f"{_number(found, 'difference')} from the inventory" if found else "as the inventory says"
        return f"Cluster {self.name}: {health}, {drift}."


def _number(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def status(
    desired: Mapping[str, Any],
    hosts: Mapping[str, Mapping[str, Any]],
    cluster: Mapping[str, Any] | None,
    live: Mapping[str, Any] | None,
) -> Status:
    """`desired`: ``kafka_desired``'s fact. `hosts`: host -> what its tasks registered (``drift.node_drift``).

    `cluster`: the result of ``kafka_cluster_info``, `live` that of ``kafka_change_plan``; None or failed: no answer.
    """
    about = desired["cluster"]
    silent = unread(cluster)
    snapshot = None if silent else from_dict((cluster or {})["snapshot"])
    live = {} if unread(live) else live or {}
    overrides = (*live.get("differs", ()), *live.get("undeclared", ()))
    found = problems(snapshot, _expected(about)) if snapshot else (f"no node answers: {silent}",)
    settled = live.get("settled") or {}
    nodes = [
        _node(host, node, snapshot, node_drift(hosts.get(host, {}), settled.get(host, ())))
        for host, node in sorted(desired["nodes"].items(), key=lambda item: item[1]["node_id"])
    ]
    return Status(
        name=about["name"],
        cluster_id=snapshot.cluster_id if snapshot else about["cluster_id"],
        leader=_leader(snapshot, desired),
        problems=found,
        nodes=tuple(nodes),
        drift=(*strangers(snapshot, about), *(f"live: {text}" for text in overrides)),
        counts=_counts(snapshot),
    )


def _expected(about: Mapping[str, Any]) -> Any:
    ids = {"broker_ids": about["broker_ids"], "voter_ids": about["controller_ids"]}
    return expected({"cluster_id": about["cluster_id"], **ids})


def _leader(snapshot: Snapshot | None, desired: Mapping[str, Any]) -> str:
    if snapshot is None or snapshot.quorum is None:
        return SILENT if snapshot is None else "not known: the controllers do not answer"
    if snapshot.controller_id == NO_NODE:
        return "none"
    names = {node["node_id"]: host for host, node in desired["nodes"].items()}
    name = names.get(snapshot.controller_id, "unknown to the inventory")
    return f"{name} (node {snapshot.controller_id}), epoch {snapshot.quorum.leader_epoch}"


def _counts(snapshot: Snapshot | None) -> dict[str, str]:
    if snapshot is None:
        return {}
    partitions = [one for topic in snapshot.topics or () for one in topic.partitions]
    return {
        "Brokers": f"{len(snapshot.unfenced)} of {len(snapshot.brokers)} serve",
        "Partitions": f"{len(partitions)} in {len(snapshot.topics or ())} topics",
        "Behind": f"{sum(one.under_replicated for one in partitions)} partitions",
        "Without leader": f"{sum(one.leader == NO_NODE for one in partitions)} partitions",
        "On the move": f"{len(snapshot.reassignments or ())} partitions",
    }


def _node(host: str, node: Mapping[str, Any], snapshot: Snapshot | None, drift: Sequence[str]) -> Node:
    node_id = node["node_id"]
    verdict = judge(snapshot, [node_id]) if snapshot else None
    return Node(
        host=host,
        node_id=node_id,
        roles=tuple(node["roles"]),
        state=_state(node_id, node["roles"], snapshot),
        leads=bool(snapshot and snapshot.controller_id == node_id),
        may_go=verdict.allows() if verdict else None,
        reasons=verdict.sentences() if verdict else (),
        drift=tuple(drift),
    )


def _state(node_id: int, roles: Sequence[str], snapshot: Snapshot | None) -> str:
    """Whether a node does what it is there for, in words."""
    if snapshot is None:
        return "unknown"
    words = []
    if "broker" in roles:
        there = {broker.node_id for broker in snapshot.brokers}
        serves = node_id in snapshot.unfenced
        words.append("serves" if serves else "fenced" if node_id in there else "not registered")
    if "controller" in roles and snapshot.quorum:
        voter = next((one for one in snapshot.quorum.voters if one.node_id == node_id), None)
        if voter is None:
            words.append("no voter")
        elif node_id == snapshot.controller_id:
            words.append("leads")
        else:
            words.append("follows" if caught_up(voter) else "behind")
    return ", ".join(words) or "unknown"
