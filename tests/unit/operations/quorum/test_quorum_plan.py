from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Feature, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.quorum.admin import identifier
from ansible.module_utils.kraft.operations.quorum.plan import Desired, Listener, Plan, distance, plan, quorum_refusals
from ansible.module_utils.kraft.problem import Problem
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cluster import snapshots
from tests.unit.problems import named, values, worded
from tests.wording_files import Wording

AT = (Listener("CONTROLLER", "kafka3", 9093),)
AWAY = 60_000


def replica(node_id: int, directory: str = "", behind_ms: int | None = 0, fetched: int = 1) -> Replica:
    return snapshots.replica(node_id, directory or f"dir{node_id}", behind_ms, fetched)


def snapshot(*voters: Replica, observers: tuple[Replica, ...] = (), kraft: int = 1, leader: int = 1) -> Snapshot:
    found = Quorum(leader, 1, 100, voters, observers)
    return Snapshot("x", quorum=found, features=(Feature("kraft.version", kraft, 0, 1),))


NEVER, LONG_AGO = -1, 0
THREE = (replica(1), replica(2), replica(3))
WIPED = (replica(1), replica(2), replica(3, "old", AWAY, fetched=LONG_AGO))
NEW = replica(3, "new")


def rules(found: list[Problem]) -> list[str]:
    return [one.rule for one in found]


def test_a_voter_that_is_one_needs_nothing() -> None:
    assert not plan(Desired(3), snapshot(*THREE)).changes
    assert not plan(Desired(3, directory_id="dir3"), snapshot(*THREE)).changes
    assert not plan(Desired(3, replace=True), snapshot(*THREE)).changes
    assert not plan(Desired(9, present=False), snapshot(*THREE)).changes


def test_an_observer_that_has_caught_up_becomes_a_voter(wording: Wording) -> None:
    made = plan(Desired(3, listeners=AT), snapshot(replica(1), replica(2), observers=(NEW, replica(7))))
    assert (made.remove, made.add, made.waits) == ("", "new", ())
    assert named(made.steps()) == [["3", "CONTROLLER://kafka3:9093"]]
    wording(made.steps())


@pytest.mark.parametrize("fetched", [NEVER, snapshots.NOW - 9000])
def test_an_old_entry_that_may_still_run_is_waited_for(fetched: int) -> None:
    """A new leader has not heard of it yet, or it is late: the process of the old log may live elsewhere."""
    voters = (replica(1), replica(2), replica(3, "old", None if fetched == NEVER else 9000, fetched))
    new = replica(3, "new", fetched=snapshots.NOW)
    made = plan(Desired(3, directory_id="new", replace=True, listeners=AT), snapshot(*voters, observers=(new,)))
    assert (made.remove, made.add) == ("old", "new")
    [wait] = made.waits
    assert "directory id old" in wait
    seen = snapshot(*voters, observers=(new,))
    assert seen.quorum
    watched = dataclasses.replace(seen, quorum=dataclasses.replace(seen.quorum, watched_ms=9001))
    again = plan(Desired(3, directory_id="new", replace=True, listeners=AT), watched)
    assert bool(again.waits) == (fetched != NEVER)


def test_a_listener_at_an_ipv6_address_is_written_as_kafka_writes_it() -> None:
    assert str(Listener("CONTROLLER", "fd00::3", 9093)) == "CONTROLLER://[fd00::3]:9093"


def test_an_observer_that_is_behind_is_waited_for(wording: Wording) -> None:
    made = plan(Desired(3, listeners=AT), snapshot(replica(1), replica(2), observers=(replica(3, "new", 9_000),)))
    assert named(made.waits) == [["3", "9.0", "9000"]]
    wording(made.waits)


@pytest.mark.parametrize("directory", ["", "new"])
def test_a_controller_that_no_one_has_seen_is_waited_for(directory: str) -> None:
    made = plan(Desired(3, directory_id=directory), snapshot(replica(1), replica(2)))
    assert made.waits[0].endswith("does not follow the leader: it does not run, or its settings name other controllers")


def test_a_wiped_voter_is_not_replaced_unless_asked(wording: Wording) -> None:
    (found,) = quorum_refusals(Desired(3, directory_id="new"), snapshot(*WIPED, observers=(NEW,)))
    assert (found.variable, "old" in found.message, "new" in found.message) == ("controller 3", True, True)
    assert "replace: true" in found.remedy
    wording(worded([found]))


@pytest.mark.parametrize("directory", ["", "new"])
def test_a_wiped_voters_old_entry_goes_before_the_new_one_comes(directory: str) -> None:
    seen = snapshot(*WIPED, observers=(NEW,))
    desired = Desired(3, directory_id=directory, replace=True, listeners=AT)
    assert quorum_refusals(desired, seen) == []
    made = plan(desired, seen)
    assert (made.remove, made.add, made.waits) == ("old", "new", ())
    assert made.steps()[0] == "remove controller 3, directory id old"


def test_of_two_observers_of_one_node_the_latest_counts() -> None:
    before = replica(3, "before", AWAY, fetched=0)
    made = plan(Desired(3, replace=True), snapshot(*WIPED, observers=(before, replica(3, "new", fetched=9))))
    assert made.add == "new"
    both = tuple(replica(3, name, fetched=at) for name, at in (("first", 5), ("last", 9), ("middle", 7)))
    assert plan(Desired(3, replace=True), snapshot(*WIPED, observers=both)).add == "last"


