"""The source of a copy, before any connection: names, addresses, patterns, and settings of a client."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import from_java
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.other_services.mirror_service import TARGET
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.mirror import LISTS, NAME, text
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

MIRROR = "kafka_mirror"
ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(\d{1,5})")
LARGEST_PORT = 65535
#: Syntax that Python and Java share; the rest differs, or works only alone. Source: ``java.util.regex.Pattern``.
SHARED_SYNTAX = re.compile(
    r"""(?:
      \\[dDwWsS] | \\[^A-Za-z0-9]                         # a kind of letter, and a letter that means itself
    | \[\^?(?:\\[dDwWsS] | \\[^A-Za-z0-9] | [^]\[\\&])+\]  # one of several; no class within a class
    | \((?:\?(?:[:=!] | <[=!]) | (?!\?)) | \)             # groups without a name, and looks ahead and behind
    | (?:[*+?] | \{\d+\})\??(?!\+)                        # how often; not possessive
    | [^]\[\\(){}*+?]
    )*""",
    re.VERBOSE,
)
SHARED = ". [] () (?:) | * + ? {n} ^ $ \\d \\w \\s, and looks ahead and behind"
#: Settings that the variable itself sets.
OWN = ("bootstrap.servers",)


def given(subject: Subject) -> Mapping[str, Any]:
    """Return the variable; empty if it is not set, or could not be read."""
    if not subject.all_sound(MIRROR) or not subject.cluster.nodes:
        return {}
    return subject.cluster.nodes[0].variables.get(MIRROR) or {}


def alike(subject: Subject) -> Iterator[Problem]:
    """Require equal values: a cluster has one copy."""
    found = [node.variables.get(MIRROR) or None for node in subject.sound(MIRROR)]
    if any(each != found[0] for each in found):
        message, remedy = "The value differs between hosts, but there is one copy", "set it once, for all nodes"
        yield Problem("mirror_differs", message, remedy, MIRROR)


def source(subject: Subject) -> Iterator[Problem]:
    """Require a name for MirrorMaker, and brokers with their ports."""
    asked = given(subject).get("source") or {}
    name, servers = asked.get("name"), asked.get("bootstrap_servers")
    if name is not None and (not NAME.fullmatch(name) or name == TARGET):
        remedy = f"use small letters, digits and dashes, and not {TARGET}, which is this cluster"
        yield Problem(
            "mirror_name", "The value is not a valid name of a source", remedy, f"{MIRROR}.source.name", value=name
        )
    for server in servers or ():
        match = ADDRESS.fullmatch(server)
        if not match or not 0 < int(match[2]) <= LARGEST_PORT:
            remedy = "write host:port, such as old1:9092"
            variable = f"{MIRROR}.source.bootstrap_servers"
            yield Problem("mirror_servers", "The value is not an address of a broker", remedy, variable, value=server)
    if servers == []:
        remedy = "name one broker of the source at least, as host:port"
        yield Problem("mirror_servers", "The list is empty", remedy, f"{MIRROR}.source.bootstrap_servers")


def client(subject: Subject) -> Iterator[Problem]:
    """Require settings of the source's client that both Java and the modules understand."""
    asked = (given(subject).get("source") or {}).get("client") or {}
    where = f"{MIRROR}.source.client"
    for key in OWN:
        if key in asked:
            remedy = "remove it: kafka_mirror.source.bootstrap_servers decides"
            yield Problem("mirror_client", f"The mapping sets {key}", remedy, where)
    try:
        from_java({str(key): text(value) for key, value in asked.items()})
    except RefusedError as error:
        for problem in error.problems:
            message, _, remedy = str(problem).partition(": ")
            yield Problem("mirror_client", message, remedy, where)


def patterns(subject: Subject) -> Iterator[Problem]:
    """Check names and regular expressions; MirrorMaker splits a list at commas, so a pattern has none."""
    for name in LISTS:
        for pattern in given(subject).get(name) or ():
            fault = pattern_fault(pattern)
            if fault:
                remedy = "correct it; a name may stand as it is"
                yield Problem("mirror_pattern", fault, remedy, f"{MIRROR}.{name}", value=pattern)
    if given(subject).get("topics") == []:
        remedy = "name topics, or leave it out to copy all"
        yield Problem("mirror_pattern", "The list is empty", remedy, f"{MIRROR}.topics")


def pattern_fault(pattern: str) -> str:
    """Return why it is no regular expression for MirrorMaker; empty if it is one."""
    if not pattern.strip() or pattern != pattern.strip():
        return "The pattern is empty, or begins or ends with a blank"
    if "," in pattern:
        return "The pattern contains a comma, which ends it for MirrorMaker"
    if not SHARED_SYNTAX.fullmatch(pattern):
        return f"MirrorMaker may read this pattern differently: only {SHARED} are allowed"
    try:
        re.compile(pattern)
    except re.error as error:
        return f"The pattern is not a regular expression ({error})"
    return ""


def throttle(subject: Subject) -> Iterator[Problem]:
    """Require a throttle above 0."""
    asked = given(subject).get("throttle_bytes_per_second")
    if isinstance(asked, int) and asked < 1:
        where = f"{MIRROR}.throttle_bytes_per_second"
        yield Problem(
            "mirror_throttle", "The limit blocks everything", "give bytes a second, or leave it out", where, value=asked
        )


RULES = (alike, source, client, patterns, throttle)
