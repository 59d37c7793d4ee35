"""One run: observe, plan, and carry out until nothing is left, nothing advances, or its time is over.

Each run plans again from the present state, with moving replicas counted as arrived. So it makes no difference
whether an earlier one ended, was killed, or left the rest to this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Set

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.registration import replicas as held_by
from ansible.module_utils.kraft.cluster.snapshot import Reassignment, Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.operations.reassignment import report, throttle
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.lifting import lift
from ansible.module_utils.kraft.operations.reassignment.model import DRAINED, Move, Name, known_bytes
from ansible.module_utils.kraft.operations.reassignment.throttle import Throttles
from ansible.module_utils.kraft.operations.reassignment.work import Desired, Work, going_on, planned

POLL_SECONDS = 0.5
ARRIVAL_SECONDS = 0.1  #: how often it is asked whether a partition has arrived, for whose replicas clients wait now


class Run:
    def __init__(self, admin: ReassignmentAdmin, asked: Desired, clock: Callable[[], float] = time.monotonic) -> None:
        self._admin, self._asked, self._clock = admin, asked, clock
        self._stall_timeout = StallTimeout(asked.timeout, clock)
        self._ends = clock() + asked.pause if asked.pause else float("inf")
        self._closest: tuple[int, int] | None = None
        self._throttles = Throttles()  #: ours, as they are set now
        self.limited = asked.limited  #: brokers on which this run has set a limit
        self.warnings: list[str] = []
        self.away: frozenset[int] = frozenset()  #: brokers to which something is on the move, and which did not serve
        self.left: tuple[int, int] = (0, 0)  #: partitions and bytes that are still to be moved, as last seen

    def work(self) -> Work:
        """Return the plan. Raises RefusedError with every problem at once."""
        return planned(self._admin, self._asked)

    def apply(self, work: Work) -> bool:
        """Do it; whether all of it is done. Raises ToolError if nothing advances any more."""
        if self._asked.cancel:
            self._admin.cancel(work.under_way)
        else:
            self._admin.throttle(work.snapshot, throttle.alterations(work.found, work.aim))
            self._throttles = work.aim
            self.limited |= work.aim.rates.keys()
        self._give_up(work)
        copies = [one for one in work.moves if one.adding and one.name not in work.given_up]
        if not self._await(work, copies):
            return False
        self._admin.submit([one for one in work.moves if not one.adding])
        if not self._await(work, []):
            return False
        return self._finish(work)

    def _give_up(self, work: Work) -> None:
        """Let a serving replica go on with its own records. If none serves, a new one begins empty.

        Kafka ends a move when replicas come in sync. An election that makes the new one the leader is no such moment.
        So the move is requested again, also that of an earlier run which was killed between the two.
        """
        lost = [one for one in work.moves if one.name in work.given_up]
        if work.given_up:
            self._admin.begin_empty(work.given_up, let_pass=[leaders.NONE_SERVES])
            self._admin.submit(lost)
            self._admin.begin_empty(work.given_up)
        again = work.arrived.union(work.given_up)
        self._admin.submit([*lost, *(one for one in going_on(work.snapshot) if one.name in again)])

    def _finish(self, work: Work) -> bool:
        gone = self._asked.goal.broker_ids if self._asked.goal.state == DRAINED else frozenset[int]()
        now, away = lift(self._admin.observe, self._unthrottle, self.limited - gone, self._clock, self._admin.sleep)
        if away:
            self.warnings.append(report.kept(away, self._asked.rate, "rebalance.yml"))
        if not self._asked.cancel and work.changes:
            self._admin.elect(now)
        return self._asked.goal.state != DRAINED or self._emptied()

    def _unthrottle(self, now: Snapshot) -> None:
        self._admin.throttle(now, throttle.alterations(self._admin.throttles(now), Throttles()))

    def _await(self, work: Work, queue: list[Move]) -> bool:
        """Keep the permitted number of moves running until none is left. False if the time of this run ends first."""
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
            self.away = frozenset(broker for one in moving for broker in one.adding) - work.snapshot.unfenced
            self._note(queue, moving, sum(missing.values()))
            if self._clock() >= self._ends:
                return False
            self._pause(len(moving))

    def _pause(self, moving: int) -> None:
        """Wait until one of the `moving` partitions has arrived, for half a second at most."""
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
        """Return the bytes that each partition has still to get, if known."""
        adding = {(one.topic, one.partition): one.adding for one in moving} | {one.name: one.adding for one in coming}
        return throttle.missing(self._admin.bytes_held(work.snapshot.brokers, list(adding)), adding)

    def _note(self, queue: Sequence[Move], moving: Sequence[Reassignment], missing: int) -> None:
        """Note the remaining work; raises if it has not become less for too long."""
        self.left = (len(queue) + len(moving), missing + (known_bytes(queue) or 0))
        self._closest = min(self._closest or self.left, self.left)
        if not self._stall_timeout.lasts(self._closest):
            raise ToolError(report.stuck(self._asked, moving, missing, self.away))

    def _emptied(self) -> bool:
        """Wait until neither the metadata nor the log dirs show anything on the drained brokers; False on a timeout."""
        fewest: tuple[int, int] | None = None
        while True:
            snapshot = self._admin.observe()
            listed = [name for one in sorted(self._asked.goal.broker_ids) for name in held_by(one, snapshot)]
            drained = [one for one in snapshot.brokers if one.node_id in self._asked.goal.broker_ids]
            on_disk = self._admin.on_disk(drained)
            if not listed and not on_disk:
                return True
            self.left = (len(listed) or len(on_disk), 0)
            fewest = min(fewest or self.left, self.left)
            if not self._stall_timeout.lasts(fewest):
                raise ToolError(f"still held after the drain: {', '.join((listed or on_disk)[:5])}. Run again.")
            if self._clock() >= self._ends:
                return False
            self._admin.sleep(POLL_SECONDS)
