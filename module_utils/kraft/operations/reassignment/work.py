"""What one run finds and is to do about it: looked at, judged and planned. Nothing is changed here."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.reassignment import leaderless, throttle
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.model import BALANCED, DRAINED, Goal, Move, Name, placement
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.planner import plan, problems
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.problem import Problem

LOOKS, LOOK_SECONDS = 7, 0.5  #: at most three seconds until a broker has read the end of a move


@dataclasses.dataclass(frozen=True)
class Desired:
    """``rate``: bytes per second, 0: as fast as it goes; ``together``: most partitions on the move; ``pause``: seconds
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
    """What was found and what is to be done about it.

    ``stuck``: partitions that stay where they are, as nobody leads them. ``given_up``: those that begin without what
    nobody else has of them.
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
        """What is on the move although all that were to come are in sync."""
        topics = self.snapshot.topics or ()
        isr = {(topic.name, one.partition): set(one.isr) for topic in topics for one in topic.partitions}
        names = {(one.topic, one.partition): set(one.adding) for one in self.under_way}
        return frozenset(name for name, adding in names.items() if adding and adding <= isr.get(name, set()))

    @property
    def changes(self) -> bool:
        return bool(self.moves or self.under_way or self.found.ours or self.displaced)


def planned(admin: ReassignmentAdmin, asked: Desired) -> Work:
    """The plan. Raises RefusedError with every problem at once."""
    snapshot, goal = admin.look(), asked.goal
    found = admin.throttles(snapshot)
    if asked.cancel:
        return Work(snapshot, (), snapshot.reassignments or (), found, Throttles())
    snapshot = settled(admin, asked, snapshot)
    expected, under_way = with_coming(snapshot, asked), snapshot.reassignments or ()
    wrong = problems(expected, goal, asked.gives_up)
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
    return Work(expected, moves, under_way, found, aim, displaced, stuck, leaderless.given_up(expected, goal))


def with_coming(snapshot: Snapshot, asked: Desired) -> Snapshot:
    """`snapshot` with the brokers that a plan counts on."""
    there = {one.node_id for one in snapshot.brokers}
    new = [one for one in asked.coming if one.node_id not in there]
    return dataclasses.replace(snapshot, brokers=(*snapshot.brokers, *new))


def settled(admin: ReassignmentAdmin, asked: Desired, snapshot: Snapshot) -> Snapshot:
    """The first look of LOOKS that shows no end of a move half, or the last one. `snapshot`: the first look.

    Replicas are what a broker has read of the metadata log, and moves what the controller says. For a moment after a
    move the broker still shows the replicas of before and after, so that the partition seems to have too many.
    """
    for _ in range(LOOKS - 1):
        rules = {one.rule for one in problems(with_coming(snapshot, asked), asked.goal, asked.gives_up)}
        if is_even(snapshot) and "too_few_brokers" not in rules:
            break
        admin.sleep(LOOK_SECONDS)
        snapshot = admin.look()
    return snapshot


def is_even(snapshot: Snapshot) -> bool:
    """Whether the partitions of each topic have equal numbers of replicas, as the end of a move leaves them."""
    start = placement(snapshot)
    numbers = {(topic, len(replicas)) for (topic, _), replicas in zip(start.names, start.replicas)}
    return len(numbers) == len({topic for topic, _ in numbers})


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
