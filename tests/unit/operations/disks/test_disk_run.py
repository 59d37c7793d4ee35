"""A run of moves between log dirs on a stand-in cluster: its wait ends, and a limit that stays is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import cast

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, Disk, DiskMove
from ansible.module_utils.kraft.operations.disks.run import Desired, Run
from ansible.module_utils.kraft.operations.reassignment.throttle import Alteration

from tests.unit.cluster.snapshots import broker, cluster

FULL = 1_000_000


class Cluster:
    """One replica of broker 1 is copied; `arrived`: its bytes at the other log dir, look by look; then it is there."""

    def __init__(self, arrived: Iterable[int]) -> None:
        self.arrived, self.now, self.rates_set = iter(arrived), 0.0, dict[int, str]()
        self.dead = False

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def observe(self) -> Snapshot:
        return cluster(brokers=[broker(1, fenced=self.dead)])

    def disks(self, _: Iterable[Broker]) -> tuple[BrokerDisks, ...]:
        coming = next(self.arrived, None)
        name = ("t", 0)
        if coming is None:
            return (BrokerDisks(1, (Disk("/a"), Disk("/b", held={name: FULL}))),)
        return (BrokerDisks(1, (Disk("/a", held={name: FULL}), Disk("/b", coming={name: coming}))),)

    def rates(self, brokers: Iterable[Broker]) -> dict[int, str]:
        return {one.node_id: self.rates_set[one.node_id] for one in brokers if one.node_id in self.rates_set}

    def throttle(self, _: Snapshot, changes: Sequence[Alteration]) -> None:
        for one in changes:
            (value,) = one.values.values()
            self.rates_set.pop(one.broker, None)
            self.rates_set.update({one.broker: value} if value else {})

    def submit(self, _: Snapshot, moves: Sequence[DiskMove]) -> None:
        raise AssertionError(moves)


class Swapping(Cluster):
    """One look shows the replica at its old place, and not as moving; the next one shows where it is."""

    def disks(self, brokers: Iterable[Broker]) -> tuple[BrokerDisks, ...]:
        found = super().disks(brokers)
        return (BrokerDisks(1, (Disk("/a", held={("t", 0): FULL}), Disk("/b"))),) if next(self.torn, False) else found

    torn: Iterator[bool] = iter(())


class Failing(Cluster):
    """The log dir that is drained fails in the middle: it lists nothing, and what has arrived is no copy any more."""

    def disks(self, brokers: Iterable[Broker]) -> tuple[BrokerDisks, ...]:
        if (coming := next(self.arrived, None)) is not None:
            self.arrived = chain([coming], self.arrived)
            return super().disks(brokers)
        return (BrokerDisks(1, (Disk("/a", error="KAFKA_STORAGE_ERROR"), Disk("/b", coming={("t", 0): 5}))),)


def run_on(there: Cluster, rate: int = 0) -> Run:
    return Run(cast("DisksAdmin", there), Desired(rate=rate, timeout=20), there.clock)


def test_bytes_that_go_up_and_down_are_no_advance() -> None:
    there = Cluster(400_000 + 1000 * (number % 2) for number in range(1000))
    run = run_on(there)
    with pytest.raises(ToolError, match=r"20 s\. .* with a higher kafka_move_throttle"):
        run.apply(run.work())
    assert there.now < 30


def test_a_copy_that_advances_is_waited_for() -> None:
    there = Cluster(range(0, FULL, 10_000))
    run = run_on(there)
    assert run.apply(run.work())
    assert there.now > 40
    assert run.warnings == []


def test_a_look_in_the_moment_of_arrival_is_not_the_end() -> None:
    there = Swapping([0, 1000])
    run = Run(cast("DisksAdmin", there), Desired({1: ["/a"]}, timeout=20), there.clock)
    work = run.work()
    there.torn = iter([False, True])
    assert run.apply(work)
    assert run.left == (0, 0)


def test_a_log_dir_that_fails_meanwhile_is_not_emptied() -> None:
    there = Failing([0, 1000])
    run = Run(cast("DisksAdmin", there), Desired({1: ["/a"]}, rate=3_000_000, timeout=20), there.clock)
    with pytest.raises(ToolError, match=r"broker 1 /a failed"):
        run.apply(run.work())
    assert there.rates_set == {}


def test_a_broker_that_dies_and_keeps_its_limit_is_named_with_who_takes_it_away() -> None:
    there = Cluster([0, 0])
    run = run_on(there, rate=3_000_000)
    work = run.work()
    there.dead = True
    assert run.apply(work)
    assert run.limited == {1}
    (said,) = run.warnings
    assert "broker 1 " in said
    assert "balance_disks.yml" in said
