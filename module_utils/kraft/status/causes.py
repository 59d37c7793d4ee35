"""Causes of an unhealthy cluster, each before its effects. Pure.

A node whose own host shows that it cannot work (it does not run, is stopped, does not answer, is cut off) is a cause.
Its other symptoms (fenced, behind, missing from partitions) are effects and are not reported again. Anything that no
such node explains comes after these, by itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence

from ansible.module_utils.kraft.cluster.health import caught_up, delay, listed
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE
from ansible.module_utils.kraft.status import effects, members
from ansible.module_utils.kraft.status.advice import Step, remove_obstacles, steps
from ansible.module_utils.kraft.status.effects import Effect, Replica
from ansible.module_utils.kraft.status.evidence import NOT_DEPLOYED, Evidence
from ansible.module_utils.kraft.status.scene import Finding, Scene

#: First the causes of everything else, last those without an effect yet.
ORDER = (
    "foreign_host",
    "no_host",
    "host_down",
    "leaving",
    "joining",
    "taken_out",
    "emptied",
    "not_deployed",
    "not_running",
    "process_stopped",
    "not_answering",
    "cut_off",
    "log_dir_offline",
    "no_leader",
    "out_of_date",
    "not_registered",
    "fenced",
    "not_voter",
    "behind",
    "replica_behind",
    "moving",
    "host_unreachable",
    "other",
)
#: Rules by which a voter does not count for the majority.
BROKEN = (
    *("no_host", "host_down", "emptied", "not_deployed", "not_running", "process_stopped", "not_answering", "cut_off"),
)
VOTELESS = (*BROKEN, "not_voter", "behind")
#: Rules by which a broker's replicas are missing.
REPLICALESS = (*BROKEN, "log_dir_offline", "not_registered", "fenced", "leaving", "joining", "taken_out")
NAMED = 5
NO_INVENTORY = "no inventory was named, so that of the demo counts: give yours with -i, or run `make demo`"


@dataclasses.dataclass(frozen=True)
class Cause:
    """``text`` says what is wrong and ``detail`` more of it, ``effects`` what follows, ``steps`` what to do next."""

    rule: str
    node_ids: tuple[int, ...]
    hosts: tuple[str, ...]
    text: str
    detail: str = ""
    effects: tuple[Effect, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def sentence(self) -> str:
        """Return the cause and its worst effect, without a full stop."""
        return f"{self.text}. Because of it {self.effects[0].text}" if self.effects else self.text


def causes(scene: Scene, problems: Sequence[str], inventory: str = "") -> tuple[Cause, ...]:
    """Return every cause, root causes first. `problems`: those of ``unhealthy_reasons`` that nothing else explains."""
    found = [*foreign(scene), *members.between(scene)]
    found += own(scene, {one.node_id for one in found})
    found += cut_off(scene, {one.node_id for one in found})
    broken = {one.node_id for one in found}
    found += [*of_quorum(scene, broken), *of_brokers(scene, broken), *unreachable(scene, broken)]
    partitions = effects.lacking(scene.snapshot)
    found += replicas({one.node_id for one in found if one.rule in REPLICALESS}, partitions)
    found = found or [Finding("other", NO_NODE, problem) for problem in problems]
    voteless = {one.node_id for one in found if one.rule in VOTELESS}
    made = [_cause(scene, group, partitions, voteless, inventory) for group in _grouped(found)]
    return tuple(sorted(made, key=lambda one: (ORDER.index(one.rule), one.node_ids)))


def foreign(scene: Scene) -> Iterator[Finding]:
    """Report hosts whose node is another one: their data are not about the node of that name."""
    for node in scene.nodes:
        if node.foreign:
            yield Finding("foreign_host", node.node_id, "{}: the host is another node's", node.foreign)


def own(scene: Scene, explained: Collection[int] = ()) -> Iterator[Finding]:
    """Report nodes that cannot work, by their own hosts' data."""
    if all(node.unreached and not scene.heard(node) for node in scene.nodes):
        reason = next((node.unreached for node in scene.nodes), "")
        yield from (Finding("no_host", node.node_id, "{}: no host answers", reason) for node in scene.nodes)
        return
    for node in scene.nodes:
        if node.node_id in explained:
            continue
        if node.unreached and not scene.heard(node):
            yield Finding("host_down", node.node_id, "{}: neither ssh nor Kafka answers", node.unreached)
        elif node.down and node.lived is False and _is_member(scene, node):
            detail = "the cluster has this node as a member: its machine or its disks are new, or not mounted"
            lacks = "no Kafka and no data" if node.down == NOT_DEPLOYED else "no data"
            yield Finding("emptied", node.node_id, f"{{}}: the host has {lacks}", detail)
        elif node.down == NOT_DEPLOYED:
            detail = "it was not deployed yet, or it was destroyed"
            yield Finding("not_deployed", node.node_id, "{}: the host has no Kafka", detail)
        elif node.down:
            detail = "; ".join([*(one.message for one in node.obstacles), node.down])
            yield Finding("not_running", node.node_id, "Kafka on {} does not run", detail, node.obstacles)
        elif node.stopped:
            detail = "it accepts connections but does not respond"
            yield Finding("process_stopped", node.node_id, "Kafka on {} is stopped by a signal (SIGSTOP)", detail)
        elif node.silent:
            yield Finding("not_answering", node.node_id, "Kafka on {} runs and does not answer", node.silent[0])


