"""Cluster id, node ids, directory ids: given once, unique, of a form that Kafka keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.identity import WELL_KNOWN_CLUSTER_IDS, directory_id_problem, id_problem
from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import DYNAMIC, UNKNOWN_ID, Node
from ansible.module_utils.kraft.spec.desired.quorum import node_directory_id
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject, sharing
from ansible.module_utils.kraft.wording import named

LARGEST_NODE_ID = 2**31 - 1
DRAW = "draw one (`make cluster-id`) and keep it with the inventory"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def cluster_id(subject: Subject) -> Iterator[Problem]:
    """Check the cluster id: Kafka formats with any text and fails on it much later."""
    text = subject.cluster.cluster_id
    problem = id_problem(text) if text else ""
    if problem:
        yield Problem("cluster_id", problem, DRAW, "kafka_cluster_id", value=text)
    elif text in WELL_KNOWN_CLUSTER_IDS:
        severity = ERROR if subject.cluster.in_production else WARNING
        message = "This is the id of an example: two clusters with the same id can take each other's nodes"
        yield Problem("cluster_id_copied", message, DRAW, "kafka_cluster_id", value=text, severity=severity)
    elif text.startswith("-"):
        message = "The id begins with '-', which Kafka's tools read as an option"
        remedy = "draw another, or write --cluster-id=ID on command lines"
        yield Problem("cluster_id_dash", message, remedy, "kafka_cluster_id", value=text, severity=WARNING)


def cluster_name(subject: Subject) -> Iterator[Problem]:
    """Check the name, which becomes part of file names."""
    name = subject.cluster.name
    if name and not NAME.fullmatch(name):
        message = "The name contains characters other than letters, digits, '.', '_' and '-'"
        remedy = "use only those, a letter or digit first"
        yield Problem("cluster_name", message, remedy, "kafka_cluster_name", value=name)


def node_ids(subject: Subject) -> Iterator[Problem]:
    """Require unique node ids, from 0 to the largest Java int."""
    nodes = list(subject.sound("kafka_node_id"))
    for node in nodes:
        if node.node_id < 0 or node.node_id > LARGEST_NODE_ID:
            message = "The id is negative" if node.node_id < 0 else f"The id is above {LARGEST_NODE_ID}"
            remedy = "give a whole number from 0 on, unique in the cluster"
            yield Problem("node_id", message, remedy, "kafka_node_id", node.host, node.node_id)
    shared = sharing((node.node_id, node.host) for node in nodes if node.node_id != UNKNOWN_ID)
    for node_id, hosts in shared.items():
        message, remedy = (
            f"The id is used by {named(hosts)}",
            "give each host a separate id, in host_vars or beside the host",
        )
        yield Problem("node_id_shared", message, remedy, "kafka_node_id", named(hosts), node_id)


def directory_ids(subject: Subject) -> Iterator[Problem]:
    """Allow directory ids only for controllers of a dynamic quorum, each different from all others."""
    cluster = subject.cluster
    for node in cluster.nodes:
        if node.given_directory_id:
            yield from _given_directory_id(node, cluster.quorum)
    owners = {(node_directory_id(cluster, node), node.node_id): node.host for node in cluster.controllers}
    shared = sharing((given, host) for (given, _), host in owners.items() if given)
    for given, hosts in shared.items():
        message, remedy = f"The directory id is used by {named(hosts)}", "give each controller its own, or none at all"
        yield Problem("directory_id_shared", message, remedy, "kafka_directory_id", named(hosts), given)


def _given_directory_id(node: Node, quorum: str) -> Iterator[Problem]:
    text = node.given_directory_id
    problem = directory_id_problem(text)
    if problem:
        remedy = "give what meta.properties on the disk says, or leave the variable out"
        yield Problem("directory_id", problem, remedy, "kafka_directory_id", node.host, text)
    elif not node.is_controller or quorum != DYNAMIC:
        why = "a node that is no controller" if not node.is_controller else "a static quorum"
        message, remedy = f"The variable has no effect on {why}", "remove it"
        yield Problem("directory_id_unused", message, remedy, "kafka_directory_id", node.host, text, WARNING)


RULES = (cluster_id, cluster_name, node_ids, directory_ids)
