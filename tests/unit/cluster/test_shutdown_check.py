from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable
from ansible.module_utils.kraft.cluster.shutdown_check import decided, judge, leaderless, risks, silent
from ansible.module_utils.kraft.cluster.snapshot import Reassignment, Snapshot
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.cluster.strategies import snapshots
from tests.unit.problems import named
from tests.wording_files import Wording


def test_a_node_of_a_whole_cluster_may_go() -> None:
    verdict = judge(cluster(topic("a", partition(0, [1, 2, 3]))), [2])
    assert verdict.allows()
    assert verdict.sentences() == ()


def test_in_sync_replicas_must_not_fall_below_the_minimum(wording: Wording) -> None:
    verdict = judge(cluster(topic("orders", partition(3, [1, 2, 3], [1, 2]))), [1])
    assert not verdict.allows(accept_unavoidable=True)
    assert named(verdict.reasons) == [["orders-3", "1", "2", "2", "1"]]
    wording(verdict.reasons)


def test_a_node_outside_the_in_sync_replicas_may_go_while_enough_are_left() -> None:
    assert judge(cluster(topic("a", partition(0, [1, 2, 3], [1, 2]))), [3]).allows()


def test_a_node_that_is_catching_up_is_needed_where_too_few_are_in_sync(wording: Wording) -> None:
    verdict = judge(cluster(topic("a", partition(0, [1, 2, 3], [1]))), [3])
    assert named(verdict.reasons) == [["a-0", "1", "2", "3"]]
    wording(verdict.reasons)


def test_an_eligible_replica_does_not_count_as_in_sync_and_is_named(wording: Wording) -> None:
    """KIP-966: it may be elected, but producers with acks=all are refused until it is in sync again."""
    short = dataclasses.replace(partition(0, [1, 2, 3], [1]), eligible=(2,))
    away = dataclasses.replace(partition(1, [1, 2, 3], [], -1), last_known=(2,))
    found = judge(cluster(topic("a", short, away)), [1])
    assert named(found.reasons) == [["a-0", "1", "2", "0", "2"], ["a-1", "1", "2"]]
    wording(found.reasons)


def test_internal_topics_count() -> None:
    verdict = judge(cluster(topic("__consumer_offsets", partition(0, [1, 2, 3], [1, 2]), internal=True)), [2])
    assert not verdict.allows()


def test_a_topic_with_no_replica_to_spare_is_named_apart(wording: Wording) -> None:
    snapshot = cluster(topic("scratch", partition(0, [2])), topic("pair", partition(0, [2, 3])))
    verdict = judge(snapshot, [2])
    assert verdict.reasons == ()
    assert named(verdict.unavoidable) == [["scratch-0", "2", "1", "0"], ["pair-0", "2", "3", "2", "1"]]
    wording(verdict.unavoidable)
    assert not verdict.allows()
    assert verdict.allows(accept_unavoidable=True)


def test_accepting_what_is_unavoidable_never_takes_the_last_copy_in_sync() -> None:
    alone = judge(cluster(topic("pair", partition(0, [1, 2], [1]))), [1])
    assert alone.reasons
    assert not alone.allows(accept_unavoidable=True)
    assert not judge(cluster(topic("pair", partition(0, [1, 2], [1]))), [2]).allows(accept_unavoidable=True)
    assert not judge(cluster(topic("pair", partition(0, [1, 2]))), [1, 2]).allows(accept_unavoidable=True)
    assert judge(cluster(topic("pair", partition(0, [1, 2]))), [1]).allows(accept_unavoidable=True)


@pytest.mark.parametrize("replicas", [[1, 2], [1, 2, 3]])
def test_a_partition_that_awaits_its_leader_is_nothing_to_accept(replicas: list[int]) -> None:
    """An election may end at any moment, even if no replica is to spare."""
    verdict = judge(cluster(topic("a", partition(0, replicas, leader=-1))), [1])
    assert (len(verdict.reasons), verdict.unavoidable) == (1, ())
    alone = judge(cluster(topic("a", partition(0, [1], leader=-1))), [1])  # as of a log dir that is offline
    assert alone.allows(accept_unavoidable=True)


