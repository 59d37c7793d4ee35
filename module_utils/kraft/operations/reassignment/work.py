"""Observations and work of one run: observed, checked and planned. Nothing is changed here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import UnreachableError, refuse
from ansible.module_utils.kraft.operations.reassignment import leaderless, throttle
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, Goal, Move, Name, placement
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.planner import plan, reassignment_refusals
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.problem import Problem

NAMED = 5
LOOKS, LOOK_SECONDS = 7, 0.5  #: at most three seconds until a broker has read the end of a move


@dataclasses.dataclass(frozen=True)
class Desired:
    """``rate``: bytes per second, 0: as fast as it goes; ``together``: most moving partitions; ``pause``: seconds
    after which a run ends although something is left, 0: none; ``timeout``: seconds without any advance; ``coming``:
    brokers that a plan counts on although they are not registered yet; ``limited``: those on which this run has set a
    limit before; ``gives_up``: whether a drain may give up records that only brokers have that are away and leave."""

    goal: Goal
    cancel: bool = False
    rate: int = 0
    together: int = 50
    pause: float = 0.0
    timeout: float = 300.0
    coming: tuple[Broker, ...] = ()
    limited: frozenset[int] = frozenset()
    gives_up: bool = False


@dataclasses.dataclass(frozen=True)
class Work:
    """Observed state and planned work.

    ``stuck``: partitions that stay where they are, because they have no leader. ``given_up``: those that begin without
    the records that no serving broker has.
    """

    snapshot: Snapshot
    moves: tuple[Move, ...]
    under_way: tuple[Reassignment, ...]
    found: Throttles
    aim: Throttles
    displaced: int = 0
    stuck: Mapping[Name, Partition] = dataclasses.field(default_factory=dict)
    given_up: Mapping[Name, Partition] = dataclasses.field(default_factory=dict)

    @property
    def arrived(self) -> frozenset[Name]:
        """Return moving partitions whose new replicas are all in sync already."""
        topics = self.snapshot.topics or ()
        isr = {(topic.name, one.partition): set(one.isr) for topic in topics for one in topic.partitions}
        names = {(one.topic, one.partition): set(one.adding) for one in self.under_way}
        return frozenset(name for name, adding in names.items() if adding and adding <= isr.get(name, set()))

    @property
    def changes(self) -> bool:
        return bool(self.moves or self.under_way or self.found.ours or self.displaced)


def planned(admin: ReassignmentAdmin, asked: Desired) -> Work:
    """Return the plan. Raises RefusedError with every problem at once."""
    snapshot, goal = admin.observe(), asked.goal
    found = admin.throttles(snapshot)
    if asked.cancel:
        return Work(snapshot, (), snapshot.reassignments or (), found, Throttles())
    snapshot = settled(admin, asked, snapshot)
    expected, under_way = with_coming(snapshot, asked), snapshot.reassignments or ()
    wrong = reassignment_refusals(expected, goal, asked.gives_up)
    refuse(wrong)
    held = admin.bytes_held(snapshot.brokers)
    moves = plan(expected, goal, {name: max(sizes.values()) for name, sizes in held.items()})
    coming = [*moves, *going_on(snapshot)]
    serving = snapshot.unfenced & {broker for one in coming for broker in (*one.before, *one.after)}
    aim = throttle.wanted(coming, serving, asked.rate)
    lost = leaderless.given_up(expected, goal)
    wrong = [
        *throttle.foreign_throttle_refusals(found, aim),
        *too_full(snapshot, [one for one in moves if one.name not in lost], admin),
    ]
    refuse(wrong)
    displaced = len(leaders.displaced(snapshot, snapshot.unfenced)) if goal.state == BALANCED else 0
    stuck = {} if goal.state == DRAINED else leaderless.found(expected)
    return Work(expected, moves, under_way, found, aim, displaced, stuck, lost)


def with_coming(snapshot: Snapshot, asked: Desired) -> Snapshot:
    """Return `snapshot` with the brokers that a plan counts on."""
    there = {one.node_id for one in snapshot.brokers}
    new = [one for one in asked.coming if one.node_id not in there]
    return dataclasses.replace(snapshot, brokers=(*snapshot.brokers, *new))


def settled(admin: ReassignmentAdmin, asked: Desired, snapshot: Snapshot) -> Snapshot:
    """Return the first of LOOKS snapshots that shows no half end of a move, or the last one. `snapshot`: the first.

    Replicas come from the metadata log as a broker has read it, moves from the controller. For a moment after a
    move the broker still shows the replicas of before and after, so that the partition seems to have too many.
    """
    for _ in range(LOOKS - 1):
        rules = {one.rule for one in reassignment_refusals(with_coming(snapshot, asked), asked.goal, asked.gives_up)}
        if is_even(snapshot) and "too_few_brokers" not in rules:
            break
        admin.sleep(LOOK_SECONDS)
        snapshot = admin.observe()
    return snapshot


def is_even(snapshot: Snapshot) -> bool:
    """Check that the partitions of each topic have equal numbers of replicas, as the end of a move leaves them."""
    start = placement(snapshot)
    numbers = {(topic, len(replicas)) for (topic, _), replicas in zip(start.names, start.replicas)}
    return len(numbers) == len({topic for topic, _ in numbers})


def going_on(snapshot: Snapshot) -> list[Move]:
    """Return the reassignments under way, as moves."""
    replicas = {
        (topic.name, one.partition): one.replicas for topic in snapshot.topics or () for one in topic.partitions
    }
    found = []
    for one in snapshot.reassignments or ():
        now = replicas.get((one.topic, one.partition), ())
        before = tuple(broker for broker in now if broker not in one.adding)
        after = tuple(broker for broker in now if broker not in one.removing)
        found.append(Move(one.topic, one.partition, before, after))
    return found


def too_full(snapshot: Snapshot, moves: Sequence[Move], admin: ReassignmentAdmin) -> list[Problem]:
    """Report brokers without room for their new replicas. A broker whose log dirs have no known size counts as free.

    Raises UnreachableError while the size of a partition is unknown.
    """
    coming: dict[int, int] = {}
    for one in moves:
        for broker in one.adding:
            coming[broker] = coming.get(broker, 0) + (one.size or 0)
    room = admin.room(one for one in snapshot.brokers if one.node_id in coming)
    unsized = [f"{one.topic}-{one.partition}" for one in moves if one.size is None and room.keys() & set(one.adding)]
    if unsized:
        raise UnreachableError(f"no broker reports the size of {', '.join(unsized[:NAMED])}, so room is not known")
    return [
        Problem(
            "disk_too_full",
            f"would get {amount(coming[broker])} and has {amount(free)} free",
            "make room or add a broker first",
            host=f"broker {broker}",
        )
        for broker, free in sorted(room.items())
        if coming[broker] > free
    ]
