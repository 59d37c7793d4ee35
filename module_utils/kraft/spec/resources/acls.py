"""ACLs as the inventory writes them, taken apart into what Kafka keeps: one operation of one principal each. Pure."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

ALLOW, DENY = "allow", "deny"
LITERAL, PREFIXED = "literal", "prefixed"
ALL = "all"
ABSENT = "absent"
EVERY_HOST = "*"
USER = "User:"  #: prefix of the name of a user's resource in KafkaApis (owner.toString)
#: Characters of topic names. Source: org.apache.kafka.common.internals.Topic of Kafka 4.3.1.
IN_TOPICS = re.compile(r"[A-Za-z0-9._-]{1,249}")
CLUSTER_NAME = "kafka-cluster"  #: how Kafka calls the resource that is the cluster itself
#: Resource -> operations that it has. Source: org.apache.kafka.security.authorizer.AclEntry of Kafka 4.3.1.
OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "topic": ("read", "write", "create", "describe", "delete", "alter", "describe_configs", "alter_configs"),
    "group": ("read", "describe", "delete", "describe_configs", "alter_configs"),
    "cluster": (
        *("create", "cluster_action", "describe_configs", "alter_configs"),
        *("idempotent_write", "alter", "describe"),
    ),
    "transactional_id": ("describe", "write", "two_phase_commit"),
    "delegation_token": ("describe",),
    "user": ("create_tokens", "describe_tokens"),
}


@dataclasses.dataclass(frozen=True, order=True)
class Acl:
    """One line of an authorizer. All words are lower case, but for principal, name and host."""

    principal: str
    resource: str
    name: str
    operation: str
    permission: str = ALLOW
    pattern: str = LITERAL
    host: str = EVERY_HOST

    def __str__(self) -> str:
        verb = "may" if self.permission == ALLOW else "must not"
        names = f"s that begin with {self.name}" if self.pattern == PREFIXED else f" {self.name}"
        where = "" if self.host == EVERY_HOST else f" from {self.host}"
        return f"{self.principal} {verb} {self.operation}: {self.resource}{names}{where}"


def expanded(entry: Mapping[str, Any], principal: str = "") -> tuple[Acl, ...]:
    """Return the ACLs of one entry, which names one resource; `principal`: the user of the entry."""
    resource = next((each for each in OPERATIONS if entry.get(each)), "")
    name = CLUSTER_NAME if resource == "cluster" else str(entry.get(resource, ""))
    return tuple(
        Acl(
            principal=principal or str(entry.get("principal") or ""),
            resource=resource,
            name=name,
            operation=operation,
            permission=entry.get("permission") or ALLOW,
            pattern=entry.get("pattern") or LITERAL,
            host=as_java(entry.get("host") or EVERY_HOST),
        )
        for operation in entry.get("operations") or ()
    )


def as_java(host: str) -> str:
    """Return an address as brokers compare it. Java writes each part of an IPv6 address, without leading zeros.

    An IPv4 address inside an IPv6 address becomes the IPv4 address.
    """
    if host == EVERY_HOST or not is_address(host):
        return host
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return ":".join(f"{int(part, 16):x}" for part in address.exploded.split(":"))


def is_address(host: str) -> bool:
    """Check that `host` is a single address, without a zone."""
    try:
        return not getattr(ipaddress.ip_address(host), "scope_id", None)
    except ValueError:
        return False


def is_of_all(entry: Mapping[str, Any]) -> bool:
    """Check for an entry for every ACL of its principal: it is to be absent, and narrows nothing."""
    narrow = entry.get("pattern") == PREFIXED or entry.get("permission") == DENY or entry.get("operations")
    somewhere = (entry.get("host") or EVERY_HOST) != EVERY_HOST
    return entry.get("state") == ABSENT and not (narrow or somewhere or any(map(entry.get, OPERATIONS)))


def faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the faults of an entry, with remedies."""
    given = [each for each in OPERATIONS if entry.get(each)]
    if len(given) != 1:
        said = f"The ACL names {' and '.join(given)}" if given else "The ACL names no resource"
        yield said, f"name one of {', '.join(OPERATIONS)}"
        return
    resource, host = given[0], str(entry.get("host") or EVERY_HOST)
    if host != EVERY_HOST and not is_address(host):
        yield (
            f"The host {host} is not an address",
            "give one address, or leave it out: Kafka knows no ranges and names",
        )
    if not entry.get("operations"):
        yield "The ACL names no operation", f"give operations, such as [{OPERATIONS[resource][0]}]"
    for each in entry.get("operations") or ():
        if each not in (ALL, *OPERATIONS[resource]):
            yield (
                f"The operation {each} does not exist for a {resource}",
                f"use {', '.join((*OPERATIONS[resource], ALL))}",
            )
    if entry.get("pattern") == PREFIXED and (resource == "cluster" or entry[resource] == "*"):
        yield "The pattern is prefixed, but the name means all resources already", "leave pattern out"
    if entry.get("state") != ABSENT:  # useless ACLs that were made by hand can still be removed
        yield from _useless(resource, str(entry[resource]), entry.get("pattern") == PREFIXED, host)


def _useless(resource: str, name: str, prefixed: bool, host: str) -> Iterator[tuple[str, str]]:
    """Yield entries that Kafka accepts, and that never match."""
    if is_address(host) and ipaddress.ip_address(host).is_unspecified:
        yield f"No client connects from the host {host}", "leave host out for all addresses"
    if resource == "topic" and name != "*" and not IN_TOPICS.fullmatch(name):
        remedy = "give the beginning of the names with pattern: prefixed, or '*' for all topics"
        yield f"No topic can be called {name!r}: Kafka knows no patterns in names", remedy
    if resource == "user" and name != "*" and not name.startswith(USER) and not (prefixed and USER.startswith(name)):
        yield f"Kafka knows the user {name} as {USER}{name} here", f"write {USER}{name}"
