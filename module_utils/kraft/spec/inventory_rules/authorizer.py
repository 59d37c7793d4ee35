"""Authorization: one authorizer on all nodes, and principals that match a user.

Source: org.apache.kafka.metadata.authorizer.StandardAuthorizer.getConfiguredSuperUsers of Kafka 4.3.1, which splits at
``;``, trims, and later compares whole texts, case included; a principal without a type stops the node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.kafka_terms import CLIENT, PLAINTEXT, SSL
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.access import ANONYMOUS, AUTHORIZER, STANDARD, SUPER_USERS, principal
from ansible.module_utils.kraft.spec.desired.model import Cluster, Node
from ansible.module_utils.kraft.spec.inventory.setting_values import PLACEHOLDER
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject, placed
from ansible.module_utils.kraft.wording import named

BUILDER = "principal.builder.class"
EVERYONE = "allow.everyone.if.no.acl.found"
#: A principal behind a comma, where a semicolon belongs.
SECOND = re.compile(r",\s*user:", re.IGNORECASE)
#: A part of a subject as openssl prints it; a comma within a value is escaped.
LOOSE_NAME = re.compile(r"(?<!\\),\s+[A-Za-z0-9.]+\s*=|^[A-Za-z0-9.]+\s+=")
#: A pattern, as resources have it elsewhere. A subject has ``=``, and may be that of a wildcard certificate.
PATTERN = re.compile(r"[^=]+\*")
FORM = "write each one as User:NAME, with ';' between them"


def authorizers(subject: Subject) -> Iterator[Problem]:
    """Require one authorizer on all nodes: controllers check what brokers forward."""
    found = {node.host: subject.settings[node.host].get(AUTHORIZER, "") for node in subject.cluster.nodes}
    if len(set(found.values())) > 1:
        without = [host for host, name in found.items() if not name]
        message = (
            f"The authorizer is missing on {named(without)}" if without else "The authorizer differs between nodes"
        )
        remedy = "set it in kafka_config, for brokers and controllers alike"
        yield Problem("authorizer_differs", message, remedy, f"kafka_config[{AUTHORIZER}]")
    for node in subject.cluster.nodes:
        settings = subject.settings[node.host]
        yield from _orphans(settings, node)
        if settings.get(AUTHORIZER) == STANDARD and _is_true(settings.get(EVERYONE)):
            message, remedy = (
                "The setting grants every client everything that no ACL covers",
                "remove it once the ACLs are there",
            )
            yield Problem("open_authorizer", message, remedy, placed(node, EVERYONE), node.host, True, RISK)


def _orphans(settings: dict[str, str], node: Node) -> Iterator[Problem]:
    """Report settings of an authorizer without one."""
    if not settings.get(AUTHORIZER) and (settings.get(SUPER_USERS) or _is_true(settings.get(EVERYONE))):
        message = f"The authorizer is not set: {SUPER_USERS} and {EVERYONE} have no effect"
        remedy = f"set {AUTHORIZER} to {STANDARD}"
        yield Problem("authorizer_missing", message, remedy, placed(node, AUTHORIZER), node.host, severity=WARNING)


def super_users(subject: Subject) -> Iterator[Problem]:
    """Require principals that can match, the nodes among them: nodes without a right stop the cluster."""
    for node in subject.cluster.nodes:
        settings = subject.settings[node.host]
        given, name = settings.get(SUPER_USERS, ""), settings.get(AUTHORIZER, STANDARD)
        if name != STANDARD or PLACEHOLDER.search(given):
            continue
        faults, lacking = _faults(given, BUILDER in settings), _nodes_left_out(settings, node, subject.cluster)
        message = "; ".join(faults) or (f"The list lacks {lacking}: nodes would refuse each other" if lacking else "")
        if message:
            remedy = FORM if faults else f"add {lacking}, the principals of the nodes"
            yield Problem("super_users", message, remedy, placed(node, SUPER_USERS), node.host, given or None)


def principals(given: str) -> list[str]:
    """Split ``super.users`` as Kafka does."""
    return [each.strip() for each in given.split(";") if each.strip()]


def _faults(given: str, own_types: bool) -> list[str]:
    """Return the fault of each principal. `own_types`: a principal builder may make other types than User."""
    found = ((each, principal_fault(each, own_types)) for each in principals(given))
    return [f"{each} {fault}" for each, fault in found if fault]


def principal_fault(text: str, own_types: bool = False) -> str:
    """Return why a principal never matches, or stops the node; empty if it can match."""
    kind, colon, name = text.partition(":")
    faults = (
        (not colon or not kind, "has no type"),
        (SECOND.search(text) or ("," in name and "=" not in name), "is one user with a comma"),
        (
            kind != "User" and not own_types,
            f"has the type {kind}, which no principal has: Kafka's type is User, with this spelling",
        ),
        (not name.strip(), "has no name"),
        (name != name.strip(), "has a blank before the name"),
        (name == "*", "matches no principal: wildcards are not supported here"),
        (not own_types and PATTERN.fullmatch(name), "matches no principal: Kafka knows no patterns in it"),
        (
            not own_types and LOOSE_NAME.search(name),
            "matches no certificate: Kafka writes its subject without blanks, as CN=a,OU=b",
        ),
    )
    return next((fault for wrong, fault in faults if wrong), "")


def _nodes_left_out(settings: dict[str, str], node: Node, cluster: Cluster) -> str:
    """Return the nodes' principals that the authorizer would refuse. Names in provided certificates are unknown."""
    if settings.get(AUTHORIZER) != STANDARD or _is_true(settings.get(EVERYONE)) or BUILDER in settings:
        return ""
    protocols = {each.protocol for each in node.own_listeners if each.purpose != CLIENT}
    wanted = [ANONYMOUS] if PLAINTEXT in protocols else []
    wanted += [principal(cluster, each) for each in cluster.nodes if SSL in protocols and node.tls]
    lacking = [each for each in wanted if each not in principals(settings.get(SUPER_USERS, ""))]
    return ";".join(lacking)


def _is_true(text: str | None) -> bool:
    return (text or "").strip().lower() == "true"


RULES = (authorizers, super_users)
