"""One run: look, plan, and carry out until nothing is left, nothing advances, or its time is over.

Each run plans anew from what is there, with what is on the move counted as arrived. So it makes no difference whether
an earlier one ended, was killed, or gave the rest to this one.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence, Set
from typing import Any

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.registration import replicas as held_by
from ansible.module_utils.kraft.cluster.snapshot import Broker, Reassignment, Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.operations.reassignment import move_format, throttle
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.model import (
    BALANCED,
    DRAINED,
    Goal,
    Move,
    Name,
    known_bytes,
    placement,
)
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.planner import plan, problems
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.wording import counted

POLL_SECONDS = 0.5
ARRIVAL_SECONDS = 0.1  #: how often it is asked whether a partition has arrived, for whose replicas clients wait now


@dataclasses.dataclass(frozen=True)
class Desired:
    """``rate``: bytes per second, 0: as fast as it goes; ``together``: most partitions on the move; ``pause``: seconds
    after which a run ends although something is left, 0: none; ``timeout``: seconds without any advance; ``coming``:
    brokers that a plan counts on although they are not registered yet."""

    goal: Goal
    cancel: bool = False
    rate: int = 0
    together: int = 50
    pause: float = 0.0
    timeout: float = 300.0
    cluster_id: str = ""
    coming: tuple[Broker, ...] = ()


@dataclasses.dataclass(frozen=True)
class Work:
    """What was found and what is to be done about it."""

    snapshot: Snapshot
    moves: tuple[Move, ...]
    under_way: tuple[Reassignment, ...]
    found: Throttles
    aim: Throttles
    displaced: int = 0

    @property
    def changes(self) -> bool:
        return bool(self.moves or self.under_way or self.found.ours or self.displaced)


class Run:
    def __init__(self, admin: ReassignmentAdmin, asked: Desired, clock: Callable[[], float] = time.monotonic) -> None:
        self._admin, self._asked, self._clock = admin, asked, clock
        self._stall_timeout = StallTimeout(asked.timeout, clock)
        self._ends = clock() + asked.pause if asked.pause else float("inf")
        self._closest: tuple[int, int] | None = None
        self._throttles = Throttles()  #: ours, as they are set now
        self.left: tuple[int, int] = (0, 0)  #: partitions and bytes that are still to be moved, as last seen

    def work(self) -> Work:
        """The plan. Raises RefusedError with every problem at once."""
        snapshot, goal = self._admin.look(), self._asked.goal
        if other := snapshot.other_cluster(self._asked.cluster_id):
            raise RefusedError([other])
        under_way, found = snapshot.reassignments or (), self._admin.throttles(snapshot)
        if self._asked.cancel:
            return Work(snapshot, (), under_way, found, Throttles())
        there = {one.node_id for one in snapshot.brokers}
        new = [one for one in self._asked.coming if one.node_id not in there]
        planned = dataclasses.replace(snapshot, brokers=(*snapshot.brokers, *new))
        wrong = problems(planned, goal)
        if wrong:
            raise RefusedError(wrong)
        held = self._admin.bytes_held(snapshot.brokers)
        moves = plan(planned, goal, {name: max(sizes.values()) for name, sizes in held.items()})
        coming = [*moves, *going_on(snapshot)]
        serving = snapshot.unfenced & {broker for one in coming for broker in (*one.before, *one.after)}
        aim = throttle.wanted(coming, serving, self._asked.rate)
        wrong = [*throttle.problems(found, aim), *too_full(snapshot, moves, self._admin)]
        if wrong:
            raise RefusedError(wrong)
        displaced = len(leaders.displaced(snapshot, snapshot.unfenced)) if goal.state == BALANCED else 0
        return Work(planned, moves, under_way, found, aim, displaced)

    def apply(self, work: Work) -> bool:
        """Do it; whether all of it is done. Raises ToolError where nothing advances any more."""
        if self._asked.cancel:
            self._admin.cancel(work.under_way)
        else:
            self._admin.throttle(work.snapshot, throttle.alterations(work.found, work.aim))
            self._throttles = work.aim
        copies = [one for one in work.moves if one.adding]
        if not self._await(work, copies):
            return False
        self._admin.submit([one for one in work.moves if not one.adding])
        if not self._await(work, []):
            return False
        return self._finish(work)

    def _finish(self, work: Work) -> bool:
        now = self._admin.look()
        self._admin.throttle(now, throttle.alterations(self._admin.throttles(now), Throttles()))
        if not self._asked.cancel and work.changes:
            self._admin.elect(now)
        return self._asked.goal.state != DRAINED or self._emptied()

    def _await(self, work: Work, queue: list[Move]) -> bool:
        """Keep as many on the move as may be, until none is left; False where this run's time is over before."""
        while True:
            moving = self._admin.under_way()
            if not queue and not moving:
                self.left = (0, 0)
                return True
            coming = queue[: max(self._asked.together - len(moving), 0)]
            missing = self._release(work, queue, moving, coming)
            if coming:
                self._admin.submit(coming)
                del queue[: len(coming)]
                continue
            self._note(queue, moving, sum(missing.values()))
            if self._clock() >= self._ends:
                return False
            self._pause(len(moving))

    def _pause(self, moving: int) -> None:
        """Until one of so many has arrived, for half a second at most."""
        for _ in range(round(POLL_SECONDS / ARRIVAL_SECONDS)):
            self._admin.sleep(ARRIVAL_SECONDS)
            if len(self._admin.under_way()) < moving:
                return

    def _release(
        self, work: Work, queue: Sequence[Move], moving: Sequence[Reassignment], coming: Sequence[Move]
    ) -> dict[Name, int]:
        """Take off the throttle what has arrived, or nearly so; gives the bytes that those on the move still lack."""
        left = {one.name for one in queue} | {(one.topic, one.partition) for one in moving}
        self._limit(work, left)
        missing = self._missing(work, moving, [one for one in coming if one.adding and self._throttles.lists])
        self._limit(work, left - throttle.near(missing, round(self._asked.rate * ARRIVAL_SECONDS)))
        return {(one.topic, one.partition): missing.get((one.topic, one.partition), 0) for one in moving}

    def _limit(self, work: Work, names: Set[Name]) -> None:
        aim = throttle.still(self._throttles, names)
        self._admin.throttle(work.snapshot, throttle.alterations(self._throttles, aim))
        self._throttles = aim

    def _missing(self, work: Work, moving: Sequence[Reassignment], coming: Sequence[Move]) -> dict[Name, int]:
        """Bytes that each partition has still to get, where that is known."""
        adding = {(one.topic, one.partition): one.adding for one in moving} | {one.name: one.adding for one in coming}
        return throttle.missing(self._admin.bytes_held(work.snapshot.brokers, list(adding)), adding)

    def _note(self, queue: Sequence[Move], moving: Sequence[Reassignment], missing: int) -> None:
        """How much is left; raises when that has not become less for too long."""
        self.left = (len(queue) + len(moving), missing + (known_bytes(queue) or 0))
        self._closest = min(self._closest or self.left, self.left)
        if not self._stall_timeout.lasts(self._closest):
            raise ToolError(stuck(self._asked, moving, missing))

    def _emptied(self) -> bool:
        """Whether neither the metadata nor the log dirs show anything on the drained brokers; waits for it."""
        while True:
            snapshot = self._admin.look()
            listed = [name for one in sorted(self._asked.goal.broker_ids) for name in held_by(one, snapshot)]
            drained = [one for one in snapshot.brokers if one.node_id in self._asked.goal.broker_ids]
            on_disk = [f"{topic}-{number}" for topic, number in self._admin.bytes_held(drained)]
            if not listed and not on_disk:
                return True
            self.left = (len(listed) or len(on_disk), 0)
            if not self._stall_timeout.lasts(self.left):
                raise ToolError(f"still held after the drain: {', '.join((listed or on_disk)[:5])}. Run again.")
            if self._clock() >= self._ends:
                return False
            self._admin.sleep(POLL_SECONDS)


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


