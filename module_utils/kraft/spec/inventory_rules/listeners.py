"""Sockets: names, ports, addresses, and that every node can reach every other."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from itertools import product

from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, IN_THE_OPEN, INTER_BROKER, SSL
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired import listener_protocols
from ansible.module_utils.kraft.spec.desired.model import Listener, Node
from ansible.module_utils.kraft.spec.desired.node_client import WILDCARDS
from ansible.module_utils.kraft.spec.inventory.listeners import REQUIRED
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject, sharing
from ansible.module_utils.kraft.wording import named

VARIABLE = "kafka_listeners"
ADDRESS = "kafka_address"
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
LONGEST_NAME = 253
#: First parts of the names that /etc/hosts gives loopback.
LOOPBACK = ("localhost", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback")
PRIVILEGED = 1024
LARGEST_PORT = 65535
PRIVATE = "keep its port inside a private network or VPN"
GIVE_NAME = "give a host name or an IP address that the other nodes and the clients can reach"


def is_host(text: str) -> bool:
    """Check that `text` is a host name or an IP address."""
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        labels = text.rstrip(".").split(".")
        numeric = all(label.isdigit() for label in labels)
        return len(text) <= LONGEST_NAME and not numeric and all(LABEL.fullmatch(label) for label in labels)


def is_loopback(text: str) -> bool:
    """Check whether only the machine itself reaches `text`."""
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return text.rstrip(".").lower().partition(".")[0] in LOOPBACK


def no_place(text: str) -> str:
    """Return why an address leads to no host, or to different ones by network; empty if it may lead to one."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if address.is_link_local:
        return "The address is link-local: only one network segment can reach it"
    if address.is_multicast or address.is_reserved:
        return "The address is multicast, broadcast or reserved: no host has it"
    return ""


def _each(subject: Subject) -> Iterator[tuple[Node, Listener]]:
    return ((node, listener) for node in subject.cluster.nodes for listener in node.own_listeners)


def _at(listener: Listener, part: str = "") -> str:
    return f"{VARIABLE}[{listener.name}]{part}"


def addresses(subject: Subject) -> Iterator[Problem]:
    """Check the address of a node; its listeners fall back on it."""
    alone = len(subject.cluster.nodes) == 1
    for node in subject.sound(ADDRESS):
        text = node.address
        if text in WILDCARDS:
            yield Problem("address", "Other hosts cannot connect to this address", GIVE_NAME, ADDRESS, node.host, text)
        elif not is_host(text):
            yield Problem(
                "address", "The value is neither a host name nor an IP address", GIVE_NAME, ADDRESS, node.host, text
            )
        elif is_loopback(text) and not alone:
            yield Problem(
                "address", "Only the machine itself can reach this address", GIVE_NAME, ADDRESS, node.host, text
            )
        elif message := no_place(text):
            yield Problem("address", message, GIVE_NAME, ADDRESS, node.host, text)


def names(subject: Subject) -> Iterator[Problem]:
    """Require names in Kafka's form, each once on a node."""
    for node in subject.cluster.nodes:
        for listener in node.listeners:
            if not NAME.fullmatch(listener.name):
                message = "The name must begin with a capital and contain only capitals, digits and '_'"
                remedy = f"write {suggested(listener.name)}"
                yield Problem("listener_name", message, remedy, f"{VARIABLE}.name", node.host, listener.name)
        for name, purposes in sharing((each.name.upper(), each.purpose) for each in node.listeners).items():
            if not _ambiguous(node).intersection(purposes):  # one of these has to go in any case
                message = f"The name is used for {named(purposes)}: a listener has one purpose"
                remedy = "give each its own name and port"
                yield Problem("listener_twice", message, remedy, VARIABLE, node.host, name)


def _ambiguous(node: Node) -> set[str]:
    """Return purposes with several listeners that allow only one."""
    return {each for each in (INTER_BROKER, CONTROLLER) if len(node.listeners_for(each)) > 1}


def suggested(name: str) -> str:
    """Return the nearest valid name."""
    return re.sub(r"[^A-Z0-9_]", "_", name.upper()).lstrip("_0123456789") or "CLIENT"


def ports(subject: Subject) -> Iterator[Problem]:
    """Require ports that can be opened, each for one socket."""
    for node, listener in _each(subject):
        for part, port in ((".port", listener.port), (".advertised.port", listener.advertised_port)):
            yield from _in_range(node, _at(listener, part), port)
        yield from _port(node, _at(listener, ".port"), listener.port)
    for node in subject.cluster.nodes:
        contributed = [(port, each.variable) for each in node.contributions for port in each.ports]
        for port, variable in contributed:
            yield from _in_range(node, f"{variable}.ports", port)
            yield from _port(node, f"{variable}.ports", port)
        listeners = [(each.port, each.name) for each in node.own_listeners]
        for shared, found in sharing([*listeners, *contributed]).items():
            message, remedy = f"The port is used by {named(found)}", "give each listener its own port"
            where = f"{VARIABLE}.port" if (shared, found[0]) in listeners else f"{found[0]}.ports"
            yield Problem("port_shared", message, remedy, where, node.host, shared)


