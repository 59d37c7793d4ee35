"""From what was asked of a cluster and of its hosts to its status. Pure; whatever is missing is said."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.health import caught_up, expected, unhealthy_reasons
from ansible.module_utils.kraft.cluster.lags import from_dict as lags_from_dict
from ansible.module_utils.kraft.cluster.leadership import Leadership, best_claims, leadership
from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot, from_dict, quorum_from_dict
from ansible.module_utils.kraft.node.machine.ungranted import ungranted
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC
from ansible.module_utils.kraft.status.advice import correct
from ansible.module_utils.kraft.status.causes import Cause, causes
from ansible.module_utils.kraft.status.certificates import certificates, ending, first_to_end
from ansible.module_utils.kraft.status.cluster_figures import cluster_figures
from ansible.module_utils.kraft.status.departed import departures
from ansible.module_utils.kraft.status.drift import node_drift, uncompared, unknown_nodes, unread_settings
from ansible.module_utils.kraft.status.evidence import NOT_DEPLOYED, Evidence, evidence, foreign, unread
from ansible.module_utils.kraft.status.figures import by_broker, figures
from ansible.module_utils.kraft.status.finalization import not_finalized
from ansible.module_utils.kraft.status.model import Node, Status
from ansible.module_utils.kraft.status.scene import Scene
from ansible.module_utils.kraft.status.unfinished import notes, unfinished
from ansible.module_utils.kraft.wording import counted

NAMED = 3  #: topics that are said
#: State of a node while a cause holds for it, by the cause's rule.
STATES = {
    "no_host": "host away",
    "host_down": "host away",
    "foreign_host": "another node's host",
    "leaving": "leaving",
    "joining": "joining",
    "taken_out": "taken out",
    "emptied": "without data",
    "not_deployed": "not deployed",
    "not_running": "does not run",
    "process_stopped": "stopped (SIGSTOP)",
    "not_answering": "does not answer",
    "cut_off": "cut off",
}


def status(
    desired: Mapping[str, Any],
    hosts: Mapping[str, Mapping[str, Any]],
    cluster: Mapping[str, Any] | None,
    live: Mapping[str, Any] | None,
    inventory: str = "",
) -> Status:
    """Return the status. `desired`: a fact. `hosts`: host -> registered results (``evidence``, ``node_drift``).

    Results of ``kafka_cluster_info`` and ``kafka_change_plan``, None or failed: no answer. `inventory`: its options.
    """
    about = desired["cluster"]
    own = _own(desired, hosts)
    snapshot = None if unread(cluster) else _with_quorum(from_dict((cluster or {})["snapshot"]), own)
    scene, silence = _scene(desired, hosts, snapshot), _silence(cluster, desired, hosts)
    hosts = {host: results for host, results in hosts.items() if host not in scene.foreign}
    found = unhealthy_reasons(snapshot, _expected(about)) if snapshot else (silence,)
    why = causes(scene, found, inventory)
    led = scene.leadership.without([one for cause in why if cause.rule == "cut_off" for one in cause.node_ids])
    settings = {} if unread(live) else live or {}
    left = departures([results.get("view") for results in own], snapshot, about, inventory)
    nodes = _compared(_nodes(scene, led, why, hosts), scene, desired, hosts, settings)
    return Status(
        name=about["name"],
        cluster_id=snapshot.cluster_id if snapshot else about["cluster_id"],
        leader=_leader(led, scene.nodes),
        leadership=led,
        causes=why,
        problems=found,
        nodes=nodes,
        drift=_drift(snapshot, about, settings),
        uncompared=unread_settings(live) if snapshot else (),
        ungranted=ungranted({node.host: hosts.get(node.host, {}) for node in nodes}, desired["nodes"]),
        corrections=correct(any(one.drift for one in nodes), bool(settings.get("differs")), inventory),
        counts={**_counts(snapshot), **_certificates(hosts)},
        unfinished=(*unfinished(scene.nodes, snapshot, about, settings, inventory), *left.unfinished),
        notes=(*notes(scene.nodes), *not_finalized(scene.nodes, snapshot, inventory), *left.notes),
        figures=cluster_figures(snapshot, lags_from_dict((cluster or {}).get("lag")), found[0] if not snapshot else ""),
    )


def _own(desired: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the results of hosts that have nothing of another cluster."""
    cluster_id = desired["cluster"]["cluster_id"]
    return [results for host, results in hosts.items() if not foreign(desired["nodes"][host], results, cluster_id)]


