"""Partitions that nobody leads, and what a plan of moves makes of them. Pure.

Nothing can be copied from such a partition. A balance and a spread leave it where it is. A drain must move it, so it is
refused until a broker that holds the records is back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Snapshot
from ansible.module_utils.kraft.operations.reassignment.model import DRAINED, Goal, Name
from ansible.module_utils.kraft.problem import Problem

NAMED = 5


def found(snapshot: Snapshot) -> dict[Name, Partition]:
    """Partitions that nobody leads: nothing can be copied from them."""
    return {
        (topic.name, one.partition): one
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if one.leader == NO_NODE
    }


def movable(snapshot: Snapshot, goal: Goal) -> Snapshot:
    """`snapshot` without partitions that stay where they are, as nobody leads them; a drain must move them, too."""
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
    """Partitions without a leader that a drain would move."""
    stuck = found(snapshot).items() if goal.state == DRAINED else ()
    return {name: one for name, one in stuck if goal.broker_ids.intersection(one.replicas)}


def problems(snapshot: Snapshot, goal: Goal) -> Iterator[Problem]:
    """A drain cannot copy a partition that nobody leads: one of its holders must come back first."""
    stuck = _on_leaving(snapshot, goal)
    if not stuck:
        return
    holders = {broker for one in stuck.values() for broker in one.replicas} - snapshot.unfenced
    remedy = (
        f"start {_brokers_named(holders)}; if a disk is lost for good, run replace_node.yml for its node with "
        "kafka_accepted_risks [only_replica], or delete these topics"
        if holders
        else "wait until they have one, and run again"
    )
    yield Problem("no_leader", f"partitions without a leader: {named(stuck)}", remedy)


def _brokers_named(ids: Collection[int]) -> str:
    return f"{'broker' if len(ids) == 1 else 'brokers'} {listed(ids)}"


def named(partitions: Mapping[Name, Partition]) -> str:
    """``a-0 (in sync none, held by 2)``; of many the first."""
    texts = [
        f"{topic}-{number} (in sync {listed(one.isr)}, held by {listed(one.replicas)})"
        for (topic, number), one in list(partitions.items())[:NAMED]
    ]
    return ", ".join(texts) + (f" and {len(partitions) - NAMED} more" if len(partitions) > NAMED else "")
