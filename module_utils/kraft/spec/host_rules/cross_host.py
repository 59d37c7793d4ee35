"""Problems that show only across all hosts: identities, and disks that may be formatted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.node.storage.log_dir import FORMATTED, LogDir
from ansible.module_utils.kraft.node.storage.plan import plan_storage
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC, STATIC
from ansible.module_utils.kraft.spec.host_rules.presence import is_new, running
from ansible.module_utils.kraft.spec.host_rules.renamed import has_new_node_id
from ansible.module_utils.kraft.spec.host_rules.subject import Host, Subject

MIGRATION = "playbooks/migrate_quorum.yml with quorum_form in kafka_accepted_risks"
MIGRATE = f", or make it dynamic permanently: {MIGRATION}"
ACCEPT_OLDER = ", list release_older in kafka_accepted_risks"


def check(subject: Subject) -> Iterator[Problem]:
    yield from same_machine(subject)
    yield from storage(subject)
    yield from ways_back(subject)
    yield from protocols(subject)
    yield from authorities(subject)
    yield from keys(subject)


def same_machine(subject: Subject) -> Iterator[Problem]:
    """Report two names of one machine: the second node would overwrite the first."""
    places: dict[str, str] = {}
    for host, facts in subject.seen:
        other = places.setdefault(facts["place"], host.name) if facts["place"] else host.name
        if other != host.name:
            message = f"The host and {other} are the same machine ({facts['hostname']})"
            remedy = "give each node a separate machine, and check ansible_host of both"
            yield Problem("same_machine", message, remedy, "ansible_host", host.name, facts["hostname"])


def storage(subject: Subject) -> Iterator[Problem]:
    """Report the refusals of `kafka_storage`, for all hosts at once. Disks that are mounted later are validated later.

    The disks of a node that joins are validated by the run that adds it.
    """
    peers = [peer(host) for host in subject.hosts]
    for host, _ in subject.seen:
        dirs = [LogDir.from_facts(dict(found)) for _, found in host.found()]
        told = has_new_node_id(subject, host) or is_new(subject, host)
        if len(dirs) == len(host.log_dirs) and not told:  # that is said by itself
            yield from plan_storage(node_storage(subject.cluster, host), dirs, peers).problems


def ways_back(subject: Subject) -> Iterator[Problem]:
    """Report changes that a node with data cannot make by its configuration alone."""
    wanted, form = subject.cluster["version"], subject.cluster["quorum"]
    for host, facts in subject.seen:
        if not any(found["state"] == FORMATTED for _, found in host.found()):
            continue
        running = facts["current_release"] or ""
        if facts["quorum"] not in (None, form):
            message = f"The node has a {facts['quorum']} quorum, but the inventory says {form}: it would find no voter"
            remedy = f"give kafka_quorum: {facts['quorum']}"
            remedy += MIGRATE if form == DYNAMIC else "; a dynamic quorum does not become static again"
            if form == DYNAMIC and is_dynamic(subject):
                remedy = f"the quorum is dynamic already: Finish its migration: {MIGRATION}"
            yield Problem("quorum_form", message, remedy, "kafka_quorum", host.name, form)
        if series(wanted) < series(running):
            message = (
                f"The version is older than the node's {running}: it cannot read features that {running} has finalized"
            )
            remedy = f"give kafka_version: {running}; while metadata.version is still that of {wanted}"
            yield Problem("release_older", message, remedy + ACCEPT_OLDER, "kafka_version", host.name, wanted)


def is_dynamic(subject: Subject) -> bool:
    """Check whether the quorum lists directory ids, or a node has no list of voters any more: this is irreversible."""
    listed = subject.snapshot.quorum.voters if subject.snapshot and subject.snapshot.quorum else ()
    return any(one.directory_id for one in listed) or any(facts["quorum"] == DYNAMIC for _, facts in subject.seen)


def protocols(subject: Subject) -> Iterator[Problem]:
    """Report a changed protocol between nodes: running nodes could not reach a restarted one."""
    if not any(running(facts) for _, facts in subject.seen):
        return
    for host, facts in subject.seen:
        deployed = facts["deployed"]["listeners"]
        now = {each["purpose"]: each["protocol"] for each in reversed(deployed) if each["purpose"] != CLIENT}
        is_open = {(each["name"], each["protocol"]) for each in deployed}
        used = {each["purpose"]: each for each in reversed(host.node["listeners"])}
        for each in used.values():
            runs = now.get(each["purpose"], each["protocol"])
            if runs != each["protocol"] and (each["name"], each["protocol"]) not in is_open:
                message = (
                    f"The listener uses {runs} now: running nodes could not reach a node that uses {each['protocol']}"
                )
                remedy = f"keep {runs}, or let playbooks/migrate_security.yml open the new listener beside the old one"
                where = f"kafka_listeners[{each['name']}].protocol"
                yield Problem("protocol_changes", message, remedy, where, host.name, each["protocol"])


def authorities(subject: Subject) -> Iterator[Problem]:
    """Report a certificate of a new authority: running nodes, which trust the old one, would refuse it."""
    if not any(running(facts) for _, facts in subject.seen):
        return
    for host, facts in subject.seen:
        if (facts.get("steps", {}).get("certificate") or {}).get("foreign"):
            message = "This node trusts another authority: running nodes refuse certificates of this one"
            remedy = "restore the authority's directory from its backup, or stop all nodes and run again"
            where = host.node["certificate"]["authority"]
            if host.node["certificate"].get("given"):
                remedy = (
                    "deploy nodes.pem with the old root and the new one first, and certificates of the new one then"
                )
            yield Problem("foreign_authority", message, remedy, "kafka_tls.directory", host.name, where)


def keys(subject: Subject) -> Iterator[Problem]:
    """Compare a private key on the host with the certificate that the host gets."""
    for host, facts in subject.seen:
        if fault := (facts.get("steps", {}).get("certificate") or {}).get("key_fault"):
            remedy = "put the key of this node's certificate there, readable only by root (and a separate group)"
            where = host.node["certificate"]["host_key"]
            yield Problem("certificate_key", fault, remedy, "kafka_tls.key_on_host", host.name, where)


def series(version: str) -> tuple[int, ...]:
    """Return major and minor number of a release; releases of one series read each other's metadata."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def node_storage(cluster: Mapping[str, Any], host: Host) -> NodeStorage:
    """Return a node's desired storage, in the form of `kafka_storage`."""
    return NodeStorage(
        host=host.name,
        node_id=host.node["node_id"],
        cluster_id=cluster["cluster_id"],
        roles=tuple(host.node["roles"]),
        log_dirs=host.log_dirs,
        metadata_log_dir=host.node["metadata_log_dir"],
        quorum=cluster["quorum"],
        directory_id=host.node["directory_id"] or "",
        initial_controllers=cluster["initial_controllers"] or "",
        rejoins=host.wanted.replaced or host.wanted.added,
        was_static=(host.facts or {}).get("quorum") == STATIC,
    )


def peer(host: Host) -> Peer:
    """Return a node for the others' storage plans. Data on a disk that is not mounted yet count as known here."""
    return Peer(host.name, host.node["node_id"], host.facts is not None, lived(host))


def lived(host: Host) -> tuple[str, ...]:
    """Return the signs that a node was started: its files on the disks, and its process."""
    names = [f"{path}/{name}" for path, found in host.found() for name in found["lived"][:1]]
    pid = running(host.facts)
    return (*names, *((f"process {pid}",) if pid else ()))


def peers_for_storage(subject: Subject, predict: bool = False) -> list[dict[str, Any]]:
    """Return `kafka_storage`'s ``peers``. A node with a disk that is still to be mounted is unknown until then.

    `predict`: in check mode nothing will be mounted, and the prediction assumes an empty disk.
    """
    return [
        {
            "host": host.name,
            "node_id": host.node["node_id"],
            "known": host.facts is not None and (predict or not awaits_disk(host)),
            "lived": list(lived(host)),
        }
        for host in subject.hosts
    ]


def awaits_disk(host: Host) -> bool:
    """Check whether a log dir is on a disk that role kafka_host is still to mount."""
    return any(host.pending(path, found) for path, found in host.found())