def _nodes(scene: Scene, led: Leadership, why: Collection[Cause], hosts: Mapping[str, Mapping[str, Any]]) -> list[Node]:
    """Return the nodes with their figures."""
    made: list[Node] = []
    cluster = by_broker(scene.snapshot)
    for one in scene.nodes:
        found = figures(one, hosts.get(one.host, {}), cluster, certificates(hosts.get(one.host, {})))
        made.append(dataclasses.replace(_node(one, scene.snapshot, led, why), figures=found))
    return made


def _scene(desired: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]], snapshot: Snapshot | None) -> Scene:
    """Return the facts in which the causes are found."""
    about = desired["cluster"]
    looked = [evidence(host, node, hosts.get(host, {}), about["cluster_id"]) for host, node in _by_id(desired)]
    voters = _voters(snapshot, about)
    led = leadership(best_claims({one.node_id: one.claims for one in looked}, voters), voters)
    wanted = frozenset(about["controller_ids"]), frozenset(about["broker_ids"])
    return Scene(looked, _led(led, snapshot), snapshot, voters, *wanted, about.get("quorum") == DYNAMIC)


def _drift(snapshot: Snapshot | None, about: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[str, ...]:
    """Return differences that are no single host's."""
    overrides = (*live.get("differs", ()), *live.get("undeclared", ()))
    return (*unknown_nodes(snapshot, about), *(f"live: {text}" for text in overrides))


def _by_id(desired: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(desired["nodes"].items(), key=lambda item: item[1]["node_id"])


def _with_quorum(snapshot: Snapshot, hosts: Collection[Mapping[str, Any]]) -> Snapshot:
    """Return the snapshot with the quorum of its leader's own host, if the queried broker had no answer."""
    given = [view["quorum"] for host in hosts if (view := host.get("view") or {}).get("quorum")]
    if snapshot.quorum is not None or not given:
        return snapshot
    newest = max((quorum_from_dict(one) for one in given), key=lambda one: one.leader_epoch)
    rest = {part: reason for part, reason in snapshot.unanswered.items() if part != "quorum"}
    return dataclasses.replace(snapshot, quorum=newest, unanswered=rest)


def _voters(snapshot: Snapshot | None, about: Mapping[str, Any]) -> frozenset[int]:
    """Return the nodes that count for a majority: the voters in the leader's list, else the inventory's controllers."""
    if snapshot and snapshot.quorum and snapshot.quorum.voters:
        return frozenset(voter.node_id for voter in snapshot.quorum.voters)
    return frozenset(about["controller_ids"])


def _led(led: Leadership, snapshot: Snapshot | None) -> Leadership:
    """Return the leader by the controllers' own reports; without any, by the broker's."""
    quorum = snapshot.quorum if snapshot else None
    if led.known or led.others or quorum is None or quorum.leader_id == NO_NODE:
        return led
    return dataclasses.replace(led, leader_id=quorum.leader_id, epoch=quorum.leader_epoch)


def _silence(
    cluster: Mapping[str, Any] | None, desired: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]]
) -> str:
    """Return why there is no snapshot. A broker that was not asked may serve."""
    if cluster and not cluster.get("skipped"):
        return f"no broker answers: {unread(cluster)}"
    brokers = [host for host, node in desired["nodes"].items() if "broker" in node["roles"]]
    asked = [host for host in brokers if not unread(hosts.get(host, {}).get("view"))]
    unasked = [host for host in brokers if host not in asked]
    return f"no broker answers; not asked: {', '.join(unasked)}" if unasked else "no broker answers"


def _expected(about: Mapping[str, Any]) -> Any:
    ids = {"broker_ids": about["broker_ids"], "voter_ids": about["controller_ids"]}
    return expected({"cluster_id": about["cluster_id"], **ids})


def _leader(led: Leadership, nodes: Sequence[Evidence]) -> str:
    names = {node.node_id: node.name for node in nodes}
    return names.get(led.leader_id, f"node {led.leader_id}, unknown to the inventory") if led.known else ""


