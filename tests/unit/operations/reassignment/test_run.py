"""A run of moves on a stand-in cluster: what it gives up, what limits it leaves, and that each wait ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

import pytest
from ansible.module_utils.kraft.cluster.leaders import NONE_SERVES
from ansible.module_utils.kraft.cluster.snapshot import Broker, Partition, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import RefusedError, ToolError, UnreachableError
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.lifting import AWAY_SECONDS
from ansible.module_utils.kraft.operations.reassignment.model import DRAINED, SPREAD, Goal, Move, Name
from ansible.module_utils.kraft.operations.reassignment.moves_module import Attempt
from ansible.module_utils.kraft.operations.reassignment.report import result, stalled
from ansible.module_utils.kraft.operations.reassignment.run import Run
from ansible.module_utils.kraft.operations.reassignment.throttle import Alteration, Throttles
from ansible.module_utils.kraft.operations.reassignment.work import LOOK_SECONDS, LOOKS, Desired

from tests.unit.cluster.snapshots import broker, cluster, partition, topic
from tests.wording_files import Wording

RATE = 3_000_000


class Cluster:
    """Moves arrive at once; `events`: what happens after this number of seconds."""

    def __init__(self, snapshot: Snapshot, events: Mapping[float, Callable[[Cluster], None]] | None = None) -> None:
        self.snapshot, self.events, self.now = snapshot, dict(events or {}), 0.0
        self.rates: dict[int, Mapping[str, str]] = {}
        self.lists: dict[str, Mapping[str, str]] = {}
        self.did: list[Any] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for due in [one for one in self.events if one <= self.now]:
            self.events.pop(due)(self)

    def fence(self, node_id: int, fenced: bool) -> None:
        brokers = tuple(
            dataclasses.replace(one, fenced=fenced) if one.node_id == node_id else one for one in self.snapshot.brokers
        )
        self.snapshot = dataclasses.replace(self.snapshot, brokers=brokers)

    def observe(self) -> Snapshot:
        return self.snapshot

    def under_way(self) -> tuple[Reassignment, ...]:
        return self.snapshot.reassignments or ()

    def bytes_held(self, brokers: Iterable[Broker], names: Iterable[Name] | None = None) -> dict[Name, dict[int, int]]:
        del brokers, names
        return {}

    def on_disk(self, _: Iterable[Broker]) -> list[str]:
        return []

    def room(self, _: Iterable[Broker]) -> dict[int, int]:
        return {}

    def throttles(self, snapshot: Snapshot) -> Throttles:
        return Throttles({one: values for one, values in self.rates.items() if one in snapshot.unfenced}, self.lists)

    def throttle(self, _: Snapshot, changes: Sequence[Alteration]) -> None:
        for one in changes:
            if one.broker >= 0 and one.broker not in self.snapshot.unfenced:
                raise UnreachableError(f"broker {one.broker} does not answer")
            place: dict[Any, Any] = self.lists if one.topic else self.rates
            kept = {key: value for key, value in one.values.items() if value is not None}
            place.pop(one.topic or one.broker, None)
            place.update({one.topic or one.broker: kept} if kept else {})

    def submit(self, moves: Sequence[Move]) -> None:
        self.did += [("submit", one.name, one.after) for one in moves]
        after = {one.name: one.after for one in moves}
        self._change(lambda name, one: partition(one.partition, after[name]) if name in after else one)

    def elect(self, _: Snapshot) -> None:
        pass

    def begin_empty(self, names: Iterable[Name], let_pass: Sequence[int] = ()) -> None:
        self.did += [("begin_empty", one, tuple(let_pass)) for one in names]

    def _change(self, change: Callable[[Name, Partition], Partition]) -> None:
        topics = tuple(
            dataclasses.replace(
                topic, partitions=tuple(change((topic.name, one.partition), one) for one in topic.partitions)
            )
            for topic in self.snapshot.topics or ()
        )
        self.snapshot = dataclasses.replace(self.snapshot, topics=topics)


def run_on(there: Cluster, asked: Desired) -> Run:
    return Run(cast("ReassignmentAdmin", there), asked, there.clock)


FOUR = [broker(one) for one in (1, 2, 3, 4)]
HEAVY = topic("heavy", *(partition(one, [1, 2, 3]) for one in range(4)))
TO_FOUR = Desired(Goal(SPREAD, frozenset({4})), rate=RATE)


def finished(there: Cluster, asked: Desired = TO_FOUR) -> Run:
    run = run_on(there, asked)
    assert run.apply(run.work())
    return run


def test_a_run_takes_its_limit_from_every_broker() -> None:
    there = Cluster(cluster(HEAVY, brokers=FOUR))
    run = finished(there)
    assert (there.rates, there.lists) == ({}, {})
    assert run.limited == {1, 2, 3, 4}
    assert run.warnings == []


class Dies(Cluster):
    """Broker 2 dies once the moves have begun."""

    def submit(self, moves: Sequence[Move]) -> None:
        super().submit(moves)
        self.fence(2, fenced=True)


class Moving(Cluster):
    """Broker 4 is to get replicas, and died before they arrived."""

    def submit(self, moves: Sequence[Move]) -> None:
        del moves

    def under_way(self) -> tuple[Reassignment, ...]:
        return (Reassignment("heavy", 0, (4,), (1,)),)


@pytest.mark.parametrize(("dead", "away"), [((4,), [4]), ((2,), []), ((), [])])
def test_moves_that_wait_for_a_broker_name_it(dead: tuple[int, ...], away: list[int], wording: Wording) -> None:
    leaves = Desired(Goal(DRAINED, frozenset({1})), rate=RATE, pause=15, timeout=40)
    there = Moving(cluster(HEAVY, brokers=[broker(one, fenced=one in dead) for one in (1, 2, 3, 4, 5)]))
    attempt = Attempt(lambda asked: run_on(there, asked), lambda _: {}, "partitions", False, leaves)
    found = attempt()
    assert (found["finished"], found["away"]) == (False, away)
    wording([stalled(40, found["away"])])


def test_a_broker_that_comes_back_in_time_loses_its_limit() -> None:
    there = Dies(cluster(HEAVY, brokers=FOUR), {20.0: lambda one: one.fence(2, fenced=False)})
    assert finished(there).warnings == []
    assert there.rates == {}


def test_a_broker_that_stays_away_is_named_with_its_limit_and_who_takes_it_away() -> None:
    there = Dies(cluster(HEAVY, brokers=FOUR))
    (said,) = finished(there).warnings
    assert "broker 2 " in said
    assert "3.0 MB/s" in said
    assert "rebalance.yml" in said
    assert AWAY_SECONDS <= there.now < AWAY_SECONDS + 5
    assert list(there.rates) == [2]


def test_a_broker_that_an_earlier_stretch_of_the_run_has_limited_is_named_too() -> None:
    there = Cluster(cluster(HEAVY, brokers=[broker(one, fenced=one == 2) for one in (1, 2, 3, 4)]))
    assert finished(there).warnings == []
    again = Cluster(there.snapshot)
    again._change(lambda _, one: partition(one.partition, [1, 2, 3]))
    assert finished(again, dataclasses.replace(TO_FOUR, limited=frozenset({2}))).warnings


def test_a_broker_that_is_drained_is_not_waited_for() -> None:
    there = Dies(cluster(HEAVY, brokers=FOUR))
    run = finished(there, Desired(Goal(DRAINED, frozenset({2})), rate=RATE))
    assert run.warnings == []
    assert there.now == 0


def test_what_was_limited_is_known_although_the_attempt_failed() -> None:
    there = Cluster(cluster(HEAVY, brokers=FOUR))

    def begin(asked: Desired) -> Run:
        run = run_on(there, asked)
        vars(there)["submit"] = lambda _: (_ for _ in ()).throw(ToolError("no"))
        return run

    attempt = Attempt(begin, lambda work: result(work, TO_FOUR), "partitions", check_mode=False, desired=TO_FOUR)
    with pytest.raises(ToolError):
        attempt()
    assert attempt.limited == {1, 2, 3, 4}


def test_partitions_that_stay_as_no_one_leads_them_are_named_in_a_warning() -> None:
    orphan = topic("o", partition(0, [2], [], leader=-1))
    there = Cluster(cluster(HEAVY, orphan, brokers=[broker(one, fenced=one == 2) for one in (1, 2, 3, 4)]))
    (said,) = result(run_on(there, TO_FOUR).work(), TO_FOUR)["warnings"]
    assert "o-0" in said
    assert "held by 2" in said


class Refilled(Cluster):
    """A topic's partitions come and go on the drained broker, and never fewer than one."""

    looks = 0

    def observe(self) -> Snapshot:
        self.looks += 1
        new = topic("new", *(partition(one, [4]) for one in range(1 + self.looks % 2)))
        return dataclasses.replace(self.snapshot, topics=(*(self.snapshot.topics or ()), new))