def _is_member(scene: Scene, node: Evidence) -> bool:
    return node.node_id in scene.registered or node.node_id in (scene.listed or ())


def cut_off(scene: Scene, broken: Collection[int]) -> Iterator[Finding]:
    """Report nodes between which the network blocks all traffic, by the fewest nodes that explain it."""
    alive = {one.node_id for node in scene.nodes for one in node.claims if one.answered} - set(broken)
    lost = {
        (node.node_id, claim.node_id)
        for node in scene.nodes
        if node.node_id not in broken
        for claim in node.claims
        if claim.error and claim.node_id in alive and claim.node_id != node.node_id
    }
    while lost:
        node_id = _most_lost(lost, scene.leadership.leader_id)
        out, back = {b for a, b in lost if a == node_id}, {a for a, b in lost if b == node_id}
        words = [f"it does not reach {_controllers(out)}"] if out else []
        words += [f"its controller is not reached from {_nodes(back)}"] if back else []
        yield Finding("cut_off", node_id, "{} is cut off by the network", ", and ".join(words))
        lost = {pair for pair in lost if node_id not in pair}


def _most_lost(lost: Collection[tuple[int, int]], leader_id: int) -> int:
    """Return the node in most of the broken connections; of equals not the leader."""
    ends = [end for pair in lost for end in pair]
    return max(set(ends), key=lambda one: (ends.count(one), one != leader_id, -one))


def of_quorum(scene: Scene, broken: Collection[int]) -> Iterator[Finding]:
    """Report problems among controllers that work."""
    led, working = scene.leadership, scene.voters - set(broken)
    if not led.known and led.others and len(working) >= led.needed:
        said = "; ".join(one.sentence() for one in led.others)
        text = f"no controller leads, although {len(working)} of {len(scene.voters)} work"
        yield Finding("no_leader", NO_NODE, text, said)
    for claim in led.others if led.known else ():
        if claim.node_id not in broken:
            detail = f"{claim.sentence()}; the majority follows controller {led.leader_id} (epoch {led.epoch})"
            yield Finding("out_of_date", claim.node_id, "{}: its controller does not follow the majority", detail)
    quorum = scene.snapshot.quorum if scene.snapshot else None
    if quorum is None or quorum.leader_id == NO_NODE:
        return
    there = {voter.node_id for voter in quorum.voters}
    for node_id in sorted(scene.controllers - set(broken) - there):
        yield Finding("not_voter", node_id, f"{{}}: the controller is not a voter (voters: {listed(there)})")
    for voter in quorum.voters:
        if voter.node_id in working and not caught_up(voter):
            yield Finding("behind", voter.node_id, f"{{}}: the controller {delay(voter)}")