def _counts(snapshot: Snapshot | None) -> dict[str, str]:
    if snapshot is None:
        return {}
    partitions = [one for topic in snapshot.topics or () for one in topic.partitions]
    return {
        "Brokers": f"{len(snapshot.unfenced)} of {len(snapshot.brokers)} serve",
        "Partitions": f"{len(partitions)} in {counted(len(snapshot.topics or ()), 'topic')}",
        "Behind": f"{sum(one.under_replicated for one in partitions)} partitions",
        "Without leader": f"{sum(one.leader == NO_NODE for one in partitions)} partitions",
        "On the move": f"{len(snapshot.reassignments or ())} partitions",
    }


def _node(node: Evidence, snapshot: Snapshot | None, led: Leadership, why: Collection[Cause]) -> Node:
    verdict = judge(snapshot, [node.node_id]) if snapshot else None
    held = [one.rule for one in why if one.rule in STATES and node.node_id in one.node_ids]
    down = bool(held) and held[0] != "cut_off"
    reasons = (*way_out(snapshot, node.node_id), *verdict.sentences()) if snapshot and verdict and not down else ()
    return Node(
        host=node.host,
        node_id=node.node_id,
        roles=node.roles,
        state=STATES[held[0]] if held else _state(node, snapshot, led),
        leads=led.leader_id == node.node_id,
        may_go=verdict.allows() if verdict and not down else None,
        reasons=reasons if led.known or not reasons else ("no controller leads", *reasons),
    )


def way_out(snapshot: Snapshot, node_id: int) -> tuple[str, ...]:
    """Describe how to stop a node that only topics with a single replica keep from it; nothing for another one."""
    single = [
        topic.name for topic in snapshot.topics or () if any(one.replicas == (node_id,) for one in topic.partitions)
    ]
    rest = tuple(topic for topic in snapshot.topics or () if topic.name not in single)
    if not single or not judge(dataclasses.replace(snapshot, topics=rest), [node_id]).allows():
        return ()
    named = ", ".join(single[:NAMED]) + (f" and {len(single) - NAMED} more" if len(single) > NAMED else "")
    return (f"only topics with one replica hold it back ({named}): raise their replication_factor in kafka_topics",)


def _certificates(hosts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return first_to_end({host: certificates(results) for host, results in hosts.items()})


def _compared(
    nodes: Sequence[Node],
    scene: Scene,
    desired: Mapping[str, Any],
    hosts: Mapping[str, Mapping[str, Any]],
    live: Mapping[str, Any],
) -> tuple[Node, ...]:
    """Return the nodes, compared with `desired` if they have Kafka."""
    bare = {one.host for one in scene.nodes if one.down == NOT_DEPLOYED}
    bare |= {node.host for node in nodes if node.state == STATES["taken_out"]}
    return tuple(node if node.host in bare else _compare(node, desired, hosts, live) for node in nodes)


def _compare(
    node: Node, desired: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]], live: Mapping[str, Any]
) -> Node:
    """Return the node with its differences from `desired`, and its certificates."""
    results = hosts.get(node.host, {})
    settled, shown = (live.get("settled") or {}).get(node.host, ()), certificates(results)
    drift = (*node_drift(results, settled), *ending(shown, desired["nodes"][node.host]))
    return dataclasses.replace(node, drift=drift, uncompared=tuple(uncompared(results)), certificates=shown)


def _state(node: Evidence, snapshot: Snapshot | None, led: Leadership) -> str:
    """Describe whether a node does its work."""
    if snapshot is None:
        return "unknown"
    words = []
    if node.is_broker:
        there = {broker.node_id for broker in snapshot.brokers}
        serves = node.node_id in snapshot.unfenced
        words.append("serves" if serves else "fenced" if node.node_id in there else "not registered")
    if node.is_controller and not led.known:
        words.append("no leader")
    elif node.is_controller and snapshot.quorum:
        voter = next((one for one in snapshot.quorum.voters if one.node_id == node.node_id), None)
        if voter is None:
            words.append("no voter")
        elif node.node_id == led.leader_id:
            words.append("leads")
        else:
            words.append("follows" if caught_up(voter) else "behind")
    return ", ".join(words) or "unknown"
