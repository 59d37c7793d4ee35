"""Partitions without a leader, and their part in a plan of moves. Pure.

Nothing can be copied from such a partition. A balance and a spread leave it where it is. A drain must move it, so it is
refused until a broker that holds the records is back, or until the records are given up by the risk's name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from ansible.module_utils.kraft.cluster.health import listed, may_lead
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Snapshot
from ansible.module_utils.kraft.operations.reassignment.model import DRAINED, Goal, Name
from ansible.module_utils.kraft.operations.reassignment.move_format import brokers_named
from ansible.module_utils.kraft.problem import Problem

NAMED = 5
RULE = "only_replica"  #: the risk that can be accepted by its name
LOST_FOR_GOOD = "if its disk is lost, run replace_node.yml for it with kafka_accepted_risks [only_replica]"
ACCEPT = """-e '{"kafka_accepted_risks": ["only_replica"]}'"""
GIVE_UP = (
    f"run this again with {ACCEPT}: the partitions start empty on other brokers; to keep the node, run "
    "replace_node.yml with the same risk"
)


def found(snapshot: Snapshot) -> dict[Name, Partition]:
    """Return partitions without a leader: nothing can be copied from them."""
    return {
        (topic.name, one.partition): one
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if one.leader == NO_NODE
    }


def movable(snapshot: Snapshot, goal: Goal) -> Snapshot:
    """Return `snapshot` without partitions that stay because they have no leader; a drain must move them, too."""
    stuck = found(snapshot)
    if goal.state == DRAINED or not stuck:
        return snapshot
    topics = tuple(
        dataclasses.replace(
            topic, partitions=tuple(one for one in topic.partitions if (topic.name, one.partition) not in stuck)
        )
        for topic in snapshot.topics or ()
    )
    return dataclasses.replace(snapshot, topics=topics)


def _on_leaving(snapshot: Snapshot, goal: Goal) -> dict[Name, Partition]:
    """Return partitions without a leader that a drain would move."""
    stuck = found(snapshot).items() if goal.state == DRAINED else ()
    return {name: one for name, one in stuck if goal.broker_ids.intersection(one.replicas)}


def given_up(snapshot: Snapshot, goal: Goal) -> dict[Name, Partition]:
    """Return those that a drain can begin elsewhere without records: each absent holder leaves the cluster.

    Records of a holder that is away and stays may come back with it, so its partitions are none of them.
    """
    away = {name: set(one.replicas) - snapshot.unfenced for name, one in _on_leaving(snapshot, goal).items()}
    stuck = found(snapshot)
    return {name: stuck[name] for name, brokers in away.items() if brokers and brokers <= goal.broker_ids}


def leaderless_refusals(snapshot: Snapshot, goal: Goal, accepted: bool = False) -> Iterator[Problem]:
    """Report partitions without a leader, which a drain cannot copy. `accepted`: their records may be lost."""
    lost = given_up(snapshot, goal)
    stuck = {name: one for name, one in _on_leaving(snapshot, goal).items() if name not in lost}
    if stuck:
        holders = {broker for one in stuck.values() for broker in one.replicas} - snapshot.unfenced
        start = f"start {brokers_named(holders)}; {LOST_FOR_GOOD}"
        remedy = start if holders else "wait until they have one, and run again"
        yield Problem("no_leader", f"partitions without a leader: {named(stuck)}", remedy)
    if lost and not accepted:
        holders = {broker for one in lost.values() for broker in one.replicas} - snapshot.unfenced
        away = brokers_named(holders)
        text = f"only {away} {'has' if len(holders) == 1 else 'have'} the records of {named(lost)}"
        yield Problem(RULE, text, f"start {away}. To give the records up, {GIVE_UP}")


def named(partitions: Mapping[Name, Partition]) -> str:
    """Format ``a-0 (in sync none, held by 2)``; of many the first."""
    texts = [
        f"{topic}-{number} (in sync {listed(one.isr)}, held by {listed(one.replicas)}{may_lead(one)})"
        for (topic, number), one in list(partitions.items())[:NAMED]
    ]
    return ", ".join(texts) + (f" and {len(partitions) - NAMED} more" if len(partitions) > NAMED else "")