def of_brokers(scene: Scene, broken: Collection[int]) -> Iterator[Finding]:
    """Report problems of brokers that are not known to be down. A host outside of the limit was not inspected."""
    if scene.snapshot is None:
        return
    working = scene.brokers - set(broken)
    registered = {broker.node_id for broker in scene.snapshot.brokers}
    for node_id in sorted(working - registered):
        yield Finding("not_registered", node_id, "{}: the broker is not registered")
    for node_id in sorted(working & registered - scene.snapshot.unfenced):
        yield Finding("fenced", node_id, "{}: the broker runs and is fenced (registered, not serving)")
    for directory in scene.snapshot.log_dirs or ():
        if directory.error and directory.node_id in working:
            text = f"{{}}: log directory {directory.path} does not work"
            yield Finding("log_dir_offline", directory.node_id, text, directory.error)


def replicas(explained: Collection[int], partitions: Collection[Replica]) -> Iterator[Finding]:
    """Report replicas that are not in sync although their broker serves, and moving partitions."""
    open_ones = [one for one in partitions if one.missing and not _explained(one, explained)]
    for node_id in sorted({node_id for one in open_ones for node_id in one.missing - set(explained)}):
        yield Finding("replica_behind", node_id, "{}: the broker serves, and some of its replicas are not in sync")
    moving = sum(bool(one.moving) for one in partitions)
    if moving:
        yield Finding("moving", NO_NODE, f"{effects.counted(moving)} being moved and not in sync yet")


def _explained(one: Replica, explained: Collection[int]) -> bool:
    """Check whether the lack of a leader has its cause already: then the replicas elsewhere can do nothing."""
    return one.partition.leader == NO_NODE and bool(one.missing & set(explained))


def unreachable(scene: Scene, broken: Collection[int]) -> Iterator[Finding]:
    """Report hosts that Ansible cannot reach although their Kafka works."""
    for node in scene.nodes:
        if node.unreached and node.node_id not in broken:
            text = "{}: Ansible cannot reach the host; its Kafka answers the others"
            yield Finding("host_unreachable", node.node_id, text, node.unreached)


def _grouped(found: Sequence[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for one in found:
        groups.setdefault((one.rule, one.text, one.detail), []).append(one)
    return list(groups.values())


def _cause(
    scene: Scene, group: Sequence[Finding], partitions: Collection[Replica], voteless: Collection[int], inventory: str
) -> Cause:
    rule, node_ids = group[0].rule, tuple(one.node_id for one in group if one.node_id != NO_NODE)
    names = {node.node_id: node for node in scene.nodes}
    hosts = tuple(names[node_id].host for node_id in node_ids if node_id in names)
    follows: list[Effect] = []
    if rule in REPLICALESS or rule == "replica_behind":
        follows += effects.of_partitions(node_ids, partitions)
    if rule in VOTELESS:
        follows += effects.of_controllers(node_ids, scene.voters, voteless)
    follows.sort(key=lambda one: effects.WORST_FIRST.index(one.rule))
    text = group[0].text.replace("{}", _names(node_ids, names), 1)
    asked = hosts or (tuple(one.host for one in scene.nodes if one.is_controller) if rule == "no_leader" else ())
    todo = (*remove_obstacles(group[0].obstacles, hosts, inventory), *steps(rule, asked, inventory))
    detail = NO_INVENTORY if rule == "no_host" and not inventory else group[0].detail
    return Cause(rule, node_ids, hosts, text, detail, tuple(follows), todo)


def _names(node_ids: Sequence[int], names: Mapping[int, Evidence]) -> str:
    words = [names[one].name if one in names else f"broker {one} (in no inventory)" for one in node_ids]
    if len(words) > NAMED:
        return f"{', '.join(words[:NAMED])} and {len(words) - NAMED} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _controllers(ids: Collection[int]) -> str:
    return f"controller{'' if len(ids) == 1 else 's'} {listed(ids)}"


def _nodes(ids: Collection[int]) -> str:
    return f"node{'' if len(ids) == 1 else 's'} {listed(ids)}"
