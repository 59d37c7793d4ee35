"""Whether a broker's registration may be taken away. Pure.

A broker that is gone stays registered, fenced, for ever: it holds features back (what it does not support cannot be
finalised) and is listed by every tool. Kafka takes the registration of any broker away when asked; one that runs
registers itself again at its next start, and until then nobody may lead or follow on it.
"""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.problem import Problem

#: What a snapshot must hold to be judged; the quorum says which brokers have caught up.
PARTS = ("topics", "reassignments", "quorum")
NAMED = 5


def registered(broker_id: int, snapshot: Snapshot) -> bool:
    return any(broker.node_id == broker_id for broker in snapshot.brokers)


def problems(broker_id: int, snapshot: Snapshot) -> list[Problem]:
    """Why the registration must stay; nothing where there is none."""
    if not registered(broker_id, snapshot):
        return []
    where = f"broker {broker_id}"
    held = replicas(broker_id, snapshot)
    if not held:
        return []
    more = f" and {len(held) - NAMED} more" if len(held) > NAMED else ""
    text = f"has replicas of {len(held)} partitions: {', '.join(held[:NAMED])}{more}"
    return [Problem("has_replicas", text, "move them to other brokers first, or start it again", where)]


def waits(broker_id: int, snapshot: Snapshot) -> tuple[str, ...]:
    """What must come to pass first: a broker that was killed is unfenced until its session ends."""
    if broker_id not in snapshot.unfenced:
        return ()
    return (f"broker {broker_id} serves (it is not fenced): stop it first",)


def replicas(broker_id: int, snapshot: Snapshot) -> list[str]:
    """Partitions with a replica on the broker, or on their way to it, as ``topic-number``."""
    held = [
        f"{topic.name}-{one.partition}"
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if broker_id in one.replicas
    ]
    coming = [f"{one.topic}-{one.partition}" for one in snapshot.reassignments or () if broker_id in one.adding]
    return list(dict.fromkeys([*held, *coming]))
