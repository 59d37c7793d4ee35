"""Quotas as the inventory writes them, taken apart into single values. Pure."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.spec.resources.acls import ABSENT, USER, as_java, is_address

DEFAULT = "*"  #: in the inventory: Kafka's default entity, for clients without a separate quota
OLD_DEFAULT = "<default>"  #: what ZooKeeper kept for it, a mere name today
#: Kind of quota -> what it is a number of. Source: org.apache.kafka.server.config.QuotaConfig of Kafka 4.3.1.
OF_CLIENTS: Mapping[str, str] = {
    "producer_byte_rate": "bytes/s",
    "consumer_byte_rate": "bytes/s",
    "request_percentage": "% of a thread",
    "controller_mutation_rate": "partitions/s",
}
OF_ADDRESSES: Mapping[str, str] = {"connection_creation_rate": "connections/s"}
#: Kinds that are whole numbers, and how large they can be.
WHOLE: Mapping[str, int] = {
    "producer_byte_rate": 2**63 - 1,
    "consumer_byte_rate": 2**63 - 1,
    "connection_creation_rate": 2**31 - 1,
}
UNITS: Mapping[str, str] = {**OF_CLIENTS, **OF_ADDRESSES}
#: Field of an entry -> Kafka's type of entity.
ENTITIES: Mapping[str, str] = {"user": "user", "client_id": "client-id", "ip": "ip"}


@dataclasses.dataclass(frozen=True)
class Quota:
    """One value of one entity. ``entity``: (type, name), sorted by type; the name None is Kafka's default entity."""

    entity: tuple[tuple[str, str | None], ...]
    kind: str

    def __str__(self) -> str:
        who = ", ".join(f"{kind} {'(default)' if name is None else name}" for kind, name in self.entity)
        return f"{who}: {self.kind} ({UNITS.get(self.kind, 'unknown')})"


def entity(entry: Mapping[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """Return the entity of an entry."""
    named = {kind: str(entry[field]) for field, kind in ENTITIES.items() if entry.get(field)}
    named |= {"ip": as_java(named["ip"])} if "ip" in named else {}
    return tuple(sorted((kind, None if name == DEFAULT else name) for kind, name in named.items()))


def expanded(entry: Mapping[str, Any]) -> dict[Quota, float]:
    """Return each quota of an entry and its value."""
    return {Quota(entity(entry), kind): float(entry[kind]) for kind in UNITS if entry.get(kind) is not None}


def faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the faults of an entry, with remedies. An absent entry removes all quotas of its entity."""
    given = {kind for kind, _ in entity(entry)}
    if not given:
        yield "The quota names no user, client or address", f"give {', '.join(ENTITIES)}; '*' is Kafka's default entity"
        return
    if "ip" in given and len(given) > 1:
        yield "The quota is for an address and for a client", "give two entries"
        return
    if "ip" in given and entry["ip"] != DEFAULT and not is_address(str(entry["ip"])):
        yield f"The quota's {entry['ip']} is not an address", "give one address, or '*' for all others"
    if entry.get("state") == ABSENT:
        return
    yield from _useless(entry)
    known = OF_ADDRESSES if "ip" in given else OF_CLIENTS
    found = [kind for kind in UNITS if entry.get(kind) is not None]
    if not found:
        yield "The quota sets no limit", f"give {', '.join(known)}"
    for kind in found:
        if kind not in known:
            yield (
                f"The quota has {kind}, which does not apply to {' and '.join(sorted(given))}",
                f"use {', '.join(known)}",
            )
        elif entry[kind] <= 0:
            yield f"The quota {kind} {entry[kind]:g} blocks everything", "give more than 0, or leave it out"
        elif kind in WHOLE and not (float(entry[kind]).is_integer() and entry[kind] <= float(WHOLE[kind])):
            yield (
                f"The quota {kind} is {entry[kind]:g}, but Kafka accepts whole numbers up to {WHOLE[kind]}",
                "give such a number",
            )


def _useless(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield entries that Kafka accepts, and that never match."""
    for field in ENTITIES:
        name = str(entry.get(field) or "")
        if name == OLD_DEFAULT or (name != DEFAULT and name.endswith(DEFAULT)):
            remedy = f"give one {field}, or '*' for all others"
            yield f"Kafka reads the {field} {name!r} as a name: it knows no patterns", remedy
    user = str(entry.get("user") or "")
    if user.startswith(USER):
        yield f"Kafka knows the user {user} as {user.removeprefix(USER)} here", "leave the type out"
    if is_address(ip := str(entry.get("ip") or "")) and ipaddress.ip_address(ip).is_unspecified:
        yield f"No client connects from {ip}", "give '*' for all others"