def test_a_drain_that_never_ends_is_given_up() -> None:
    there = Refilled(cluster(HEAVY, brokers=FOUR))
    run = run_on(there, Desired(Goal(DRAINED, frozenset({4})), timeout=20))
    work = run.work()
    with pytest.raises(ToolError, match="new-0"):
        run.apply(work)
    assert there.now < 30


class Silent(Cluster):
    """No broker reports what its log dirs hold, but all report their room."""

    def on_disk(self, _: Iterable[Broker]) -> list[str]:
        raise UnreachableError("kafka4:9092 does not answer")

    def room(self, brokers: Iterable[Broker]) -> dict[int, int]:
        return {one.node_id: 1 << 40 for one in brokers}


def test_a_drained_broker_that_does_not_report_its_log_dirs_is_not_known_to_be_empty() -> None:
    there = Silent(cluster(topic("heavy", partition(0, [1, 2, 3])), brokers=FOUR))
    run = run_on(there, Desired(Goal(DRAINED, frozenset({4}))))
    with pytest.raises(UnreachableError):
        run.apply(run.work())


def test_a_partition_of_unknown_size_fits_no_disk() -> None:
    there = Silent(cluster(topic("heavy", partition(0, [1, 2, 4])), brokers=FOUR))
    with pytest.raises(UnreachableError, match="heavy-0"):
        run_on(there, Desired(Goal(DRAINED, frozenset({4})))).work()


