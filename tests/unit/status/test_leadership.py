"""The leader by the controllers' reports: the highest epoch that a majority holds, whatever the others claim."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.cluster.leadership import Claim, best_claims, claims_from, leadership

from tests.unit.problems import named
from tests.wording_files import Wording

THREE = {1, 2, 3}
AWAY = "nothing listens"


def follows(leader_id: int, epoch: int, *node_ids: int) -> list[Claim]:
    return [Claim(node_id, leader_id, epoch) for node_id in node_ids]


def silent(*node_ids: int) -> list[Claim]:
    return [Claim(node_id, error=AWAY) for node_id in node_ids]


@pytest.mark.parametrize(
    ("claims", "voters", "leader", "agreed", "others"),
    [
        (follows(1, 4, 1, 2, 3), THREE, (1, 4), (1, 2, 3), ()),
        # The active controller is cut off: it still leads in its own view, then it has no leader.
        ([*follows(1, 4, 1), *follows(2, 5, 2, 3)], THREE, (2, 5), (2, 3), (1,)),
        ([*follows(-1, 5, 1), *follows(2, 5, 2, 3)], THREE, (2, 5), (2, 3), (1,)),
        # A higher epoch without a majority is an election and no leader yet.
        ([*follows(3, 6, 3), *follows(2, 5, 1, 2)], THREE, (2, 5), (1, 2), (3,)),
        ([*follows(1, 4, 1), *follows(2, 5, 2), *follows(3, 6, 3)], THREE, (-1, -1), (), (1, 2, 3)),
        # Two of three are down: the third still names the last leader, without a majority.
        ([*follows(1, 4, 3), *silent(1, 2)], THREE, (-1, -1), (), (3,)),
        ([*follows(1, 4, 1, 3), *silent(2)], THREE, (1, 4), (1, 3), ()),
        (silent(1, 2, 3), THREE, (-1, -1), (), ()),
        ([], set(), (-1, -1), (), ()),
        # An observer follows, too, and does not count.
        (follows(1, 4, 1, 4), THREE, (-1, -1), (), (1, 4)),
        (follows(1, 4, 1, 2, 4), THREE, (1, 4), (1, 2, 4), ()),
        ([*follows(2, 9, 1, 2, 3), *follows(1, 8, 4, 5)], {1, 2, 3, 4, 5}, (2, 9), (1, 2, 3), (4, 5)),
    ],
)
def test_the_highest_epoch_of_a_majority_wins(
    claims: list[Claim], voters: set[int], leader: tuple[int, int], agreed: tuple[int, ...], others: tuple[int, ...]
) -> None:
    found = leadership(claims, voters)
    assert (found.leader_id, found.epoch) == leader
    assert found.according_to == agreed
    assert tuple(one.node_id for one in found.others) == others
    assert {one.node_id for one in found.silent} == {one.node_id for one in claims if one.error}


def test_a_controller_counts_by_what_it_told_its_own_host() -> None:
    views = {1: follows(1, 4, 1), 2: [Claim(1, 2, 5), *follows(2, 5, 2)]}
    assert best_claims(views, [1, 2, 3]) == (
        *follows(1, 4, 1),
        *follows(2, 5, 2),
        Claim(3, error="no host could connect to it"),
    )


def test_of_a_controller_whose_host_cannot_be_reached_others_tell() -> None:
    views = {2: [*follows(2, 5, 1), *silent(3)], 3: [*follows(2, 6, 1), *silent(3)]}
    assert best_claims(views, [1, 3]) == (*follows(2, 6, 1), *silent(3))


def test_claims_are_read_from_what_the_module_returns() -> None:
    given = [{"node_id": 1, "leader_id": 2, "epoch": 3, "error": "", "more": 1}]
    assert claims_from(given) == (Claim(1, 2, 3),)
    assert claims_from(None) == ()


@pytest.mark.parametrize(
    ("claim", "numbers"),
    [
        (Claim(1, 2, 3), ["1", "2", "3"]),
        (Claim(1, 1, 3), ["1", "3"]),
        (Claim(1, -1, 3), ["1", "3"]),
        (Claim(1, error=AWAY), ["1"]),
    ],
)
def test_a_claim_names_controller_leader_and_epoch(claim: Claim, numbers: list[str], wording: Wording) -> None:
    assert named([claim.sentence()]) == [numbers]
    wording([claim.sentence()])
