"""Reachability: every port that any group of the cluster's instances opens, checked against the listeners. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Rule
from ansible.module_utils.kraft.providers.ec2.rules import is_inside

ALL = "all"
LAST_PORT = 65535
#: The gravest first.
GRAVITY = ("controller", "inter_broker", "client", "other")


@dataclasses.dataclass(frozen=True)
class Finding:
    """Ports that a source reaches without need. ``group``: the security group that lets it in."""

    group: str
    rule: Rule
    first: int
    last: int
    listeners: tuple[str, ...] = ()  #: those of the cluster that are among the ports
    gravity: str = "other"

    def __str__(self) -> str:
        ports = "all" if self.first < 0 else f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        hit = f", among them {', '.join(self.listeners)}" if self.listeners else ""
        what = "everything" if self.rule.protocol == ALL else f"{self.rule.protocol} {ports}"
        return f"{self.group} lets {self.rule.source} reach {what}{hit}"


def judge(
    groups: Mapping[str, Sequence[Rule]], allowed: Iterable[Rule], own_group: str, listeners: Mapping[int, str]
) -> list[Finding]:
    """Return all open ports that no listener justifies, the gravest first.

    `groups`: id -> rules, of every group that any instance of the cluster is in: what one of them opens is open.
    `allowed`: rules derived from the listeners, with OWN_GROUP for `own_group`. `listeners`: port -> ``purpose NAME``.
    """
    rules = [dataclasses.replace(r, source=own_group) if r.source == OWN_GROUP else r for r in allowed]
    found = [
        finding
        for group, opened in sorted(groups.items())
        for rule in opened
        for finding in _unjustified(group, rule, rules, listeners)
    ]
    return sorted(found, key=lambda each: (GRAVITY.index(each.gravity), each.group, each.first))


def _unjustified(group: str, rule: Rule, allowed: Sequence[Rule], listeners: Mapping[int, str]) -> Iterator[Finding]:
    if rule.protocol not in ("tcp", ALL):
        yield Finding(group, rule, rule.first, rule.last)
        return
    first, last = (0, LAST_PORT) if rule.protocol == ALL or rule.first < 0 else (rule.first, rule.last)
    good = {each.first for each in allowed if is_inside(rule.source, [each.source]) or rule.source == each.source}
    for start, end in _gaps(first, last, good):
        hit = {port: text for port, text in sorted(listeners.items()) if start <= port <= end}
        kinds = [text.split()[0] for text in hit.values()] or ["other"]
        gravity = min(kinds, key=GRAVITY.index)
        yield Finding(group, rule, start, end, tuple(f"{port} ({text})" for port, text in hit.items()), gravity)


def _gaps(first: int, last: int, good: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield ranges of ports in [first, last] without those in `good`."""
    start = first
    for port in sorted(port for port in good if first <= port <= last):
        if start < port:
            yield start, port - 1
        start = port + 1
    if start <= last:
        yield start, last


def reachable(groups: Mapping[str, Sequence[Rule]]) -> list[str]:
    """List all access for people: source, port and group."""
    return [f"{group}: {rule}" for group, rules in sorted(groups.items()) for rule in rules]


@dataclasses.dataclass(frozen=True)
class Question:
    """Measurements to make. ``between``: node -> ``address:port`` of the others -> the rules allow it.

    ``hidden``: node -> those of its ports that only groups may reach, so that others get no answer.
    ``listeners``: port -> ``purpose NAME``.
    """

    listeners: Mapping[int, str]
    between: Mapping[str, Mapping[str, bool]]
    hidden: Mapping[str, Sequence[int]]


def question(nodes: Mapping[str, Mapping[str, Any]], addresses: Mapping[str, str], rules: Sequence[Rule]) -> Question:
    """Return the measurements on `nodes` (``kafka_desired``'s) at private `addresses`, with the `rules`' promise."""
    ports = {
        host: {each["port"]: f"{each['purpose']} {each['name']}" for each in n["listeners"]}
        for host, n in nodes.items()
    }
    between = {
        host: {
            f"{addresses[other]}:{port}": _lets_in(rules, port, addresses[host])
            for other in addresses
            if other != host
            for port in ports[other]
        }
        for host in addresses
    }
    open_to_networks = {rule.first for rule in rules if "/" in rule.source}
    hidden = {host: [port for port in found if port not in open_to_networks] for host, found in ports.items()}
    return Question({port: text for found in ports.values() for port, text in found.items()}, between, hidden)


def _lets_in(rules: Iterable[Rule], port: int, address: str) -> bool:
    """Check whether a node of the cluster reaches a port: as a member of the group, or by its address."""
    return any(r.first == port and (r.source == OWN_GROUP or is_inside(address, [r.source])) for r in rules)


def differences(expected: Mapping[str, bool], measured: Mapping[str, bool]) -> list[str]:
    """Return deviations from the rules: ``address:port`` -> whether it should be, and was, reached.

    One that was not tested is named, too.
    """
    out = []
    for target, wanted in sorted(expected.items()):
        if target not in measured:
            out.append(f"{target} was not tested")
        elif measured[target] != wanted:
            should = "should be" if wanted else "should not be"
            out.append(f"{target} {should} reachable, and {'is' if measured[target] else 'is not'}")
    return out


def verdict(hosts: Iterable[str], found: Mapping[str, Mapping[str, Any]], plan: Mapping[str, Any]) -> list[str]:
    """List all findings: ports open without need, then deviating measurements, and those that were not made.

    `found`: host -> registered results ``exposure``, ``from_here`` and ``from_node``, missing if not inspected, as with
    ``--limit``. `plan`: ``kafka_ec2``'s fact.
    """
    opened = next((each["exposure"] for each in found.values() if each.get("exposure")), None)
    lines = ["the rules of the security groups were not read"] if opened is None else list(opened["unjustified"])
    for host in hosts:
        seen = found[host]
        here = (seen.get("from_here") or {}).get("reached") or {}
        lines += [
            f"{target} ({host}) answers where Ansible runs, and is for the group only"
            for target in here
            if here[target]
        ]
        ports = {each.rpartition(":")[2] for each in here}
        untested = [str(port) for port in plan["hidden"].get(host, ()) if str(port) not in ports]
        lines += [f"{host}: ports {', '.join(untested)} were not tested where Ansible runs"] if untested else []
        measured = (seen.get("from_node") or {}).get("reached") or {}
        lines += [f"from {host}: {line}" for line in differences(plan["between"][host], measured)]
    return list(dict.fromkeys(lines))