def test_a_voter_that_lives_is_never_replaced(wording: Wording) -> None:
    (found,) = quorum_refusals(Desired(3, directory_id="new", replace=True), snapshot(*THREE, observers=(NEW,)))
    assert found.variable == "controller 3"
    assert {"dir3", "new"} <= values(found.message)
    wording(worded([found]))


def test_the_entry_that_was_just_removed_is_not_taken_for_what_comes() -> None:
    removed = replica(3, "old", AWAY, fetched=0)
    assert not plan(Desired(3, replace=True), snapshot(*THREE, observers=(removed,))).changes
    assert quorum_refusals(Desired(3, replace=True), snapshot(*THREE, observers=(removed,))) == []
    late = (replica(1), replica(2), replica(3, "dir3", AWAY, fetched=5))
    assert not plan(Desired(3, replace=True), snapshot(*late, observers=(removed,))).changes


def test_the_last_voter_never_goes(wording: Wording) -> None:
    found = quorum_refusals(Desired(1, present=False), snapshot(replica(1)))
    lost = snapshot(replica(1, "old", AWAY, fetched=NEVER), observers=(replica(1, "new"),))
    found += quorum_refusals(Desired(1, replace=True), lost)
    assert rules(found) == ["last_voter", "last_voter"]
    wording(worded(found))


def test_a_voter_stays_while_the_rest_would_be_no_majority(wording: Wording) -> None:
    seen = snapshot(replica(1), replica(2), replica(3, behind_ms=AWAY))
    made = plan(Desired(2, present=False), seen)
    assert named(made.waits) == [["3", "60.0", "60000", "2", "1", "3", "1", "2"]]
    wording(made.waits)
    assert plan(Desired(3, present=False), seen).waits == ()


def test_a_voter_does_not_come_while_a_majority_of_more_is_not_there(wording: Wording) -> None:
    seen = snapshot(replica(1), replica(2, behind_ms=None), observers=(NEW,))
    made = plan(Desired(3), seen)
    assert made.waits == ()  # 2 of 3
    worse = snapshot(replica(1), replica(2), replica(4, behind_ms=None), replica(5, behind_ms=None), observers=(NEW,))
    assert "of 5 voters" not in "".join(plan(Desired(3), worse).waits)  # 3 of 5
    worst = snapshot(replica(1), replica(4, behind_ms=None), replica(5, behind_ms=None), observers=(NEW,))
    waits = plan(Desired(3), worst).waits
    assert named(waits[:1])[0][-7:] == ["4", "1", "3", "4", "5", "2", "3"]
    wording(waits)


def test_an_entry_that_is_gone_already_is_not_removed_again() -> None:
    assert not plan(Desired(3, present=False, directory_id="old"), snapshot(*THREE)).changes
    assert plan(Desired(3, present=False, directory_id="dir3"), snapshot(*THREE)).remove == "dir3"


def test_without_a_leader_there_is_nothing_to_plan() -> None:
    assert plan(Desired(3, present=False), snapshot(*THREE, leader=-1)).waits == ("the controllers have no leader",)


def test_a_static_quorum_is_refused_with_the_way_out(wording: Wording) -> None:
    found = quorum_refusals(Desired(3), snapshot(*THREE, kraft=0))
    assert rules(found) == ["static_quorum"]
    assert "migrate_quorum.yml" in found[0].remedy
    wording(worded(found))


def test_a_directory_id_that_is_none_is_refused() -> None:
    with pytest.raises(RefusedError, match="is not 22 characters"):
        identifier("new")


def test_waiting_pays_while_who_comes_gets_closer() -> None:
    far = distance(Desired(3), snapshot(replica(1), observers=(replica(3, "new", 9),)))
    near = distance(Desired(3), snapshot(replica(1), observers=(replica(3, "new", 2),)))
    nobody = distance(Desired(3), snapshot(replica(1)))
    assert nobody is not None
    assert far is not None
    assert near is not None
    assert nobody > far > near
    assert distance(Desired(3), None) is None


REPLICAS = st.lists(
    st.builds(replica, st.integers(1, 7), st.just(""), st.sampled_from([0, AWAY, None])),
    min_size=1,
    unique_by=lambda one: one.node_id,
)


@given(REPLICAS, st.integers(1, 7), st.booleans())
def test_whatever_is_done_leaves_a_majority_that_is_caught_up(voters: list[Replica], node: int, present: bool) -> None:
    desired = Desired(node, present, replace=True)
    seen = snapshot(*voters, observers=(replica(node, "new"),))
    made = Plan(desired) if quorum_refusals(desired, seen) else plan(desired, seen)
    if not made.changes or made.waits:
        return
    left = [one for one in voters if one.node_id != node or not made.remove]
    ready = sum(one.behind_ms == 0 for one in left)
    if made.remove:
        assert ready > len(left) / 2
    if made.add:
        assert ready + 1 > (len(left) + 1) / 2
    assert dataclasses.replace(made).steps()
