"""Target brokers of replicas, with least movement. Pure, and the same for the same input.

The number of replicas stays, no broker holds two of one partition, and racks stay at least as spread as they are.
Nothing goes to a broker that does not serve. A second plan, made when the first is done, is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.operations.reassignment import leaderless
from ansible.module_utils.kraft.operations.reassignment.balance import Leaders, Level
from ansible.module_utils.kraft.operations.reassignment.layout import Layout, changed, grouped
from ansible.module_utils.kraft.operations.reassignment.model import (
    BALANCED,
    DRAINED,
    SPREAD,
    Goal,
    Move,
    Sizes,
    placement,
)
from ansible.module_utils.kraft.operations.reassignment.move_format import brokers_named
from ansible.module_utils.kraft.problem import Problem

NAMED = 5


def plan(snapshot: Snapshot, goal: Goal, sizes: Sizes | None = None) -> tuple[Move, ...]:
    """Plan moves from a snapshot with PARTS and no ``problems``, in the order of topics and partitions.

    `sizes`: bytes of a partition, as far as they are known; of two partitions that serve as well the smaller is moved.
    """
    start, sizes = placement(leaderless.movable(snapshot, goal)), sizes or {}
    racks = {one.node_id: one.rack for one in snapshot.brokers}
    layout = Layout(start, racks, sizes)
    able = able_brokers(snapshot, goal)
    if goal.state == DRAINED:
        _drain(layout, goal.broker_ids, able)
    elif goal.state == SPREAD:
        Level(layout, able - goal.broker_ids, able & goal.broker_ids).run()
    else:
        _spread_racks(layout, able)
        Level(layout, able, able).run()
    free = range(len(layout.replicas)) if goal.state == BALANCED else changed(layout, start.replicas)
    Leaders(layout, free, able).run()
    return tuple(
        Move(*start.names[index], start.replicas[index], tuple(layout.replicas[index]), sizes.get(start.names[index]))
        for index in changed(layout, start.replicas)
    )


def able_brokers(snapshot: Snapshot, goal: Goal) -> frozenset[int]:
    """Return brokers that serve and are not to be emptied."""
    return snapshot.unfenced - (goal.broker_ids if goal.state == DRAINED else frozenset())


def reassignment_refusals(snapshot: Snapshot, goal: Goal, accepted: bool = False) -> list[Problem]:
    """Report problems that no move can solve, and those to repair before any move.

    `accepted`: a drain may give up records that only brokers have that are away and leave.
    """
    return [
        *_brokers(snapshot, goal),
        *_factors(snapshot, goal),
        *leaderless.leaderless_refusals(snapshot, goal, accepted),
    ]


def _brokers(snapshot: Snapshot, goal: Goal) -> Iterator[Problem]:
    registered = {one.node_id for one in snapshot.brokers}
    unknown = goal.broker_ids - registered
    if unknown and goal.state == SPREAD:
        text = f"brokers {listed(unknown)} are not registered (there are {listed(registered)})"
        yield Problem("unknown_broker", text, "start them first, or correct broker_ids")
    fenced = registered - snapshot.unfenced
    needed = fenced & goal.broker_ids if goal.state == SPREAD else fenced
    if needed and goal.state != DRAINED:
        text = f"nothing can be moved to {brokers_named(needed)}: fenced (registered, not serving)"
        remedy = f"start {brokers_named(needed)} and run again, or remove_nodes.yml with --limit if the machine is lost"
        yield Problem("fenced_broker", text, remedy)


def _factors(snapshot: Snapshot, goal: Goal) -> Iterator[Problem]:
    """Report topics with more replicas than brokers are left to hold them."""
    if goal.state != DRAINED:
        return
    left, start = able_brokers(snapshot, goal), placement(snapshot)
    away = {one.node_id for one in snapshot.brokers if one.fenced} - goal.broker_ids
    start_first = f"start broker {listed(away)}, which is registered but unavailable; otherwise " if away else ""
    found: dict[str, int] = {}
    for (topic, _), replicas in zip(start.names, start.replicas):
        if len(replicas) > len(left) and goal.broker_ids.intersection(replicas):
            found[topic] = len(replicas)
    for topic, factor in list(found.items())[:NAMED]:
        text = f"topic {topic} has {factor} replicas, and without {listed(goal.broker_ids)} only {len(left)} brokers"
        text += f" ({listed(left)}) are left to hold them"
        yield Problem(
            "too_few_brokers", text, f"{start_first}add a broker first, or lower its replication factor (kafka_topic)"
        )
    if len(found) > NAMED:
        yield Problem("too_few_brokers", f"and {len(found) - NAMED} more topics", "")


def _drain(layout: Layout, leaving: Collection[int], able: Collection[int]) -> None:
    """Move each replica of a leaving broker to the rack with least of its partition, to the emptiest broker."""
    groups = grouped(able, layout.racks)
    for source in sorted(leaving):
        for index in list(layout.held.get(source, ())):
            layout.move(index, source, _home(layout, index, source, groups))


def _home(layout: Layout, index: int, source: int, groups: Mapping[str | None, Collection[int]]) -> int:
    rest = [one for one in layout.replicas[index] if one != source]
    best: list[tuple[int, int, int]] = []
    for rack, members in groups.items():
        here = 0 if rack is None else sum(layout.racks.get(one) == rack for one in rest)
        best += (
            [(here, *min(free))] if (free := [(layout.count(one), one) for one in members if one not in rest]) else []
        )
    return min(best)[2]


def _spread_racks(layout: Layout, able: Collection[int]) -> None:
    """Move replicas that share a rack although another one has room."""
    groups = grouped([one for one in able if layout.racks.get(one) is not None], layout.racks)
    alone = [one for one in able if layout.racks.get(one) is None]
    for index, replicas in enumerate(layout.replicas):
        named = [rack for one in replicas if (rack := layout.racks.get(one)) is not None]
        while len(set(named)) < len(named):
            step = _spreading_step(layout, index, groups, alone)
            if step is None:
                break
            layout.move(index, *step)
            named = [rack for one in replicas if (rack := layout.racks.get(one)) is not None]


def _spreading_step(
    layout: Layout, index: int, groups: Mapping[str | None, Collection[int]], alone: Collection[int]
) -> tuple[int, int] | None:
    """Return (from, to): out of the fullest rack, into the emptiest, if they differ by two or more."""
    replicas = layout.replicas[index]
    source = max(replicas, key=lambda one: (layout.in_rack_of(one, replicas), layout.count(one), one))
    most = layout.in_rack_of(source, replicas) + 1
    targets = [
        (sum(layout.racks.get(other) == rack for other in replicas), layout.count(one), one)
        for rack, members in groups.items()
        for one in members
        if one not in replicas
    ]
    targets += [(0, layout.count(one), one) for one in alone if one not in replicas]
    best = min(targets, default=None)
    return (source, best[2]) if best and best[0] <= most - 2 else None
