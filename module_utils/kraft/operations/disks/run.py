"""One run: observe, plan, and move replicas between log dirs until none is left, nothing advances, or its time is over.

Each run plans again from the present state, with moving replicas counted as arrived. Kafka goes on with a move by
itself, also after a restart of the broker. So it makes no difference whether an earlier run ended or was killed.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import ToolError, refuse
from ansible.module_utils.kraft.operations.disks import disk_format, throttle
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, DiskMove
from ansible.module_utils.kraft.operations.disks.plan import FLOOR, Drained, drain_refusals, plan
from ansible.module_utils.kraft.operations.reassignment.lifting import lift
from ansible.module_utils.kraft.operations.reassignment.move_format import amount
from ansible.module_utils.kraft.operations.reassignment.report import kept, stalled
from ansible.module_utils.kraft.operations.reassignment.throttle import is_our_rate
from ansible.module_utils.kraft.wording import counted

POLL_SECONDS = 0.5
#: Looks without a moving replica that end a run. One is not enough: Kafka reads its present logs, then its future logs.
#: A replica that arrives in between is shown at its old place, and not as moving.
QUIET_LOOKS = 2


@dataclasses.dataclass(frozen=True)
class Desired:
    """``drained``: broker -> log dirs that are emptied. ``rate``: bytes per second of each broker, 0: as fast as it
    goes; ``together``: most moving replicas of a broker; ``pause``: seconds after which a run ends although
    something is left, 0: none; ``timeout``: seconds without any advance; ``floor``: bytes by which log dirs may differ;
    ``limited``: brokers on which this run has set a limit before.
    """

    drained: Drained = dataclasses.field(default_factory=dict)
    cancel: bool = False
    rate: int = 0
    together: int = 50
    pause: float = 0.0
    timeout: float = 300.0
    floor: int = FLOOR
    limited: frozenset[int] = frozenset()


@dataclasses.dataclass(frozen=True)
class Work:
    """Observed state and planned moves. ``rates``: the present throttle of each broker."""

    snapshot: Snapshot
    brokers: tuple[BrokerDisks, ...]
    moves: tuple[DiskMove, ...]
    rates: Mapping[int, str]
    aim: Mapping[int, str]

    @property
    def under_way(self) -> int:
        return sum(len(one.coming) for one in self.brokers)

    @property
    def changes(self) -> bool:
        return bool(self.moves or self.under_way or any(map(is_our_rate, self.rates.values())))


class Run:
    def __init__(self, admin: DisksAdmin, asked: Desired, clock: Callable[[], float] = time.monotonic) -> None:
        self._admin, self._asked, self._clock = admin, asked, clock
        self._stall_timeout = StallTimeout(asked.timeout, clock)
        self._ends = clock() + asked.pause if asked.pause else float("inf")
        self._closest: tuple[int, int] | None = None
        self.limited = asked.limited  #: brokers on which this run has set a limit
        self.warnings: list[str] = []
        self.away: frozenset[int] = frozenset()  #: copies inside a broker wait for no other one
        self.left: tuple[int, int] = (0, 0)  #: replicas and bytes that are still to be moved, as last seen

    def work(self) -> Work:
        """Return the plan. Raises RefusedError with every problem at once."""
        snapshot, asked = self._admin.observe(), self._asked
        brokers, rates = self._admin.disks(snapshot.brokers), self._admin.rates(snapshot.brokers)
        if asked.cancel:
            return Work(snapshot, brokers, taken_back(brokers), rates, {})
        moves = plan(brokers, asked.drained, asked.floor)
        busy = {one.node_id for one in moves} | {one.node_id for one in brokers if one.coming}
        aim = throttle.wanted(busy, asked.rate)
        wrong = [*drain_refusals(brokers, asked.drained), *throttle.foreign_rate_refusals(rates, aim)]
        refuse(wrong)
        return Work(snapshot, brokers, moves, rates, aim)

    def apply(self, work: Work) -> bool:
        """Do it; whether all of it is done. Raises ToolError if nothing advances any more."""
        self._admin.throttle(work.snapshot, throttle.alterations(work.rates, work.aim))
        self.limited |= work.aim.keys()
        queue, looks = list(work.moves), 0
        while True:
            brokers = self._admin.disks(work.snapshot.brokers)
            if ready := self._next(queue, brokers):
                self._admin.submit(work.snapshot, ready)
                queue = [one for one in queue if one not in ready]
                continue
            looks = 0 if queue or any(one.coming for one in brokers) else looks + 1
            if looks == QUIET_LOOKS:
                self.left = (0, 0)
                break
            self._note(queue, brokers)
            if self._clock() >= self._ends:
                return False
            self._admin.sleep(POLL_SECONDS)
        _, away = lift(self._admin.observe, self._unthrottle, self.limited, self._clock, self._admin.sleep)
        if away:
            self.warnings.append(kept(away, self._asked.rate, "balance_disks.yml"))
        refuse_if_failed(work.brokers, brokers)
        self._emptied(brokers)
        return True

    def _unthrottle(self, now: Snapshot) -> None:
        self._admin.throttle(now, throttle.alterations(self._admin.rates(now.brokers), {}))

    def _next(self, queue: Sequence[DiskMove], brokers: Sequence[BrokerDisks]) -> list[DiskMove]:
        """Return as many of the queue as each broker may take on now."""
        room = {one.node_id: self._asked.together - len(one.coming) for one in brokers}
        ready = []
        for one in queue:
            if room.get(one.node_id, 0) > 0 or one.source == one.target:
                room[one.node_id] -= 1
                ready.append(one)
        return ready

    def _note(self, queue: Sequence[DiskMove], brokers: Sequence[BrokerDisks]) -> None:
        """Note the remaining work; raises if it has not become less for too long."""
        missing = [
            max(0, one.held.get(name, ("", 0))[1] - arrived)
            for one in brokers
            for name, (_, arrived) in one.coming.items()
        ]
        self.left = len(queue) + len(missing), sum(missing) + sum(one.copied for one in queue)
        self._closest = min(self._closest or self.left, self.left)
        if not self._stall_timeout.lasts(self._closest):
            raise ToolError(
                f"{counted(self.left[0], 'replica')} with {amount(self.left[1])} left to move, and "
                + stalled(self._asked.timeout, self.away)
            )

    def _emptied(self, brokers: Sequence[BrokerDisks]) -> None:
        """Raises if a drained log dir got a new replica meanwhile."""
        for one in brokers:
            for disk in one.disks:
                if disk.held and disk.path in self._asked.drained.get(one.node_id, ()):
                    named = ", ".join(f"{topic}-{number}" for topic, number in list(disk.held)[:5])
                    raise ToolError(f"broker {one.node_id} {disk.path} got new replicas: {named}. Run again.")


def refuse_if_failed(before: Sequence[BrokerDisks], now: Sequence[BrokerDisks]) -> None:
    """Raise ToolError if a log dir failed meanwhile. It lists no replicas, which does not mean that it holds none."""
    online = {(one.node_id, disk.path) for one in now for disk in one.online}
    known = [(one.node_id, disk.path) for one in before for disk in one.online]
    lost = [f"broker {node_id} {path}" for node_id, path in known if (node_id, path) not in online]
    if lost:
        raise ToolError(
            f"{', '.join(lost)} failed meanwhile, so what it still holds is unknown. Replace the disk "
            "(docs/runbooks/balance_disks.md); Kafka copies its replicas from other brokers"
        )


def taken_back(brokers: Sequence[BrokerDisks]) -> tuple[DiskMove, ...]:
    """Return moves that send moving replicas back to their present place."""
    return tuple(
        DiskMove(one.node_id, name, one.held[name][0], one.held[name][0])
        for one in brokers
        for name in one.coming
        if name in one.held
    )


def result(work: Work, asked: Desired) -> dict[str, Any]:
    """Return the observed state and the plan, as the module's result."""
    steps = disk_format.steps(work.moves, work.under_way, asked.cancel, work.rates, work.aim)
    lines = [*steps, *disk_format.disks(work.brokers, work.moves), *disk_format.moves(work.moves)]
    found = {
        "changed": work.changes,
        "steps": steps,
        "plan": lines,
        "log_dirs": disk_format.topics_of(work.brokers),
        "replicas": len(work.moves),
        "bytes": sum(one.copied for one in work.moves),
        "under_way": work.under_way,
    }
    return {**found, "diff": {"before": "", "after": "".join(f"{one}\n" for one in lines)}} if work.changes else found
