"""Absent nodes: hosts that were not examined, and nodes that join or leave the cluster. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.cluster.snapshot import NO_NODE
from ansible.module_utils.kraft.control.connection import explain
from ansible.module_utils.kraft.control.connection import remedy as remedy_of
from ansible.module_utils.kraft.node.identity import REMOVED
from ansible.module_utils.kraft.node.run_lock.lock import explained
from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC
from ansible.module_utils.kraft.spec.host_rules.disk import NOTHING, replace
from ansible.module_utils.kraft.spec.host_rules.renamed import has_new_node_id
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject

ADD = "playbooks/add_nodes.yml -e kafka_add_nodes"
REMOVE = "playbooks/remove_nodes.yml -e kafka_remove_nodes"


def check(subject: Subject) -> Iterator[Problem]:
    yield from missing(subject)
    yield from removed(subject)
    yield from joining(subject)
    yield from undeployed(subject)


def missing(subject: Subject) -> Iterator[Problem]:
    """Report nodes that were not inspected. No controller is left out: the quorum changes as a whole or not at all."""
    for host in subject.hosts:
        if host.facts is not None:
            continue
        if host.in_run:
            yield unreachable(host, is_member(subject, host))
        elif host.is_controller:
            message = "The controller is excluded from this run (--limit)"
            remedy = "run without --limit: on nodes that need no change a run changes nothing"
            yield Problem("controller_left_out", message, remedy, host=host.name)
        elif host.wanted.named:
            message = "The operation names this host, but the run excludes it (--limit)"
            yield Problem("named_left_out", message, "run without --limit, or do not name the host", host=host.name)
        else:
            message = "The host is excluded from this run (--limit): it is neither validated nor changed"
            yield Problem("broker_left_out", message, "run without --limit", host=host.name, severity=WARNING)


def is_member(subject: Subject, host: Host) -> bool:
    """Check whether the running cluster has the node. If it does not report its members, each node counts as one."""
    quorum = subject.snapshot.quorum if subject.snapshot else None
    if subject.snapshot is None or quorum is None:
        return any(running(facts) for _, facts in subject.seen)
    there = {*(one.node_id for one in subject.snapshot.brokers), *(one.node_id for one in quorum.voters)}
    return host.node["node_id"] in there


def unreachable(host: Host, member: bool) -> Problem:
    """Report a host of the run that was not inspected, with the reason if it is known.

    `member`: of a cluster that runs. Then it cannot simply leave the inventory.
    """
    if host.holder:
        return Problem("host_locked", *explained(host.holder), host=host.name)
    cause = explain(host.silence)
    if cause:
        message, remedy = (
            f"The host could not be inspected: {cause.message}",
            remedy_of(cause, host.target or host.name),
        )
        return Problem(cause.rule, message, remedy, host=host.name)
    said = f": {last_line(host.silence)}" if host.silence else ""
    remedy = "bring the host up, or remove it from the inventory's group if it is lost"
    if member:
        out = f"{REMOVE}={host.name} --limit '!{host.name}'"
        remedy = f"bring the host up; if its machine is lost, {replace(host)} on a new one, or {out}"
    return Problem("unreachable_host", f"The host could not be inspected{said}", remedy, host=host.name)


def last_line(text: str) -> str:
    """Return the line in which ssh reports the cause."""
    return text.removeprefix("Task failed: ").strip().splitlines()[-1].rstrip(".")


def removed(subject: Subject) -> Iterator[Problem]:
    """Refuse a node that was emptied and taken out, but is still in the inventory."""
    for host, facts in subject.seen:
        if not facts.get("removed") or host.wanted.added:
            continue
        if running(facts) or (subject.snapshot and is_member(subject, host)):
            message = "The removal of this node by remove_nodes.yml has not finished"
            yield Problem("removed_node", message, f"run {REMOVE}={host.name} to finish", host=host.name)
        else:
            message = "The node was removed from its cluster by remove_nodes.yml"
            remedy = f"remove it from the inventory, or add it again with {ADD}={host.name}"
            remedy += f"; if this is another cluster, delete {facts['paths']['install_dir']['path']}/{REMOVED}"
            yield Problem("removed_node", message, remedy, host=host.name)


def joining(subject: Subject) -> Iterator[Problem]:
    """Refuse a controller that a running dynamic quorum lacks: a deployment would start it and wait for a voter.

    One that is registered and has empty disks has lost them: `cross_host.storage` reports the remedy. While a lost
    node is replaced nothing is refused, since the addition could not go on without that node.
    """
    replaces = any(host.wanted.replaced for host in subject.hosts)
    for host, facts in subject.seen:
        lost = is_empty(host) and is_member(subject, host)
        if joins(subject, host) and not lost and not facts.get("removed"):
            message = f"Controller {host.node['node_id']} is not a voter of the running quorum: a deployment adds none"
            remedy, severity = f"run {ADD}={host.name}", WARNING if replaces else ERROR
            yield Problem("joining_node", message, remedy, host=host.name, severity=severity)


def undeployed(subject: Subject) -> Iterator[Problem]:
    """Refuse hosts without Kafka in a run that installs nothing: it would restart others, and wait for these.

    Nodes that join, left or lost their disks have other remedies.
    """
    for host, facts in () if subject.installs else subject.seen:
        if facts["current_release"] is not None or running(facts) or facts.get("removed"):
            continue
        if not joins(subject, host) and not is_member(subject, host):
            yield without_kafka(host, to_join=subject.snapshot is not None and not host.is_controller)


def without_kafka(host: Host, to_join: bool = False) -> Problem:
    """Refuse a host without Kafka. `to_join`: a broker that is to join a running cluster."""
    message = "The host has no Kafka: it was not deployed yet, or it was destroyed"
    deploys = f"{ADD}={host.name}, which makes it a member" if to_join else "site.yml, which deploys it"
    remedy = f"run {deploys}, or remove it from the inventory's group"
    return Problem("not_deployed", message, remedy, host=host.name)


def is_new(subject: Subject, host: Host) -> bool:
    """Check for a joining node with empty disks that is no member: the run that adds it validates its storage."""
    return is_empty(host) and joins(subject, host) and not is_member(subject, host)


def is_empty(host: Host) -> bool:
    return all(found["state"] in NOTHING for _, found in host.found())


def joins(subject: Subject, host: Host) -> bool:
    """Check whether only `add_nodes.yml` makes a controller a voter. Unknown without a leader: False."""
    quorum = subject.snapshot.quorum if subject.snapshot else None
    if subject.cluster["quorum"] != DYNAMIC or not host.is_controller or not quorum or quorum.leader_id == NO_NODE:
        return False
    expected = host.wanted.added or host.wanted.replaced or has_new_node_id(subject, host)
    return not expected and host.node["node_id"] not in {voter.node_id for voter in quorum.voters}


def running(facts: Facts | None) -> int:
    return int(facts["service"]["pid"]) if facts else 0
