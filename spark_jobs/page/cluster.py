"""The cluster for the page: the data of the snapshot, the settings and the audit, each as far as it goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from spark_jobs.page.snapshot import Broker, Snapshot
from spark_jobs.report_schema import Report

#: Keys of a node's settings that list its addresses, best first: what is advertised, then what is bound.
LISTENER_KEYS = ("advertised.listeners", "listeners")
NO_RACK = ""


@dataclass(frozen=True)
class Node:
    """``name`` is the inventory's if the settings contain it; ``broker`` and ``voter`` are null if unknown."""

    node_id: int
    name: str
    address: str
    rack: str
    broker: bool | None
    voter: bool | None
    leads_quorum: bool
    fenced: bool
    listeners: tuple[tuple[str, str], ...]
    partitions_led: int | None

    @property
    def roles(self) -> str:
        """Format ``broker and controller``."""
        names = [word for word, has in (("broker", self.broker), ("controller", self.voter)) if has]
        return " and ".join(names) or "role unknown"


def nodes(snapshot: Snapshot, report: Report) -> list[Node]:
    """Return every node of the snapshot or the settings, by node id."""
    known = Known(
        brokers={broker["node_id"]: broker for broker in snapshot.brokers},
        voters=frozenset(voter["node_id"] for voter in snapshot.voters),
        configured=_configured(report),
        leader=snapshot.leader_id,
        led=_led(snapshot, report),
    )
    return [known.node(node_id) for node_id in sorted(known.brokers.keys() | known.voters | known.configured.keys())]


def racks(nodes: list[Node]) -> list[tuple[str, list[Node]]]:
    """Return nodes by rack, in the order of the racks' names; those without one last."""
    names = sorted({node.rack for node in nodes}, key=lambda rack: (not rack, rack))
    return [(rack, [node for node in nodes if node.rack == rack]) for rack in names]


@dataclass(frozen=True)
class Known:
    """The sources about nodes, each by node id; the settings fill gaps of the cluster's own data."""

    brokers: dict[int, Broker]
    voters: frozenset[int]
    configured: dict[int, tuple[str, dict[str, str]]]
    leader: int | None
    led: Counter[int]

    def node(self, node_id: int) -> Node:
        """Return the data of one node."""
        broker = self.brokers.get(node_id)
        name, settings = self.configured.get(node_id, ("", {}))
        host = (broker["host"] or "") if broker else ""
        rack = (broker["rack"] or "") if broker else ""
        is_broker, is_voter = self._roles(node_id, settings)
        return Node(
            node_id=node_id,
            name=name or host or f"node {node_id}",
            address=host,
            rack=rack or settings.get("broker.rack", NO_RACK),
            broker=is_broker,
            voter=is_voter,
            leads_quorum=node_id == self.leader,
            fenced=bool(broker and broker["fenced"]),
            listeners=_listeners(settings, broker),
            partitions_led=self.led[node_id] if broker and self.led else None,
        )

    def _roles(self, node_id: int, settings: dict[str, str]) -> tuple[bool | None, bool | None]:
        """Return two flags: is a broker, and is a voter."""
        configured = settings.get("process.roles")
        if self.brokers or self.voters:
            return node_id in self.brokers, node_id in self.voters
        return (None, None) if configured is None else ("broker" in configured, "controller" in configured)


def _configured(report: Report) -> dict[int, tuple[str, dict[str, str]]]:
    """Return node id -> inventory name and settings, for the nodes whose settings hold a node id."""
    found = {}
    for name, settings in report["settings"].items():
        if settings.get("node.id", "").isdigit():
            found[int(settings["node.id"])] = (name, settings)
    return found


def _listeners(settings: dict[str, str], broker: Broker | None) -> tuple[tuple[str, str], ...]:
    """Return listener names and addresses, from the settings or else the one address that clients got."""
    found: dict[str, str] = {}
    for key in LISTENER_KEYS:
        for entry in filter(None, settings.get(key, "").split(",")):
            name, _, address = entry.strip().partition("://")
            found.setdefault(name, address)
    if not found and broker and broker["host"]:
        found["clients"] = broker["host"] + (f":{broker['port']}" if broker["port"] else "")
    return tuple(found.items())


def _led(snapshot: Snapshot, report: Report) -> Counter[int]:
    """Return node id -> number of led partitions; of the audited topic alone if the snapshot has no topics."""
    every: list[int | None] = [partition["leader"] for partition in snapshot.partitions]
    every = every or [result["leader"] for result in report["per_partition"]]
    return Counter(leader for leader in every if leader is not None)
