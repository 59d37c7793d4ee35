"""Identity of the node that is deployed on a host, compared with the inventory. Pure.

Every operation checks this on every host that answered, before its first change. Swapped or copied addresses,
and hosts of another cluster, are found here whatever the cluster itself answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ansible.module_utils.kraft.node.certificate import NODES
from ansible.module_utils.kraft.node.identity import FOREIGN, OTHER_NODE, UNNAMED, Clash, Identity, as_node, clashes
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.node.storage.rules import directory_id_problems
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.cross_host import node_storage, same_machine
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject

ADDRESS = "ansible_host"
#: Beside the id of another cluster: the reports of the inventory's cluster are stored under its own name.
OTHER_NAME = "-e kafka_cluster_name=<new name> -e kafka_destroy=<new name>"
TAKE_OUT = "remove it from the group, or correct its ansible_host"
FIND_DISK = (
    "mount its disk, or correct its ansible_host; if the disk is lost, run playbooks/replace_node.yml,"
    " or leave the host out with --limit"
)


def check(subject: Subject) -> Iterator[Problem]:
    """Report nodes that the rules of storage do not see: deployed with other log dirs than the inventory's."""
    for host, facts in subject.seen:
        own, used = set(host.log_dirs), {one.path for one in identity(facts).disks if one.deployed}
        elsewhere = bool(used) and not own & used and not rejoins(host)
        for one in wrong(subject, host, facts):
            if one.path not in own and (one.kind != UNNAMED or elsewhere):
                yield explained(subject, host, one)


def judge(subject: Subject, leaving: Iterable[str] = (), ending: bool = False) -> Iterator[Problem]:
    """Check identities alone, for operations without further checks.

    `leaving`: names that the run removes. `ending`: whether it ends the cluster.
    """
    yield from same_machine(subject)
    for host, facts in subject.seen:
        found = wrong(subject, host, facts)
        yield from (explained(subject, host, one, ending) for one in found[:1])
        dirs = [LogDir.from_facts(dict(one)) for _, one in host.found()]
        yield from () if found else directory_id_problems(node_storage(subject.cluster, host), dirs)
        if host.name in leaving and identity(facts).empty:
            yield no_member(host)


def identity(facts: Facts) -> Identity:
    return Identity.from_facts(facts["identity"])


def has_kafka(seen: tuple[Host, Facts]) -> bool:
    """Check whether a node was deployed on an inspected host, or a process runs."""
    return identity(seen[1]).deployed or bool(seen[1]["service"]["pid"])


def rejoins(host: Host) -> bool:
    """Check whether an empty disk is expected."""
    return host.wanted.replaced or host.wanted.added


def wrong(subject: Subject, host: Host, facts: Facts) -> list[Clash]:
    """Return the differences of a host from its entry. A certificate of ours counts if no log dir has an identity."""
    found = list(clashes(identity(facts), subject.cluster["cluster_id"], host.node["node_id"]))
    return [one for one in found if one.kind != UNNAMED or not is_certified(subject, host, facts)]


def is_certified(subject: Subject, host: Host, facts: Facts) -> bool:
    owner = identity(facts).owner
    return owner == {"CN": host.name, "OU": NODES, "O": subject.cluster["name"]}


def explained(subject: Subject, host: Host, found: Clash, ending: bool = False) -> Problem:
    if found.kind == FOREIGN:
        message = f"The host belongs to cluster {found.cluster_id}{as_node(found.node_id)} ({found.path})"
        remedy = TAKE_OUT
        if ending:
            remedy += f"; to destroy that cluster, add -e kafka_cluster_id={found.cluster_id} {OTHER_NAME}"
        return Problem("foreign_host", message, remedy, ADDRESS, host.name, found.cluster_id)
    if found.kind == OTHER_NODE:
        return other_node(subject, host, found)
    return unnamed(subject, host)


def other_node(subject: Subject, host: Host, found: Clash) -> Problem:
    """Report a node of this cluster, under the name of another one or under a new number."""
    named = [one.name for one in subject.hosts if one.node["node_id"] == found.node_id]
    message = f"The disk ({found.path}) is that of node {found.node_id}, but the inventory says {host.node['node_id']}"
    if named:
        remedy = f"correct ansible_host of {host.name} and of {named[0]}, whose id is {found.node_id}"
        return Problem("swapped_host", message, remedy, ADDRESS, host.name, found.node_id)
    remedy = f"give it kafka_node_id: {found.node_id}, or correct its ansible_host"
    return Problem("renamed_host", message, remedy, "kafka_node_id", host.name, found.node_id)


def unnamed(subject: Subject, host: Host) -> Problem:
    """Report a deployed node without evidence that it is this cluster's."""
    found = identity(host.facts or {})
    owner = found.owner
    message = (
        f"The host has a Kafka node, but no log dir shows that it belongs to cluster {subject.cluster['cluster_id']}"
    )
    if owner.get("OU") == NODES and (owner.get("CN"), owner.get("O")) != (host.name, subject.cluster["name"]):
        message += f"; its certificate belongs to {owner.get('CN')} in cluster {owner.get('O')}"
    unread = [f"{one.path} cannot be read ({one.error})" for one in found.disks if one.error]
    message += "".join(f"; {each}" for each in unread)
    return Problem("unidentified_host", message, FIND_DISK, ADDRESS, host.name)


def no_member(host: Host) -> Problem:
    message = "The host is not a member of the cluster: nothing is deployed there"
    remedy = f"correct kafka_remove_nodes; if its machine was replaced by an empty one, add --limit '!{host.name}'"
    return Problem("no_member", message, remedy, "kafka_remove_nodes", host.name, host.name)
