"""What one run finds and is to do about it: looked at, judged and planned. Nothing is changed here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.reassignment import leaderless, throttle
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, Goal, Move, Name
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.planner import plan, problems
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.problem import Problem


@dataclasses.dataclass(frozen=True)
class Desired:
    """``rate``: bytes per second, 0: as fast as it goes; ``together``: most partitions on the move; ``pause``: seconds
    after which a run ends although something is left, 0: none; ``timeout``: seconds without any advance; ``coming``:
    brokers that a plan counts on although they are not registered yet; ``limited``: those on which this run has set a
    limit before."""

    goal: Goal
    cancel: bool = False
    rate: int = 0
    together: int = 50
    pause: float = 0.0
    timeout: float = 300.0
    coming: tuple[Broker, ...] = ()
    limited: frozenset[int] = frozenset()


@dataclasses.dataclass(frozen=True)
class Work:
    """What was found and what is to be done about it.

    ``stuck``: partitions that stay where they are, as nobody leads them.
    """

    snapshot: Snapshot
    moves: tuple[Move, ...]
    under_way: tuple[Reassignment, ...]
    found: Throttles
    aim: Throttles
    displaced: int = 0
    stuck: Mapping[Name, Partition] = dataclasses.field(default_factory=dict)

    @property
    def changes(self) -> bool:
        return bool(self.moves or self.under_way or self.found.ours or self.displaced)


def planned(admin: ReassignmentAdmin, asked: Desired) -> Work:
    """The plan. Raises RefusedError with every problem at once."""
    snapshot, goal = admin.look(), asked.goal
    under_way, found = snapshot.reassignments or (), admin.throttles(snapshot)
    if asked.cancel:
        return Work(snapshot, (), under_way, found, Throttles())
    there = {one.node_id for one in snapshot.brokers}
    new = [one for one in asked.coming if one.node_id not in there]
    expected = dataclasses.replace(snapshot, brokers=(*snapshot.brokers, *new))
    wrong = problems(expected, goal)
    if wrong:
        raise RefusedError(wrong)
    held = admin.bytes_held(snapshot.brokers)
    moves = plan(expected, goal, {name: max(sizes.values()) for name, sizes in held.items()})
    coming = [*moves, *going_on(snapshot)]
    serving = snapshot.unfenced & {broker for one in coming for broker in (*one.before, *one.after)}
    aim = throttle.wanted(coming, serving, asked.rate)
    wrong = [*throttle.problems(found, aim), *too_full(snapshot, moves, admin)]
    if wrong:
        raise RefusedError(wrong)
    displaced = len(leaders.displaced(snapshot, snapshot.unfenced)) if goal.state == BALANCED else 0
    stuck = {} if goal.state == DRAINED else leaderless.found(expected)
    return Work(expected, moves, under_way, found, aim, displaced, stuck)


def going_on(snapshot: Snapshot) -> list[Move]:
    """What is on the move already, as moves."""
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
    """Brokers without room for what they would get; one that does not say what room it has is believed to have it."""
    coming: dict[int, int] = {}
    for one in moves:
        for broker in one.adding:
            coming[broker] = coming.get(broker, 0) + (one.size or 0)
    room = admin.room(one for one in snapshot.brokers if one.node_id in coming)
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
