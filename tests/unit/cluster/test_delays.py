"""The caller decides the largest lag of a controller, in every check of it."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.health import Expected, distance, unhealthy_reasons
from ansible.module_utils.kraft.cluster.shutdown_check import judge
from ansible.module_utils.kraft.cluster.snapshot import Feature, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.operations.quorum import plan as voters
from ansible.module_utils.kraft.operations.roll.batches import Members, batches
from ansible.module_utils.kraft.operations.roll.restart_order import order, ready

from tests.unit.cluster.snapshots import cluster, quorum, replica, voter

BEHIND, PATIENT, HASTY = 5_000, 10_000, 2_000
LATE = cluster(leader=quorum(1, voter(1), voter(2, BEHIND), voter(3)))
delays = pytest.mark.parametrize(("largest", "ready_in_time"), [(PATIENT, True), (HASTY, False)])


@delays
def test_the_gate_counts_who_is_caught_up_by_it(largest: int, ready_in_time: bool) -> None:
    assert judge(LATE, [3], largest).allows() is ready_in_time


@delays
def test_health_judges_and_measures_by_it(largest: int, ready_in_time: bool) -> None:
    wanted = Expected("x", largest_delay_ms=largest)
    assert (unhealthy_reasons(LATE, wanted) == ()) is ready_in_time
    assert (distance(LATE, wanted) == 0) is ready_in_time


@delays
def test_a_roll_is_ordered_by_it(largest: int, ready_in_time: bool) -> None:
    assert (2 in ready(LATE, largest_delay_ms=largest)) is ready_in_time
    assert order([2, 3], LATE, largest_delay_ms=largest) == (2, 3)
    late_last = cluster(leader=quorum(1, voter(1), voter(2), voter(3, BEHIND)))
    assert order([2, 3], late_last, largest_delay_ms=largest) == ((2, 3) if ready_in_time else (3, 2))


@delays
def test_batches_are_made_by_it(largest: int, ready_in_time: bool) -> None:
    five = cluster(leader=quorum(5, *(voter(one) for one in (1, 2, 3, 5)), voter(4, BEHIND)))
    found = batches(five, {1, 2, 4}, Members(brokers=frozenset({9})), 3, largest)
    assert found == (((1, 2), (4,)) if ready_in_time else ((4,), (1,), (2,)))


def snapshot(*members: Replica, observers: tuple[Replica, ...] = ()) -> Snapshot:
    found = Quorum(1, 1, 100, members, observers)
    return Snapshot("x", quorum=found, features=(Feature("kraft.version", 1, 0, 1),))


@delays
def test_a_voter_comes_and_goes_by_it(largest: int, ready_in_time: bool) -> None:
    two = (replica(1, "one"), replica(2, "two", BEHIND))
    comes = snapshot(replica(1, "one"), observers=(replica(3, "new", BEHIND),))
    assert (voters.plan(voters.Desired(3, largest_delay_ms=largest), comes).waits == ()) is ready_in_time
    leaves = snapshot(*two, replica(3, "three"))
    desired = voters.Desired(3, present=False, largest_delay_ms=largest)
    assert (voters.plan(desired, leaves).waits == ()) is ready_in_time


@delays
def test_whether_an_entry_lives_is_told_by_it(largest: int, ready_in_time: bool) -> None:
    later = replica(3, "new", fetched=9)
    seen = snapshot(replica(1, "one"), replica(2, "two"), replica(3, "old", BEHIND), observers=(later,))
    desired = voters.Desired(3, replace=True, largest_delay_ms=largest)
    assert voters.target(desired, seen.quorum or quorum(1)) == ("old" if ready_in_time else "new")
    named = dataclasses.replace(desired, directory_id="new")
    assert [one.rule for one in voters.quorum_refusals(named, seen)] == (["voter_lives"] if ready_in_time else [])