def test_a_broker_may_go_although_its_controllers_have_no_voter_to_spare() -> None:
    late = quorum(1, voter(1), voter(2, 60_000), voter(3, None))
    assert judge(cluster(brokers=[broker(one) for one in (1, 2, 3, 4)], leader=late), [4]).allows()


def test_without_the_leaders_own_entry_no_voter_is_silent() -> None:
    """A leader that was removed leads until another one is elected."""
    left = quorum(1, voter(2), voter(3, 60_000))
    assert not any(silent(one, left) for one in left.voters)


def test_partitions_held_elsewhere_do_not_matter() -> None:
    assert judge(cluster(topic("a", partition(0, [1, 2], [1, 2]))), [3]).allows()


def test_the_majority_of_controllers_must_stay_caught_up(wording: Wording) -> None:
    verdict = judge(cluster(leader=quorum(2, voter(1), voter(2), voter(3, 12_000, 99))), [1])
    assert named(verdict.reasons) == [["3", "12.0", "99", "1", "1", "3", "2"]]
    wording(verdict.reasons)


def test_a_controller_that_is_behind_may_go_while_the_others_are_a_majority() -> None:
    assert judge(cluster(leader=quorum(2, voter(1), voter(2), voter(3, 12_000))), [3]).allows()


@pytest.mark.parametrize("late", [2500, None])
def test_a_late_controller_stays_where_the_others_are_no_majority(late: int | None, wording: Wording) -> None:
    """Controller 3 is dead; 2 pauses, or was not heard of since an election. Without it one of three is left."""
    verdict = judge(cluster(leader=quorum(1, voter(1), voter(2, late, 5), voter(3, 60_000, 9))), [2])
    assert not verdict.allows(accept_unavoidable=True)
    assert verdict.unavoidable == ()
    wording(verdict.reasons)


def test_of_two_controllers_a_late_one_is_waited_for_and_a_silent_one_is_named_apart() -> None:
    late = dataclasses.replace(voter(2, 60_000), last_fetch_ms=95_000)
    leader = dataclasses.replace(voter(1), last_caught_up_ms=100_000)
    assert judge(cluster(leader=quorum(1, leader, late)), [2]).unavoidable == ()
    assert judge(cluster(leader=quorum(1, leader, dataclasses.replace(late, last_fetch_ms=-1))), [2]).unavoidable == ()
    silent = judge(cluster(leader=quorum(1, leader, dataclasses.replace(late, last_fetch_ms=90_999))), [2])
    assert silent.reasons == ()
    assert len(silent.unavoidable) == 1
    assert "only 1 of 2 controllers are caught up" in silent.unavoidable[0]
    assert judge(cluster(leader=quorum(1, leader, dataclasses.replace(late, last_fetch_ms=91_000))), [2]).reasons


def test_a_quorum_of_one_is_named_apart() -> None:
    verdict = judge(cluster(brokers=[broker(1)], leader=quorum(1, voter(1))), [1])
    assert verdict.reasons == ()
    assert "no controller is left" in verdict.unavoidable[0]


def test_if_every_controller_goes_none_is_caught_up() -> None:
    verdict = judge(cluster(leader=quorum(1, voter(1), voter(2))), [1, 2])
    assert "none of 2 controllers is caught up" in verdict.unavoidable[0]


def test_nothing_goes_while_there_is_no_leader() -> None:
    assert judge(cluster(leader=quorum(-1)), [1]).reasons == ("the controllers have no leader",)


def test_a_fenced_broker_may_go_whatever_the_partitions() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3], [1])), brokers=[broker(1), broker(2), broker(3, fenced=True)])
    assert judge(snapshot, [3]).allows()


def test_a_partition_on_its_way_to_the_node_holds_it() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3])), moves=[Reassignment("a", 0, (3,), (1,))])
    assert judge(snapshot, [3]).reasons == ("partition a-0 is being moved to 3",)
    assert judge(snapshot, [2]).allows()