def _in_range(node: Node, where: str, port: int) -> Iterator[Problem]:
    if not 0 < port <= LARGEST_PORT:
        message, remedy = f"The port must be from 1 to {LARGEST_PORT}", "give a port in that range"
        yield Problem("port", message, remedy, where, node.host, port)


def _port(node: Node, where: str, port: int) -> Iterator[Problem]:
    """Check that Kafka can open a port."""
    if str(port) == str(node.connection.get("ansible_port", 22)):
        yield Problem(
            "port_of_ssh", "The port is used by ssh on this host", "give another port", where, node.host, port
        )
    elif 0 < port < PRIVILEGED:
        message = f"Only root may open ports below {PRIVILEGED}, and Kafka runs without privileges"
        remedy = f"listen on a port from {PRIVILEGED} on and, if clients need {port}, advertise that"
        yield Problem("port_privileged", message, remedy, where, node.host, port)


def binds(subject: Subject) -> Iterator[Problem]:
    """Allow a wildcard for clients only, and never as an advertised address."""
    for node, listener in _each(subject):
        if listener.bind not in WILDCARDS:
            if not is_host(listener.bind) and listener.bind != node.address:
                message, remedy = (
                    "The value is neither a host name nor an IP address",
                    "give an address of this host, 0.0.0.0 for all of them, or leave it out",
                )
                yield Problem("bind", message, remedy, _at(listener, ".bind"), node.host, listener.bind)
        elif listener.purpose != CLIENT:
            message = f"The value opens the {listener.purpose} listener to every network of the host"
            remedy = "leave `bind` out, or give the address of the internal network"
            yield Problem("bind_wide", message, remedy, _at(listener, ".bind"), node.host, listener.bind, RISK)
        elif not listener.advertised_given:
            remedy = "add `advertised: {host: NAME}` with what clients can reach, or leave `bind` out"
            message = "The listener binds to all interfaces, but has no advertised address"
            yield Problem("bind_unadvertised", message, remedy, _at(listener, ".bind"), node.host, listener.bind)


def advertised(subject: Subject) -> Iterator[Problem]:
    """Require advertised addresses that are reachable, each of one node only."""
    alone = len(subject.cluster.nodes) == 1
    for node, listener in _each(subject):
        text = listener.advertised_host
        if not listener.advertised_given:
            continue
        if text in WILDCARDS or not is_host(text):
            message = "Other hosts cannot connect to this address"
            yield Problem("advertised", message, GIVE_NAME, _at(listener, ".advertised.host"), node.host, text)
        elif is_loopback(text) and not alone:
            message = "Only the machine itself can reach this address"
            yield Problem("advertised", message, GIVE_NAME, _at(listener, ".advertised.host"), node.host, text)
        elif message := no_place(text):
            yield Problem("advertised", message, GIVE_NAME, _at(listener, ".advertised.host"), node.host, text)
    pairs = [(listener.advertised_address, node.host) for node, listener in _each(subject)]
    together: dict[str, list[object]] = {}
    for address, hosts in sharing(dict.fromkeys(pairs)).items():
        together.setdefault(named(hosts), []).append(address)
    for whose, addresses in together.items():
        message, remedy = f"The advertised address leads to {whose}", "give each node its own address or port"
        yield Problem("advertised_shared", message, remedy, VARIABLE, whose, named(addresses))


def needed(subject: Subject) -> Iterator[Problem]:
    """Require the listeners of each role: one for each purpose, several for clients."""
    for node in subject.sound(VARIABLE, "kafka_process_roles"):
        wanted = [*((CLIENT, INTER_BROKER) if node.is_broker else ()), *((CONTROLLER,) if node.is_controller else ())]
        for purpose in wanted:
            found = [each.name for each in node.listeners_for(purpose)]
            if not found:
                message, remedy = f"There is no listener with purpose {purpose}", f"add one with `purpose: {purpose}`"
                yield Problem("listener_missing", message, remedy, VARIABLE, node.host)
            elif purpose in _ambiguous(node):
                message = f"There are {len(found)} listeners with purpose {purpose} ({named(found)})"
                yield Problem("listener_ambiguous", message, "keep one", VARIABLE, node.host)


