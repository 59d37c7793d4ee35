"""The faults that can be rehearsed: which nodes each of them breaks, and how long clients may feel it. Pure."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.kafka_terms import CLIENT

#: Target of a fault.
BROKER, ACTIVE, EVERY = "a broker", "the active controller", "every node"
#: Effect on a host; ``kafka_fault`` implements all but the last.
KILLED, FROZEN, UNREADABLE, CUT_OFF, FULL = "killed", "frozen", "unreadable", "cut_off", "full"
REBOOTED = "rebooted"
#: Effects that not every host supports (packet filter, spare disk). Hosts are examined before the first fault.
EXAMINED = (CUT_OFF, FULL)
#: Kafka's defaults, in milliseconds: https://kafka.apache.org/documentation/#brokerconfigs
SESSION, HEARTBEAT, FETCH, ELECTION, CONNECT = (
    "broker.session.timeout.ms",
    "broker.heartbeat.interval.ms",
    "controller.quorum.fetch.timeout.ms",
    "controller.quorum.election.timeout.ms",
    "socket.connection.setup.timeout.ms",
)
DEFAULTS_MS = {SESSION: 9000, HEARTBEAT: 2000, FETCH: 2000, ELECTION: 1000, CONNECT: 10000}
#: Seconds for what the timeouts leave out: the controller's own round, the clients' backoff, a busy machine.
SLACK_SECONDS = 3.0
#: Kafka writes a checkpoint into each log dir every 5 s; one that cannot be written must stay so until that fails.
LEAST_SECONDS = {UNREADABLE: 10, FULL: 10}


@dataclasses.dataclass(frozen=True)
class Fault:
    """``waits``: settings whose times pass until others lead, one after the other; none if Kafka hands over first.

    ``lasts``: it holds clients for as long as it lasts.
    """

    name: str
    target: str
    action: str
    waits: tuple[str, ...] = ()
    lasts: bool = False


FAULTS = {
    fault.name: fault
    for fault in (
        Fault("broker_killed", BROKER, KILLED, (SESSION,)),
        # The new active controller restarts each broker's session, that of the dead one, too.
        Fault("controller_killed", ACTIVE, KILLED, (FETCH, ELECTION, SESSION)),
        # Others lead after its session, but its connections stay open: a client notices by its own request timeout,
        # which is 30 s in Java's and 60 s in librdkafka.
        Fault("node_frozen", BROKER, FROZEN, lasts=True),
        # Kafka halts, so others lead as after a kill. Its partitions fail first, and it may send a heartbeat meanwhile.
        Fault("log_dir_unreadable", BROKER, UNREADABLE, (HEARTBEAT, SESSION)),
        # As above: Kafka halts when its first write fails.
        Fault("disk_full", BROKER, FULL, (HEARTBEAT, SESSION)),
        # Others lead after the session (and an election). A client that still uses the node which is cut off waits
        # until the cut ends and that node has reached the others again: by then it leads no more.
        Fault("node_cut_off", BROKER, CUT_OFF, (CONNECT,), lasts=True),
        Fault("controller_cut_off", ACTIVE, CUT_OFF, (CONNECT,), lasts=True),
        Fault("host_rebooted", BROKER, REBOOTED),
        Fault("all_killed", EVERY, KILLED),
    )
}


def hosts(name: str, snapshot: Snapshot, node_ids: Mapping[str, int]) -> list[str]:
    """Choose the hosts that a fault breaks, of those in `node_ids` (host -> node id).

    A broker is the one that leads most partitions, but not the active controller. Raises KraftError if the cluster
    has no such node.
    """
    target = FAULTS[name].target
    if target == EVERY:
        return sorted(node_ids)
    controller = snapshot.controller_id
    if controller == NO_NODE:
        raise KraftError("the controllers have no leader: start those that are down, then run again")
    if target == ACTIVE:
        chosen = [controller]
    elif snapshot.topics is None:
        why = snapshot.unanswered.get("topics", "no answer")
        raise KraftError(f"it is not known which broker leads most partitions: {why}. Run again")
    else:
        leaders = Counter(each.leader for topic in snapshot.topics for each in topic.partitions)
        brokers = sorted(snapshot.unfenced - {controller}, key=lambda one: (-leaders[one], one))
        chosen = brokers[:1]
    found = [host for host, node_id in node_ids.items() if node_id in chosen]
    if not found:
        raise KraftError(_no_host_reason(name, chosen, controller))
    return found


def _no_host_reason(name: str, chosen: Iterable[int], controller: int) -> str:
    """Return why no host can have the fault, with the remedy."""
    unknown = "".join(f"node {one} is no node of the inventory. Add its host" for one in chosen)
    why = unknown or f"no broker serves beside the active controller, node {controller}. Start or add one"
    return f"kafka_drill_faults: {name} breaks {FAULTS[name].target}, and {why}, or leave {name} out"


def examined(names: Iterable[str]) -> list[str]:
    """Return the actions of these faults that not every host supports, each once."""
    wanted = {FAULTS[name].action for name in names}
    return [action for action in EXAMINED if action in wanted]


def cut(host: str, nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the traffic that a packet filter on `host` drops: ``peers`` (names or addresses) and ``ports`` of Kafka.

    `nodes`: of ``kafka_desired``. Peers are the nodes' addresses for nodes, so no client is among them. Ports are
    those of all listeners: ssh between the hosts goes on.
    """
    others = [one for name, node in nodes.items() if name != host for one in node["listeners"]]
    ports = {one["port"] for node in nodes.values() for one in node["listeners"]}
    ports |= {one["advertised"]["port"] for one in others}
    peers = {one["advertised"]["host"] for one in others if one["purpose"] != CLIENT}
    return {"peers": sorted(peers), "ports": sorted(ports)}


def bound_seconds(name: str, properties: Iterable[Mapping[str, str]], seconds: float) -> float | None:
    """Return how long a partition may acknowledge nothing, by the nodes' settings.

    `seconds`: duration of a fault that lasts.

    None if the settings promise nothing: after all nodes were killed, it takes as long as they take to start.
    """
    fault = FAULTS[name]
    if fault.target == EVERY:
        return None
    nodes = list(properties)
    waits = [max(float(node.get(key, DEFAULTS_MS[key])) for node in nodes) / 1000 for key in fault.waits]
    return SLACK_SECONDS + sum(waits) + (seconds if fault.lasts else 0)


def drill_refusals(names: Iterable[str], profile: str, seconds: int) -> list[str]:
    """Return why these faults may not be rehearsed with that profile; `seconds`: the duration of a fault."""
    asked = list(names)
    least = max((LEAST_SECONDS.get(FAULTS[name].action, 1) for name in asked), default=1)
    every = [name for name in asked if FAULTS[name].target == EVERY and profile != "test"]
    return [
        *([] if asked else ["kafka_drill_faults: names no fault"]),
        *([f"kafka_drill_seconds: {seconds} is less than {least}"] if seconds < least else []),
        *(f"kafka_drill_faults: {name} stops every client, so it needs kafka_profile: test" for name in every),
    ]
