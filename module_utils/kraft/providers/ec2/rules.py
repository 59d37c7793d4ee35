"""Rules of the cluster's security group, derived from its listeners: the one source of ports."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.kafka_terms import IN_THE_OPEN
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Rule

#: A security group, after the account if it is another one's, or a prefix list.
BY_ID = re.compile(r"(?:(?P<account>\d{12})/)?(?P<group>sg-[0-9a-f]{8,17})|pl-[0-9a-f]{8,17}")
SSH = 22
LARGEST_PORT = 65535
Data = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Sources:
    """Permitted sources. ``clients``: listener -> sources. ``nodes``: the nodes' own source for each other.

    ``inside``: CIDRs of the VPC. ``open_listeners`` and ``plaintext_listeners``: the user has consented to these.
    ``sessions``: ssh needs no port, since it goes through sessions of SSM.
    """

    clients: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    admin: tuple[str, ...] = ()
    monitoring: tuple[str, ...] = ()
    exporter_ports: tuple[int, ...] = ()
    nodes: tuple[str, ...] = (OWN_GROUP,)
    inside: tuple[str, ...] = ()
    open_listeners: tuple[str, ...] = ()
    plaintext_listeners: tuple[str, ...] = ()
    sessions: bool = False


def derive(nodes: Collection[Data], sources: Sources, ssh_ports: Iterable[int] = (SSH,)) -> tuple[Rule, ...]:
    """Return every rule that the listeners of all `nodes` need, one for each port and source, in a stable order.

    `nodes` are ``kafka_desired``'s: only listeners that a node opens. Ports are never widened into ranges, so that
    19093, 29093 and 39093 are three rules.
    """
    found = [*_listeners(nodes, sources)]
    found += [Rule(port, port, source, reason="ssh") for port in ssh_ports for source in sources.admin]
    ports = _exporters(nodes, sources)
    found += [Rule(port, port, source, reason="exporter") for port in ports for source in sources.monitoring]
    first: dict[Rule, Rule] = {}
    for rule in found:
        each = _normal(rule)
        first.setdefault(each, each)
    return tuple(sorted(first.values()))


def _normal(rule: Rule) -> Rule:
    """Return a rule by the id of its group, since that id is no other account's."""
    peered = BY_ID.fullmatch(rule.source)
    if peered and peered["account"]:
        return dataclasses.replace(rule, source=peered["group"], account=peered["account"])
    return dataclasses.replace(rule, source=normal(rule.source))


def _exporters(nodes: Iterable[Data], sources: Sources) -> list[int]:
    """Return ports of exporters on the hosts, and of those that other roles put into Kafka's process."""
    contributed = (ports for node in nodes for ports in node["contributed_ports"].values())
    return sorted({*sources.exporter_ports, *(port for ports in contributed for port in ports)})


def _listeners(nodes: Iterable[Data], sources: Sources) -> Iterator[Rule]:
    for node in nodes:
        for listener in node["listeners"]:
            client = listener["purpose"] == "client"
            allowed = sources.clients.get(listener["name"], ()) if client else sources.nodes
            for source in allowed:
                yield Rule(listener["port"], listener["port"], source, reason=f"listener {listener['name']}")


def normal(source: str) -> str:
    """Return a CIDR as AWS writes it (no host bits, IPv6 compressed); anything else as it is."""
    try:
        return str(ipaddress.ip_network(source, strict=False))
    except ValueError:
        return source


def security_group_refusals(nodes: Sequence[Data], sources: Sources) -> list[Problem]:
    """Return sources that must not become a rule, each with its remedy."""
    return [*_form(sources), *_ports(nodes, sources), *_names(nodes, sources), *_openness(nodes, sources)]


def _form(sources: Sources) -> Iterator[Problem]:
    given = [(f"kafka_ec2_client_sources[{name}]", each) for name, all_ in sources.clients.items() for each in all_]
    given += [("kafka_ec2_admin_sources", each) for each in sources.admin]
    given += [("kafka_ec2_monitoring_sources", each) for each in sources.monitoring]
    for variable, source in given:
        if BY_ID.fullmatch(source):
            continue
        try:
            network = ipaddress.ip_network(source, strict=False)
        except ValueError:
            message = "The value is not a CIDR, security group or prefix list"
            remedy = "write 10.1.0.0/16, sg-0a1b2c3d, 123456789012/sg-0a1b2c3d (another account's) or pl-0a1b2c3d"
            yield Problem("ec2_source", message, remedy, variable, value=source)
            continue
        if "/" not in source or str(network) != normal(source) or _host_bits(source):
            message, remedy = "The value is an address, not a network", f"write {network}"
            yield Problem("ec2_source", message, remedy, variable, value=source)
        if network.prefixlen == 0 and not variable.startswith("kafka_ec2_client_sources"):
            message, remedy = "The value opens the port to the whole internet", "give the networks that need it"
            yield Problem("ec2_world_open", message, remedy, variable, value=source)