def stuck(asked: Desired, moving: Sequence[Reassignment], missing: int) -> str:
    named = ", ".join(f"{one.topic}-{one.partition}" for one in moving[:5])
    slower = f" Records may come in faster than {amount(asked.rate)}/s: allow more." if asked.rate else ""
    return (
        f"{counted(len(moving), 'partition')} on the move, {amount(missing)} missing, and nothing has "
        f"advanced for {asked.timeout:g} s: {named}.{slower} The moves go on by themselves; run again to "
        "wait for them, or take them back with state: cancelled."
    )


def result(work: Work, asked: Desired) -> dict[str, Any]:
    """What was found and is planned, as the module says it."""
    said = move_format.headline(work.moves, () if asked.cancel else work.under_way)
    cancelled = counted(len(work.under_way), "partition")
    steps = [
        *([said] if said else []),
        *([f"cancel the moves of {cancelled}"] if asked.cancel and work.under_way else []),
        *move_format.throttles(work.found, work.aim),
        *([f"let preferred leaders lead {counted(work.displaced, 'partition')} again"] if work.displaced else []),
    ]
    start, ids = placement(work.snapshot), [one.node_id for one in work.snapshot.brokers]
    lines = [*steps, *move_format.brokers(start, work.moves, ids), *move_format.moves(work.moves)]
    found: dict[str, Any] = {
        "changed": work.changes,
        "steps": steps,
        "plan": lines if work.changes else [],
        "partitions": sum(bool(one.adding) for one in work.moves),
        "replicas": sum(len(one.adding) for one in work.moves),
        "bytes": known_bytes(work.moves),
        "under_way": len(work.under_way),
    }
    return {**found, "diff": {"before": "", "after": "".join(f"{one}\n" for one in lines)}} if work.changes else found
