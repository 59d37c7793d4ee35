"""Nodes and roles of a cluster, and agreement of all hosts on it."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject, sharing
from ansible.module_utils.kraft.wording import named

ROLES, RESTARTED = "kafka_process_roles", "kafka_restart_nodes"
MOST_USEFUL_CONTROLLERS = 5
#: Networks that no host is in.
DOCUMENTATION = tuple(map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")))
#: Variables that must be equal on all hosts.
SHARED = (
    "kafka_cluster_name",
    "kafka_cluster_id",
    "kafka_version",
    "kafka_quorum",
    "kafka_profile",
    "kafka_failure_detection",
    "kafka_archive_checksum",
    "kafka_install_dir",  # tasks that run on another host, such as those of a roll, look there
    "kafka_default_replication_factor",
    "kafka_min_insync_replicas",
    "kafka_auto_create_topics",
    "kafka_accepted_risks",
)


def roles(subject: Subject) -> Iterator[Problem]:
    """Require roles on every node, each once."""
    for node in subject.sound(ROLES):
        given = node.variables.get(ROLES, [])
        if not given:
            yield Problem("no_role", "The list is empty", "give broker, controller or both", ROLES, node.host, given)
        elif len(set(given)) < len(given):
            yield Problem("role_twice", "The list names a role twice", "name each once", ROLES, node.host, given)


def controllers(subject: Subject) -> Iterator[Problem]:
    """Require a majority of controllers: 3 survive the loss of one, 5 of two; an even number adds nothing.

    Those that leave in this run are not counted: a move has old and new ones for a while.
    """
    if not subject.all_sound(ROLES):
        return
    found = [node.host for node in subject.cluster.controllers if node.host not in leaving(node)]
    count = len(found)
    if count == 0:
        yield Problem("no_controller", "No node is a controller", "give three nodes the role controller", ROLES)
    elif count == 1 and len(subject.cluster.nodes) > 1:
        message = f"{found[0]} is the only controller: without it the cluster stops"
        yield Problem("single_controller", message, "use three controllers", ROLES, severity=RISK)
    elif count % 2 == 0:
        message = f"{count} controllers ({named(found)}) tolerate no more failures than {count - 1} would"
        yield Problem(
            "even_controllers", message, "use an odd number, three or five", ROLES, value=count, severity=RISK
        )
    elif count > MOST_USEFUL_CONTROLLERS:
        message = f"{count} controllers make every change of metadata slower"
        yield Problem("many_controllers", message, "three or five are enough", ROLES, value=count, severity=WARNING)


def leaving(node: Node) -> frozenset[str]:
    """Return hosts that this run removes from the cluster."""
    return frozenset(name.strip() for name in str(node.variables.get("kafka_remove_nodes") or "").split(","))


def brokers(subject: Subject) -> Iterator[Problem]:
    """Require a broker."""
    if subject.all_sound(ROLES) and not subject.cluster.brokers:
        yield Problem("no_broker", "No node is a broker", "give nodes the role broker", ROLES)


def agreement(subject: Subject) -> Iterator[Problem]:
    """Require equal values of shared variables on every host."""
    nodes = subject.cluster.nodes
    for name in SHARED:
        hosts: dict[str, list[str]] = {}
        for node in nodes:
            if name not in node.broken:
                hosts.setdefault(_text(node.variables.get(name)), []).append(node.host)
        if len(hosts) > 1:
            message = "The value differs between hosts: " + "; ".join(
                f"{text} on {named(found)}" for text, found in hosts.items()
            )
            yield Problem("disagreement", message, "set it once, in group_vars of the whole cluster", name)


def replaced_layers(subject: Subject) -> Iterator[Problem]:
    """Report kafka_config in a narrower place: it replaces the wide one instead of adding to it."""
    said = {each.host for each in subject.surroundings.files.replaced if each.variable == "kafka_config"}
    keys = {node.host: frozenset(node.variables.get("kafka_config") or ()) for node in subject.sound("kafka_config")}
    everywhere = frozenset().union(*keys.values()) if keys else frozenset()
    for host, found in keys.items():
        lost = everywhere - found
        if lost and host not in said:
            message = f"The value lacks {named(sorted(lost))} of other hosts: the narrower value replaces the wider one"
            remedy = "keep kafka_config the same for all and use kafka_group_config or kafka_host_config"
            yield Problem("layer_replaced", message, remedy, "kafka_config", host, severity=WARNING)


def machines(subject: Subject) -> Iterator[Problem]:
    """Report two inventory names of one machine: they would overwrite each other's files."""
    reached = sharing((_reached(node.host, node.connection), node.host) for node in subject.cluster.nodes)
    for place, hosts in reached.items():
        remedy = "keep one of the names: a machine carries one node"
        yield Problem(
            "same_machine",
            f"The hosts {named(hosts)} have the same address",
            remedy,
            "ansible_host",
            named(hosts),
            place,
        )


def placeholders(subject: Subject) -> Iterator[Problem]:
    """Report addresses for documentation (RFC 5737, RFC 3849): they were left from an example."""
    remedy = "give the address of your own host"
    for node in subject.cluster.nodes:
        given = {"ansible_host": str(node.connection.get("ansible_host", "")), "kafka_address": node.address}
        for variable, value in given.items():
            if is_documentation(value) and (variable == "ansible_host" or value != given["ansible_host"]):
                yield Problem(
                    "address_placeholder",
                    "The address is reserved for documentation",
                    remedy,
                    variable,
                    node.host,
                    value,
                )


def is_documentation(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(address in network for network in DOCUMENTATION)


def _reached(host: str, connection: Any) -> str:
    """Return the address that Ansible connects to, as one text."""
    if connection.get("ansible_connection") == "local":
        return "this machine"
    return f"{connection.get('ansible_host', host)}:{connection.get('ansible_port', 22)}"


def racks(subject: Subject) -> Iterator[Problem]:
    """Require racks on all brokers or none: Kafka spreads replicas over racks only if every broker has one."""
    for node in subject.sound("kafka_rack"):
        if node.rack and (not node.rack.isprintable() or node.rack != node.rack.strip()):
            message, remedy = "The rack has leading or trailing space, or an invisible character", "remove it"
            yield Problem("rack", message, remedy, "kafka_rack", node.host, node.rack)
    brokers_found = [node for node in subject.sound("kafka_rack") if node.is_broker]
    without = [node.host for node in brokers_found if not node.rack]
    if without and len(without) < len(brokers_found):
        remedy = "give every broker a rack, or none"
        message = "The rack is set on some brokers only: replicas may end up in one rack"
        yield Problem("rack_missing", message, remedy, "kafka_rack", named(without), severity=WARNING)


def restarted(subject: Subject) -> Iterator[Problem]:
    """Refuse unknown names of nodes to restart: the roll would notice them only after the files are written."""
    known = [node.host for node in subject.cluster.nodes]
    found = {name for node in subject.sound(RESTARTED) for name in node.variables.get(RESTARTED) or ()}
    for name in sorted(found - set(known)):
        near = nearest(name, known)
        remedy = f"did you mean {near}?" if near else f"name some of {named(known)}"
        yield Problem("restart_nodes", "The name is not that of a node of this cluster", remedy, RESTARTED, value=name)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


RULES = (roles, controllers, brokers, agreement, replaced_layers, machines, placeholders, racks, restarted)