def _host_bits(source: str) -> bool:
    try:
        ipaddress.ip_network(source)
    except ValueError:
        return True
    return False


def _ports(nodes: Sequence[Data], sources: Sources) -> Iterator[Problem]:
    for port in sources.exporter_ports:
        if not 0 < port <= LARGEST_PORT:
            message, remedy = f"The port must be from 1 to {LARGEST_PORT}", "give a port in that range"
            yield Problem("port", message, remedy, "kafka_ec2_exporter_ports", value=port)
    ports = _exporters(nodes, sources)
    if ports and not sources.monitoring:
        message, remedy = "The list is empty: no network may reach the exporters' ports", "give the networks that watch"
        yield Problem("ec2_no_source", message, remedy, "kafka_ec2_monitoring_sources", value=ports, severity=WARNING)
    if not sources.admin and not sources.sessions:
        message = "The list is empty: no network could reach the machines by ssh"
        yield Problem("ec2_no_admin", message, "give the network that Ansible runs in", "kafka_ec2_admin_sources")


def _names(nodes: Sequence[Data], sources: Sources) -> Iterator[Problem]:
    clients = sorted({each["name"] for node in nodes for each in node["listeners"] if each["purpose"] == "client"})
    for variable, names in (
        ("kafka_ec2_client_sources", sources.clients),
        ("kafka_ec2_accept_world_open", sources.open_listeners),
        ("kafka_ec2_accept_plaintext_outside", sources.plaintext_listeners),
    ):
        for name in names:
            if name not in clients:
                message, remedy = (
                    "The name is not that of a client listener",
                    f"there are {', '.join(clients) or 'none'}",
                )
                yield Problem("ec2_listener", message, remedy, variable, value=name)
    for name in clients:
        if not sources.clients.get(name):
            message = f"The mapping lacks listener {name}: no client could reach it"
            remedy = f"add `{name}: [...]` with the networks or security groups of its clients"
            yield Problem("ec2_no_client", message, remedy, "kafka_ec2_client_sources")


def _openness(nodes: Sequence[Data], sources: Sources) -> Iterator[Problem]:
    protocols = {each["name"]: each["protocol"] for node in nodes for each in node["listeners"]}
    for name, given in sources.clients.items():
        for source in given:
            network = _network(source)
            if network is None and not _may_be_outside(source):
                continue
            place = f"kafka_ec2_client_sources[{name}]"
            if network and network.prefixlen == 0:
                message = "The value opens the listener to the whole internet"
                remedy = f"give the clients' networks; if you mean it, kafka_ec2_accept_world_open: [{name}]"
                yield _consented(name in sources.open_listeners, "ec2_world_open", message, remedy, place, source)
            if protocols.get(name) in IN_THE_OPEN and not is_inside(source, sources.inside):
                message = (
                    f"Clients from outside the VPC may connect over {protocols[name]}, which can be read on the way"
                )
                remedy = f"use SSL or SASL_SSL; if you mean it, kafka_ec2_accept_plaintext_outside: [{name}]"
                consent = name in sources.plaintext_listeners
                yield _consented(consent, "ec2_plaintext_outside", message, remedy, place, source)


def _may_be_outside(source: str) -> bool:
    """Check for a source by id that can be outside of the VPC: another account's group, or a prefix list."""
    return "/" in source or source.startswith("pl-")


def _consented(consent: bool, rule: str, message: str, remedy: str, place: str, source: str) -> Problem:  # noqa: PLR0913, PLR0917
    if consent:
        return Problem(rule, message, "", place, value=source, severity=WARNING)
    return Problem(rule, message, remedy, place, value=source)


def _network(source: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(source, strict=False)
    except ValueError:
        return None


def is_inside(source: str, cidrs: Iterable[str]) -> bool:
    """Check that every address of a CIDR is in one of `cidrs`; other sources (groups) are equal to one or not."""
    network = _network(source)
    if network is None:
        return source in cidrs
    others = (each for each in map(_network, cidrs) if each is not None and each.version == network.version)
    return any(network.subnet_of(other) for other in others)  # type: ignore[arg-type]
