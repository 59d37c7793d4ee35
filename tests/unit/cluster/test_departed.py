"""Controllers that left: who they are, whether they still run, and what they hold back."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.departed import (
    Registered,
    common,
    departed,
    doubtful,
    held_back_by,
    level_of,
    running,
    unregisters,
)
from ansible.module_utils.kraft.cluster.snapshot import Feature

from tests.unit.cluster.snapshots import broker, cluster, quorum, voter

ALL = tuple(Registered(one, "192.0.2.1", 9093) for one in (1, 2, 3, 8, 9))
SEEN = cluster(leader=quorum(1, voter(1), voter(2)))


def test_who_is_a_voter_or_in_the_inventory_has_not_left() -> None:
    assert [one.node_id for one in departed(ALL, SEEN, [3])] == [8, 9]


def test_a_controller_that_votes_or_follows_as_an_observer_runs() -> None:
    observers = (voter(8), voter(9), voter(7, None), voter(6, 60_000, 5))
    seen = cluster(brokers=[broker(9)], leader=dataclasses.replace(quorum(1, voter(1)), observers=observers))
    found = running([1, 6, 7, 8, 9], seen)
    assert [one.split()[1] for one in found] == ["1", "8"]


def test_an_observer_that_is_late_may_run_until_it_was_silent_for_a_session() -> None:
    observers = (voter(6, 60_000, 5), voter(7, None), voter(8, 3_000, 6), voter(9, 3_000, 6), voter(10))
    seen = cluster(brokers=[broker(9)], leader=dataclasses.replace(quorum(1, voter(1)), observers=observers))
    assert running([8], seen) == ()
    (said,) = doubtful([6, 7, 8, 9, 10], seen)
    assert said.startswith("controller 8 is 3.0 s and 6 records behind")


@pytest.mark.parametrize(("level", "can"), [(7, False), (32, False), (33, True), (34, True)])
def test_registrations_go_from_a_level_on(level: int, can: bool) -> None:
    assert unregisters(level) == can
    assert level_of([Feature("kraft.version", 1, 0, 1), Feature("metadata.version", level, 7, 33)]) == level


@pytest.mark.parametrize(
    "features", [None, [], [Feature("kraft.version", 1, 0, 1)], [Feature("metadata.version", 0, 7, 33)]]
)
def test_a_level_that_is_not_known_is_no_level(features: list[Feature] | None) -> None:
    assert level_of(features) is None


def test_a_refusal_is_known_by_the_controller_that_it_names() -> None:
    reason = "Invalid update version 33 for feature metadata.version. Controller 8 only supports versions 7-29"
    assert held_back_by(reason, ALL)
    assert not held_back_by(reason.replace("Controller 8", "Controller 4"), ALL)
    assert not held_back_by(reason.replace("Controller", "Broker"), ALL)


def test_what_is_common_is_what_every_node_supports() -> None:
    one = (Feature("a", 1, 0, 5), Feature("b", 1, 0, 1))
    two = (Feature("a", 1, 2, 9),)
    assert common({1: one, 2: two}) == (Feature("a", 1, 2, 5),)