def test_a_replica_that_serves_is_elected_before_a_new_one_that_is_empty() -> None:
    away = [broker(one, fenced=one == 4) for one in (1, 2, 3, 4)]
    there = Cluster(cluster(topic("lost", partition(0, [4], [])), HEAVY, brokers=away))
    finished(there, Desired(Goal(DRAINED, frozenset({4})), gives_up=True))
    assert [(what, name) for what, name, *_ in there.did] == [
        ("begin_empty", ("lost", 0)),
        ("submit", ("lost", 0)),
        ("begin_empty", ("lost", 0)),
        ("submit", ("lost", 0)),
    ]
    assert [let_pass for what, _, let_pass in there.did if what == "begin_empty"] == [(NONE_SERVES,), ()]


def test_records_are_not_given_up_without_the_risk() -> None:
    away = [broker(one, fenced=one == 4) for one in (1, 2, 3, 4)]
    there = Cluster(cluster(topic("lost", partition(0, [4], [])), brokers=away))
    with pytest.raises(RefusedError):
        run_on(there, Desired(Goal(DRAINED, frozenset({4})))).work()
    assert there.did == []


@pytest.mark.parametrize(
    ("isr", "did"),
    [
        ([], ["begin_empty", "begin_empty", "submit"]),  # killed before its election
        ([4], ["submit"]),  # killed after it
        ([3], []),
    ],
)
def test_a_killed_run_that_gave_records_up_is_finished(isr: list[int], did: list[str]) -> None:
    away = [broker(one, fenced=one == 3) for one in (1, 2, 3, 4)]
    moving = cluster(topic("lost", partition(0, [4, 3], isr)), brokers=away)
    there = Cluster(dataclasses.replace(moving, reassignments=(Reassignment("lost", 0, (4,), (3,)),)))
    run = run_on(there, Desired(Goal(DRAINED, frozenset({3})), gives_up=True, pause=1))
    run.apply(run.work())
    assert [what for what, *_ in there.did] == did
    assert all(after == (4,) for what, _, after in there.did if what == "submit")


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_broker_that_has_not_read_the_end_of_a_move_is_asked_again(partitions: int) -> None:
    """With four brokers a partition with the replicas of before and after would have too many for a drain of one."""
    ended = topic("heavy", *(partition(one, [1, 2, 3]) for one in range(partitions)))
    late = partition(0, [4, 1, 2, 3])
    half = dataclasses.replace(ended, partitions=(late, *ended.partitions[1:]))

    def reads(there: Cluster) -> None:
        there.snapshot = cluster(ended, brokers=FOUR)

    there = Cluster(cluster(half, brokers=FOUR), {LOOK_SECONDS: reads})
    assert run_on(there, Desired(Goal(DRAINED, frozenset({4})))).work().moves == ()


def test_a_topic_that_has_too_many_replicas_is_refused_within_seconds() -> None:
    there = Cluster(cluster(topic("heavy", partition(0, [1, 2, 3, 4])), brokers=FOUR))
    with pytest.raises(RefusedError):
        run_on(there, Desired(Goal(DRAINED, frozenset({4})))).work()
    assert there.now == LOOK_SECONDS * (LOOKS - 1)
