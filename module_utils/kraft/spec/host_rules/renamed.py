"""Hosts with new names: the disk and the certificate identify the node. Pure.

A node is its id, and the id is on its disk; the inventory's name is not. A host with a new name and a new number is
not one node removed and another added. With the cluster's own certificates a name counts, since nodes identify one
another by it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.node.storage.log_dir import FORMATTED, INTERRUPTED
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Host, Subject


def check(subject: Subject) -> Iterator[Problem]:
    yield from changed_node_ids(subject)
    yield from changed_certificates(subject)
    yield from changed_owners(subject)


def disk_id(subject: Subject, host: Host) -> int:
    """Return the node id of a host: that of its disk, if this is of the cluster and of no other host."""
    if (host.facts or {}).get("removed"):  # what it was, it is no more
        return int(host.node["node_id"])
    others = {other.node["node_id"] for other in subject.hosts if other.name != host.name}
    for path, found in host.found():
        known = found["state"] in (FORMATTED, INTERRUPTED) and found["cluster_id"] == subject.cluster["cluster_id"]
        if known and found["node_id"] is not None and not host.pending(path, found) and found["node_id"] not in others:
            return int(found["node_id"])
    return int(host.node["node_id"])


def has_new_node_id(subject: Subject, host: Host) -> bool:
    return disk_id(subject, host) != int(host.node["node_id"])


def changed_node_ids(subject: Subject) -> Iterator[Problem]:
    """Report the disk of a node that the inventory lacks, on a host that would be a new one."""
    for host in subject.hosts:
        if has_new_node_id(subject, host):
            known = disk_id(subject, host)
            message = (
                f"The host is node {known} under another name, according to its disk, and no other host has that id"
            )
            remedy = (
                f"give it kafka_node_id: {known}; it is then the same node, and nothing is moved."
                " A new node needs an empty disk, and playbooks/add_nodes.yml"
            )
            yield Problem("renamed_host", message, remedy, "kafka_node_id", host.name, host.node["node_id"])


def changed_certificates(subject: Subject) -> Iterator[Problem]:
    """Report a certificate with the old name: with an authorizer running nodes admit only that name."""
    for host, facts in subject.seen:
        old = (facts.get("steps", {}).get("certificate") or {}).get("issued_to") or host.name
        if old == host.name:
            continue
        message = f"The host is {old} under another name, according to its certificate"
        if any(each["deployed"]["authorizer"] for _, each in subject.seen):
            message += f", and running nodes would refuse it as CN={host.name} until all of them have restarted"
            remedy = (
                f"restore the name {old}."
                f" Otherwise remove {old} (playbooks/remove_nodes.yml), and add {host.name} with an empty disk"
            )
            yield Problem("renamed_principal", message, remedy, "inventory_hostname", host.name, host.name)
        else:
            remedy = "nothing is to be done: it gets a certificate with the new name, and restarts in its turn"
            yield Problem("renamed_certificate", message, remedy, "inventory_hostname", host.name, severity=WARNING)


def changed_owners(subject: Subject) -> Iterator[Problem]:
    """Report an operator's certificate with another owner than before: running nodes admit only the old one."""
    if not any(each["service"]["pid"] and each["deployed"]["authorizer"] for _, each in subject.seen):
        return
    for host, facts in subject.seen:
        before, after = (facts.get("steps", {}).get("certificate") or {}).get("owners") or ("", "")
        if before != after:
            message = f"Running nodes know this node as {before}, and would refuse the name in its new certificate"
            remedy = "ask your authority for a certificate with the subject of before; or stop all nodes, and run again"
            yield Problem("renamed_principal", message, remedy, "kafka_tls.directory", host.name, after)
