"""Check whether a broker's registration may be removed. Pure.

A broker that is gone stays registered, fenced, without end: it holds features back (one that it does not support cannot
be finalised) and is listed by every tool. Kafka removes the registration of any broker on request; a running one
registers again at its next start, and until then it can neither lead nor follow.
"""

from __future__ import annotations

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.problem import Problem

#: Required parts of a snapshot; the quorum shows which brokers have caught up.
PARTS = ("topics", "reassignments", "quorum")
NAMED = 5


def registered(broker_id: int, snapshot: Snapshot) -> bool:
    return any(broker.node_id == broker_id for broker in snapshot.brokers)


def unregister_refusals(broker_id: int, snapshot: Snapshot) -> list[Problem]:
    """Return why the registration must stay; empty if it may be removed."""
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
    """Return what must happen first: a broker that was killed is unfenced until its session ends."""
    if broker_id not in snapshot.unfenced:
        return ()
    return (f"broker {broker_id} serves (it is not fenced): stop it first",)


def replicas(broker_id: int, snapshot: Snapshot) -> list[str]:
    """Return partitions with a replica on the broker, or moving to it, as ``topic-number``."""
    held = [
        f"{topic.name}-{one.partition}"
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if broker_id in one.replicas
    ]
    coming = [f"{one.topic}-{one.partition}" for one in snapshot.reassignments or () if broker_id in one.adding]
    return list(dict.fromkeys([*held, *coming]))
