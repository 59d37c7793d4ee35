"""Voters that come and go: what is refused under which id, which directory id is meant, what is waited for."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Feature, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.operations.quorum.plan import (
    Desired,
    Listener,
    Plan,
    distance,
    plan,
    quorum_refusals,
    target,
)

from tests.unit.cluster.snapshots import replica
from tests.unit.problems import Told, told, values

AT = (Listener("CONTROLLER", "kafka3", 9093),)
AWAY, NEVER = 60_000, -1


ONE, TWO, THREE = replica(1, "one"), replica(2, "two"), replica(3, "three")
LOST = replica(3, "old", AWAY, fetched=5)
LATER, BEFORE = replica(3, "new", fetched=9), replica(3, "new", fetched=5)


def quorum(*voters: Replica, observers: tuple[Replica, ...] = (), leader: int = 1) -> Quorum:
    return Quorum(leader, 1, 100, voters, observers)


def snapshot(*voters: Replica, observers: tuple[Replica, ...] = (), kraft: int = 1) -> Snapshot:
    features = (Feature("kraft.version", kraft, 0, 1),)
    return Snapshot("x", quorum=quorum(*voters, observers=observers), features=features)


@pytest.mark.parametrize(
    ("desired", "seen", "expected"),
    [
        (Desired(3), snapshot(ONE, kraft=0), ("static_quorum", "", "", None)),
        (Desired(3), dataclasses.replace(snapshot(ONE), features=()), ("static_quorum", "", "", None)),
        (Desired(1, present=False), snapshot(ONE), ("last_voter", "controller 1", "", None)),
        (Desired(1, present=False, directory_id="one"), snapshot(ONE), ("last_voter", "controller 1", "", None)),
        (Desired(3, directory_id="new"), snapshot(ONE, TWO, LOST), ("other_directory", "controller 3", "", None)),
        (
            Desired(3, directory_id="new", replace=True),
            snapshot(ONE, TWO, THREE),
            ("voter_lives", "controller 3", "", None),
        ),
        (Desired(3, directory_id="new", replace=True), snapshot(LOST), ("last_voter", "controller 3", "", None)),
    ],
)
def test_what_no_waiting_changes_is_refused(desired: Desired, seen: Snapshot, expected: Told) -> None:
    assert told(quorum_refusals(desired, seen)) == [expected]


@pytest.mark.parametrize(
    ("desired", "seen"),
    [
        (Desired(3), snapshot(ONE, TWO, THREE)),
        (Desired(1, present=False), snapshot(ONE, TWO)),
        (Desired(1, present=False, directory_id="another"), snapshot(ONE)),
        (Desired(3, directory_id="three"), snapshot(THREE)),
        (Desired(3, directory_id="new", replace=True), snapshot(ONE, LOST)),
        (Desired(3), Snapshot("x", features=(Feature("kraft.version", 1, 0, 1),))),
        (Desired(3), Snapshot("x", quorum=quorum(ONE))),
    ],
)
def test_what_can_be_done_or_is_not_known_is_not_refused(desired: Desired, seen: Snapshot) -> None:
    assert quorum_refusals(desired, seen) == []


@pytest.mark.parametrize(
    ("desired", "seen", "expected"),
    [
        (Desired(3, directory_id="given"), quorum(THREE, observers=(LATER,)), "given"),
        (Desired(3), quorum(ONE, THREE), "three"),
        (Desired(3), quorum(ONE, observers=(LATER,)), "new"),
        (Desired(3), quorum(ONE, observers=(replica(3, "unheard", fetched=NEVER),)), "unheard"),
        (Desired(3), quorum(ONE, observers=(replica(4, "another"),)), ""),
        # The entry is meant, unless it may be replaced, is not caught up, and an observer was heard of after it.
        (Desired(3), quorum(ONE, LOST, observers=(LATER,)), "old"),
        (Desired(3, replace=True), quorum(ONE, LOST, observers=(LATER,)), "new"),
        (Desired(3, replace=True), quorum(ONE, LOST, observers=(BEFORE,)), "old"),
        (Desired(3, replace=True), quorum(ONE, THREE, observers=(LATER,)), "three"),
    ],
)
def test_which_directory_id_shall_be_a_voter(desired: Desired, seen: Quorum, expected: str) -> None:
    assert target(desired, seen) == expected


@pytest.mark.parametrize(
    ("desired", "seen", "remove", "add"),
    [
        (Desired(3, present=False), snapshot(ONE, TWO, THREE), "three", ""),
        (Desired(3, present=False, directory_id="old"), snapshot(ONE, TWO, THREE), "", ""),
        (Desired(3), snapshot(ONE, TWO, THREE), "", ""),
        (Desired(3), snapshot(ONE, TWO, observers=(LATER,)), "", "new"),
        (Desired(3, replace=True), snapshot(ONE, TWO, LOST, observers=(LATER,)), "old", "new"),
    ],
)
def test_a_plan_has_what_goes_and_what_comes(desired: Desired, seen: Snapshot, remove: str, add: str) -> None:
    assert plan(desired, seen) == Plan(desired, remove, add)


def test_a_plan_that_cannot_be_made_yet_keeps_what_is_desired() -> None:
    unseen, desired = snapshot(ONE, TWO), Desired(3, directory_id="new")
    waiting = plan(desired, unseen)
    assert waiting.desired == desired
    assert "controller 3 with directory id new " in waiting.waits[0]
    unnamed = plan(Desired(3), unseen)
    assert (unnamed.desired, unnamed.waits[0].partition(":")[0]) == (
        Desired(3),
        "controller 3 does not follow the leader",
    )
    leaderless = dataclasses.replace(unseen, quorum=quorum(ONE, TWO, leader=-1))
    assert plan(desired, leaderless) == Plan(desired, waits=("the controllers have no leader",))


def test_steps_are_those_that_a_plan_has() -> None:
    desired = Desired(3, listeners=AT)
    assert Plan(desired).steps() == ()
    assert Plan(desired, remove="old").steps() == ("remove controller 3, directory id old",)
    (step,) = Plan(desired, add="new").steps()
    assert step.split()[0] == "add"
    assert {"3", "new", "CONTROLLER://kafka3:9093"} <= values(step)


def test_the_distance_adds_up_what_all_are_behind() -> None:
    seen = snapshot(replica(1, "one", 3), replica(2, "two", 4), observers=(replica(3, "new", 5),))
    assert distance(Desired(3), seen) == 12
    assert distance(Desired(3), Snapshot("x")) is None
