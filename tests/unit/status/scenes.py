"""Clusters in the states that a status has to explain, for tests: three combined nodes unless said otherwise."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Claim, best_claims, leadership
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot
from ansible.module_utils.kraft.status.causes import Cause, causes
from ansible.module_utils.kraft.status.evidence import Evidence
from ansible.module_utils.kraft.status.model import Status
from ansible.module_utils.kraft.status.scene import Scene
from ansible.module_utils.kraft.status.view import status

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter

IDS = (1, 2, 3)
AWAY = "Connection timed out"
COMBINED = ("broker", "controller")


def heard(leader_id: int, epoch: int = 4, without: Collection[int] = (), ids: Sequence[int] = IDS) -> tuple[Claim, ...]:
    """Return a node's answers of all controllers, `without` those that do not answer it."""
    return tuple(Claim(one, error=AWAY) if one in without else Claim(one, leader_id, epoch) for one in ids)


def node(node_id: int, roles: tuple[str, ...] = COMBINED, **given: Any) -> Evidence:
    return Evidence(**{"host": f"kafka{node_id}", "node_id": node_id, "roles": roles, "claims": heard(1), **given})


def without(*down: int, isr_of: int = 3) -> Snapshot:
    """A cluster in which nodes are fenced, unheard of, and in no partition in sync."""
    left = [one for one in IDS if one not in down]
    orders = [partition(number, IDS, left, left[0] if left else NO_NODE) for number in range(isr_of)]
    voters = [voter(one, None if one in down else 0) for one in IDS]
    leader = quorum(left[0] if left else NO_NODE, *voters)
    return cluster(topic("orders", *orders), brokers=[broker(one, fenced=one in down) for one in IDS], leader=leader)


def explained(
    nodes: Mapping[int, Mapping[str, Any]] | None = None,
    snapshot: Snapshot | None = None,
    problems: Sequence[str] = ("problem",),
    roles: Mapping[int, tuple[str, ...]] | None = None,
    dynamic: bool = True,
) -> tuple[Cause, ...]:
    """The causes in a cluster whose `nodes` (id -> fields of Evidence) differ from those of a healthy one."""
    roles = roles or dict.fromkeys(IDS, COMBINED)
    made = [node(one, own, **(nodes or {}).get(one, {})) for one, own in roles.items()]
    controllers = frozenset(one.node_id for one in made if one.is_controller)
    listed = snapshot.quorum.voters if snapshot and snapshot.quorum else ()
    voters = (frozenset(one.node_id for one in listed) & controllers) or controllers
    brokers = frozenset(one.node_id for one in made if one.is_broker)
    led = leadership(best_claims({one.node_id: one.claims for one in made}, voters), voters)
    scene = Scene(made, led, snapshot, voters, controllers, brokers, dynamic)
    return causes(scene, problems, "-i inventories/mine")


def silent_quorum(snapshot: Snapshot) -> Snapshot:
    """The same, when the broker that was asked had no word about the quorum."""
    return dataclasses.replace(snapshot, quorum=None, unanswered={"quorum": "no answer"})


def sick_status() -> Status:
    """Return a cluster in which one node hangs and another's disk has another setting, with long names and commands."""
    names = {one: f"kafka{one}.a-long-domain-name.example.com" for one in IDS}
    about = {"name": "demo", "cluster_id": "bW9sZWN1bGUtY2x1c3Rlcg", "broker_ids": [*IDS], "controller_ids": [*IDS]}
    desired = {"cluster": about, "nodes": {name: {"node_id": one, "roles": COMBINED} for one, name in names.items()}}
    unmet = [{"name": "vm.max_map_count", "wanted": "262144", "value": "65530", "reason": "read-only here"}]
    looked = {
        "process": {
            "running": True,
            "actions": ["place"],
            "diff": [{"after": "put back as wanted: server.properties"}],
        },
        "kernel": {"unmet": unmet},
        "view": {"controllers": [dataclasses.asdict(one) for one in heard(1, without=[3])], "broker": None},
    }
    hosts = dict.fromkeys(names.values(), looked)
    hosts[names[3]] = {"kernel": {"unreachable": True, "msg": AWAY}, "view": None}
    return status(desired, hosts, {"snapshot": without(3, isr_of=74).to_dict()}, None, "-i inventories/mine")
