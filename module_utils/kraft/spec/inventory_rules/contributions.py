"""Contributions of other roles to a node: no conflict with others or with us, and no secret that would be shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.node.service.differences import parse_jvm_options
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.secret_values import shown_line
from ansible.module_utils.kraft.spec.desired.contribution_model import Contribution
from ansible.module_utils.kraft.spec.desired.contributions import PREFIX
from ansible.module_utils.kraft.spec.desired.jvm import COLLECTOR, own_options
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory_rules.sizing import OPTIONS, OWNED_OPTIONS
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject, sharing
from ansible.module_utils.kraft.wording import named

#: First words of the names of files that Kafka's archive and Kraftwright have in ``config/``, and in the record.
RESERVED = frozenset(
    {"broker", "connect", "consumer", "contributed", "controller", "jvm", "kafka", "log4j2", "producer", "server"}
    | {"tools", "trogdor"}
)
#: Options that open the JVM to others: only the inventory sets them, and rules check its values.
DOORS = dict.fromkeys(("-Dcom.sun.management.jmxremote", "-agentlib:jdwp", "-Xrunjdwp"), OPTIONS)
#: Lines of the unit's section ``[Service]`` that systemd adds up, and that take no privilege or limit of ours away.
#: An address or a name of a host.
ADDRESS = re.compile(r"[A-Za-z0-9.:_-]+")
ANY = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not listened on
LINES = ("BindReadOnlyPaths", "Environment", "InaccessiblePaths", "ReadOnlyPaths", "ReadWritePaths")
IN_A_FILE = "give it in a file of the contribution, with `sensitive: true`"
Given = tuple[Node, Contribution]
SHORTEST, LONGEST = 5, 60  #: seconds between two looks; the alerts take a collector for stale after five minutes


def _each(subject: Subject) -> Iterator[Given]:
    return ((node, each) for node in subject.cluster.nodes for each in node.contributions)


def files(subject: Subject) -> Iterator[Problem]:
    """Require plain names with the role's prefix, so that files of roles and of Kafka never collide."""
    for node, each in _each(subject):
        role = each.variable.removeprefix(PREFIX)
        form = re.compile(rf"{re.escape(role)}[._-][A-Za-z0-9._-]*[A-Za-z0-9]")
        for name in each.files:
            if role in RESERVED or not form.fullmatch(name):
                message = "The name is not a plain file name that begins with the name of the role"
                remedy = "give the role another name" if role in RESERVED else f"write {role}.yml or {role}-NAME.pem"
                yield Problem("contributed_file", message, remedy, f"{each.variable}.files", node.host, name)
        for twice in sharing((name, role) for name in each.files):
            message, remedy = "Two files have this name", "give each file a separate name"
            yield Problem("contributed_file", message, remedy, f"{each.variable}.files", node.host, twice)


def agents(subject: Subject) -> Iterator[Problem]:
    """Require the named jar: a missing one would end the JVM at its next start, a foreign one is unsafe."""
    for node, each in _each(subject):
        role = each.variable.removeprefix(PREFIX)
        form, where = re.compile(rf"{re.escape(role)}-[A-Za-z0-9._-]+\.jar"), f"{each.variable}.agents"
        for one in each.agents:
            found = subject.surroundings.agent_digests.get(one.source)
            if not form.fullmatch(one.name):
                message, remedy = "The name is not that of a jar of this role", f"write {role}-VERSION.jar"
                yield Problem("agent_name", message, remedy, where, node.host, one.name)
            elif found == "":
                remedy = "run `make client`, or give the path of your copy"
                yield Problem(
                    "agent_missing", "The file does not exist on this machine", remedy, where, node.host, one.source
                )
            elif found not in (None, one.sha256):
                message, remedy = f"The file has the sha256 {found}, not {one.sha256}", "fetch it again: `make client`"
                yield Problem("agent_checksum", message, remedy, where, node.host, one.source)


def addresses(subject: Subject) -> Iterator[Problem]:
    """Refuse wildcard addresses for listeners of others in Kafka's process."""
    for node, each in _each(subject):
        for one in each.addresses:
            if one in ANY or not ADDRESS.fullmatch(one):
                message = (
                    "The address means every address of the host"
                    if one in ANY
                    else "The value is neither an address nor a name"
                )
                where, remedy = f"{each.variable}.addresses", "give the node's private address"
                yield Problem("contributed_address", message, remedy, where, node.host, one)