def test_two_nodes_together_are_judged_together() -> None:
    snapshot = cluster(topic("a", partition(0, [1, 2, 3])))
    assert judge(snapshot, [2]).allows()
    assert not judge(snapshot, [2, 3]).allows()


def test_risks_are_said_only_of_what_is_known() -> None:
    single = cluster(topic("one", partition(0, [1])))
    assert len(risks(single, [1])) == 1
    assert risks(dataclasses.replace(single, min_insync={}), [1]) == ()
    assert risks(dataclasses.replace(single, min_insync=None), [1]) == ()
    assert risks(dataclasses.replace(single, quorum=None, topics=None), [1]) == ()


def nothing(part: str) -> dict[str, Any]:
    return {part: None}


def test_what_is_not_known_forbids() -> None:
    silent = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    assert judge(silent, [1]).reasons == ("quorum is not known: no answer",)
    for part in ("quorum", "topics", "min_insync", "reassignments"):
        assert not judge(dataclasses.replace(cluster(), **nothing(part)), [1]).allows(accept_unavoidable=True)
    assert not judge(cluster(topic("a", partition(0, [1, 2, 3])), min_insync={}), [1]).allows()


def test_many_partitions_are_shortened() -> None:
    verdict = judge(cluster(topic("a", *(partition(n, [1, 2, 3], [1, 2]) for n in range(9)))), [1])
    assert len(verdict.reasons) == 6
    assert verdict.reasons[-1] == "and 4 partitions more"


node_sets = st.sets(st.integers(1, 5), min_size=1, max_size=3)


@given(snapshots(), node_sets)
def test_every_allowed_shutdown_leaves_a_majority_and_every_minimum(snapshot: Snapshot, going: set[int]) -> None:
    """The law, from its text: caught-up controllers are a majority, each partition that is served keeps its minimum."""
    assert snapshot.quorum
    if not judge(snapshot, going).allows():
        return
    voters = {one.node_id: one.behind_ms for one in snapshot.quorum.voters}
    stay = [one for one, behind in voters.items() if one not in going and behind is not None and behind <= 2000]
    assert not going & voters.keys() or len(stay) * 2 > len(voters)
    for topics in snapshot.topics or ():
        for one in topics.partitions:
            serving = going & snapshot.unfenced & set(one.replicas)
            needed = min((snapshot.min_insync or {})["a"], len(one.replicas))
            assert not serving or len(set(one.isr) - serving) >= needed


@given(snapshots(), node_sets)
def test_what_is_accepted_is_never_the_last_copy_in_sync(snapshot: Snapshot, going: set[int]) -> None:
    if not judge(snapshot, going).allows(accept_unavoidable=True):
        return
    for one in (each for topics in snapshot.topics or () for each in topics.partitions):
        serving = going & snapshot.unfenced & set(one.replicas)
        assert not serving & set(one.isr) or set(one.isr) - serving or len(one.replicas) == 1


@given(snapshots(), node_sets, st.sampled_from(["quorum", "topics", "min_insync", "reassignments"]))
def test_no_shutdown_is_allowed_while_a_part_is_unknown(snapshot: Snapshot, going: set[int], part: str) -> None:
    blind = dataclasses.replace(snapshot, **nothing(part), unanswered={part: "late"})
    assert not judge(blind, going).allows(accept_unavoidable=True)


NO_QUORUM = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "k1:9092"})


@pytest.mark.parametrize(
    ("seen", "goes"),
    [
        (Unreachable("nothing listens"), True),
        (Unknown("late", late=True), True),
        (Unknown("denied"), False),
        (Known(cluster()), False),
        (Known(cluster(leader=quorum(-1))), True),
        (Known(dataclasses.replace(NO_QUORUM, late=("quorum",))), True),
        (Known(NO_QUORUM), False),
    ],
)
def test_an_unchecked_batch_goes_only_on_evidence(seen: Outcome[Snapshot], goes: bool) -> None:
    assert leaderless(seen) == goes


def test_a_voter_within_the_largest_delay_has_caught_up() -> None:
    late = quorum(1, voter(1), voter(2, 3000), voter(3))
    assert decided(late, 3000)
    assert not decided(late)