def alike(subject: Subject) -> Iterator[Problem]:
    """Require one name and protocol for listeners between nodes; clients find theirs on every broker."""
    for purpose in (INTER_BROKER, CONTROLLER):
        each_has = (node.listeners_for(purpose) for node in subject.cluster.nodes)
        found = {(each.name, each.protocol) for listeners in each_has if len(listeners) == 1 for each in listeners}
        if len(found) > 1:
            spoken = named(sorted(f"{name} ({protocol})" for name, protocol in found))
            message = f"The listeners with purpose {purpose} differ between nodes: {spoken}"
            yield Problem(
                "listener_differs", message, "use one name and one protocol for all; ports may differ", VARIABLE
            )
    yield from _alike_for_clients(subject)


def _alike_for_clients(subject: Subject) -> Iterator[Problem]:
    everywhere: dict[str, str] = {}
    for _, each in _each(subject):
        if each.purpose == CLIENT:
            everywhere.setdefault(each.name, each.spoken)
    for node in subject.sound(VARIABLE, "kafka_process_roles"):
        own = {each.name: each for each in node.listeners_for(CLIENT)}
        for name in sorted(set(everywhere) - set(own)) if node.is_broker and own else ():
            message = f"The client listener {name} of other brokers is missing: its clients cannot reach this broker"
            remedy = "give every broker the same client listeners"
            yield Problem("listener_differs", message, remedy, VARIABLE, node.host)
        for name, each in own.items():
            if each.spoken != everywhere[name]:
                message = f"The protocol differs from other brokers, whose listener {name} uses {everywhere[name]}"
                remedy = "use one protocol for all, or give each protocol its own listener name"
                where = _at(each, ".protocol")
                yield Problem("listener_differs", message, remedy, where, node.host, each.spoken)


def protocols(subject: Subject) -> Iterator[Problem]:
    """Require protocols that our own clients can use, if they need the listener."""
    for node, listener in _each(subject):
        if not listener_protocols.is_operable(listener):
            spoken = " or ".join(sorted(listener_protocols.OPERABLE[listener.purpose]))
            message = f"Kraftwright cannot operate this protocol: it reaches nodes over {spoken} only"
            remedy = f"use {spoken}; SASL between nodes is not supported yet"
            where = _at(listener, ".protocol")
            yield Problem("protocol", message, remedy, where, node.host, listener.protocol)
        if listener.client_auth and (listener.purpose, listener.protocol) != (CLIENT, SSL):
            message = "The key applies to client listeners with SSL only"
            yield Problem("client_auth", message, "remove it", _at(listener, ".client_auth"), node.host, REQUIRED)
    yield from _own_clients(subject)


def _own_clients(subject: Subject) -> Iterator[Problem]:
    """Check that the smoke test and the probe can connect to their client listener."""
    found = (subject.cluster.client_listener(node) for node in subject.cluster.brokers)
    used = [each for each in found if each][:1]
    for listener, (variable, options) in product(used, subject.surroundings.client_options.items()):
        missing = listener_protocols.missing_option(
            listener, options or listener_protocols.client_options(subject.cluster)
        )
        if missing:
            message = f"The option {missing} is missing for {listener.name}, the client listener of this client"
            remedy = (
                "name a user of kafka_users as kafka_client_user; or add the option in group_vars/all, which this "
                "machine reads too; or put a PLAINTEXT client listener first"
            )
            yield Problem("client_options", message, remedy, variable)
    of_smoke = subject.surroundings.client_options.get(listener_protocols.SMOKE)
    for name, fault in listener_protocols.foreign_options(of_smoke or {}).items():
        remedy = "write options of Kafka's client as Spark takes them (kafka.request.timeout.ms), or leave it out"
        yield Problem("client_options", fault, remedy, f"{listener_protocols.SMOKE}[{name}]")
    for node in subject.sound(listener_protocols.SMOKE) if of_smoke is not None else ():
        given = listener_protocols.as_texts(node.variables.get(listener_protocols.SMOKE))
        if given and given != of_smoke:
            message = "The variable has no effect here: Spark runs on this machine, which does not read host variables"
            remedy = "move it to group_vars/all"
            yield Problem("client_options", message, remedy, listener_protocols.SMOKE, node.host)


def plaintext(subject: Subject) -> Iterator[Problem]:
    """Warn about plaintext in production."""
    for node, listener in _each(subject) if subject.cluster.in_production else ():
        if listener.protocol in IN_THE_OPEN and listener_protocols.is_operable(listener):
            encrypted = sorted(listener_protocols.OPERABLE.get(listener.purpose, frozenset()) - IN_THE_OPEN)
            remedy = f"{PRIVATE}, or use {' or '.join(encrypted)}" if encrypted else PRIVATE
            where = _at(listener, ".protocol")
            message = "The listener is not encrypted: anyone on its network can read records and logins"
            yield Problem("plaintext", message, remedy, where, node.host, listener.protocol, WARNING)


RULES = (addresses, names, ports, binds, advertised, needed, alike, protocols, plaintext)