def jvm_options(subject: Subject) -> Iterator[Problem]:
    """Refuse options that are set twice; of two values the JVM would silently take the last."""
    for node, each in _each(subject):
        others = _held(node, each)
        for option in each.jvm_options:
            where = f"{each.variable}.jvm_options"
            owner = next((of for start, of in {**OWNED_OPTIONS, **DOORS}.items() if option.startswith(start)), "")
            holders = [owner] if owner else [of for of, keys in others if keys & _keys([option])]
            if not option.startswith("-") or option != option.strip() or "\n" in option:
                message, remedy = (
                    "The value is not a JVM option",
                    "write each option as one element that begins with '-'",
                )
                yield Problem("jvm_option", message, remedy, where, node.host, shown_line(option))
            elif shown_line(option) != option:
                yield Problem(
                    "contributed_secret", "The value shows a secret", IN_A_FILE, where, node.host, shown_line(option)
                )
            elif holders:
                message, remedy = f"The value is also set by {named(holders)}", "keep it in one place"
                yield Problem("jvm_option_clash", message, remedy, where, node.host, option)


def _held(node: Node, one: Contribution) -> list[tuple[str, set[str]]]:
    """Return the other sources of JVM options, with their options."""
    others = [each for each in node.contributions if each != one]
    found: list[tuple[str, Iterable[str]]] = [("Kraftwright", own_options(node)), (OPTIONS, node.jvm_options)]
    found += [(each.variable, each.jvm_options) for each in others]
    return [(whose, _keys(options)) for whose, options in found]


def _keys(options: Iterable[str]) -> set[str]:
    """Return the keys that the options set; all garbage collectors are one choice."""
    options = list(options)
    collector = {"collector"} if any(map(COLLECTOR.fullmatch, options)) else set()
    return collector.union(*map(parse_jvm_options, options))


def unit_lines(subject: Subject) -> Iterator[Problem]:
    """Check lines that add to the unit; all users can read the unit."""
    for node, each in _each(subject):
        where = f"{each.variable}.unit_lines"
        for line in each.unit_lines:
            if line.partition("=")[0] not in LINES or "=" not in line or "\n" in line:
                message = "A role may not add this line"
                remedy = f"write one of {', '.join(LINES)}, then '=' and a value"
                yield Problem("unit_line", message, remedy, where, node.host, shown_line(line))
            elif shown_line(line) != line:
                yield Problem(
                    "contributed_secret", "The value shows a secret", IN_A_FILE, where, node.host, shown_line(line)
                )


def collector(subject: Subject) -> Iterator[Problem]:
    """Check the collector: too short an interval is work for Kafka; an archive must exist."""
    for node, each in _each(subject):
        asked = each.collector
        if asked and not SHORTEST <= asked["interval"] <= LONGEST:
            message, remedy = (
                f"The interval must be from {SHORTEST} to {LONGEST} seconds",
                "give kafka_collector_interval such a number",
            )
            yield Problem(
                "collector_interval",
                message,
                remedy,
                f"{each.variable}.collector.interval",
                node.host,
                asked["interval"],
            )
        for rule, key, message, remedy in _of_archive(subject, asked):
            value = asked.get(key, "")
            yield Problem(rule, message, remedy, f"{each.variable}.collector.{key}", node.host, value)


def _of_archive(subject: Subject, asked: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield rule, key, message and remedy. Root unpacks it, so it must be the archive that was verified."""
    archive, checksum = asked.get("archive"), asked.get("checksum") or ""
    found = subject.surroundings.agent_digests.get(archive or "")
    if not archive:
        return
    if found == "":
        remedy = "give kafka_collector_exporter the path of its archive, or distribution, or present"
        yield "exporter_missing", "archive", "The file does not exist on this machine", remedy
    elif not archive.endswith(".tar.gz"):
        remedy = "give kafka_collector_exporter a file that ends in .tar.gz"
        yield "exporter_archive", "archive", "The file is not an archive of node_exporter", remedy
    elif found is not None and checksum != f"sha256:{found}":
        message = (
            f"The checksum differs from the archive's, sha256:{found}"
            if checksum
            else "The checksum is missing: root unpacks the archive"
        )
        remedy = "compare the archive with its publisher's sha256, and set kafka_collector_exporter_checksum to that"
        yield "exporter_checksum", "checksum", message, remedy


RULES = (files, agents, addresses, jvm_options, unit_lines, collector)
