from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Feature, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.identity import directory_id_after
from ansible.module_utils.kraft.node.storage.log_dir import EMPTY, FORMATTED, LEFTOVERS, LogDir
from ansible.module_utils.kraft.operations.quorum.replacement import (
    Replaced,
    listed_directory_id,
    replacement_refusals,
    waits,
)

from tests.unit.cluster import snapshots
from tests.unit.cluster.snapshots import broker, partition, topic
from tests.unit.problems import named, told, values, worded
from tests.wording_files import Wording

AWAY, LOGS = 60_000, "/data/logs"
OLD, NEW = "inPTLlc5L8Y7esZH1-igFw", "YxZuUvU6gGM08SDU6euOkw"
EMPTY_DIR = LogDir(LOGS, EMPTY)
LOST = Replaced(3, ("broker", "controller"), NEW, (EMPTY_DIR,), LOGS)
BROKER = dataclasses.replace(LOST, roles=("broker",), directory_id="")


def voter(node_id: int, directory: str = "", behind_ms: int | None = 0) -> Replica:
    return snapshots.voter(node_id, behind_ms, directory=directory or f"dir{node_id}")


def seen(*voters: Replica, fenced: bool = True, level: int = 1, topics: tuple[object, ...] = ()) -> Snapshot:
    """Node 3 is away, unless said otherwise."""
    found = Quorum(1, 1, 100, voters or (voter(1), voter(2), voter(3, OLD, AWAY)))
    brokers = (broker(1), broker(2), broker(3, fenced=fenced))
    features = (Feature("kraft.version", level, 0, 1),)
    return Snapshot("x", brokers, topics, found, features=features)  # type: ignore[arg-type]


def lived(directory_id: str) -> LogDir:
    return LogDir(LOGS, FORMATTED, "x", 3, directory_id, lived=("quorum-state",))


def with_disk(node: Replaced, *dirs: LogDir) -> Replaced:
    return dataclasses.replace(node, log_dirs=dirs)


@pytest.mark.parametrize("node", [LOST, BROKER])
def test_a_node_that_is_away_may_come_back_with_an_empty_disk(node: Replaced) -> None:
    assert not replacement_refusals(node, seen())
    assert not waits(node, seen())


def test_the_quorum_says_under_which_directory_id_it_lists_the_node() -> None:
    assert listed_directory_id(3, seen()) == OLD
    assert listed_directory_id(9, seen()) == ""


def test_the_directory_id_of_the_lost_log_is_refused_and_another_one_proposed(wording: Wording) -> None:
    found = replacement_refusals(dataclasses.replace(LOST, directory_id=OLD), seen())
    assert [one[:2] for one in told(found)] == [("listed_directory_id", "kafka_directory_id")]
    assert OLD in values(found[0].message)
    assert directory_id_after(OLD) in found[0].remedy
    wording(worded(found))


@pytest.mark.parametrize("node", [LOST, BROKER])
def test_a_node_whose_data_is_there_after_all_is_started_and_not_replaced(node: Replaced, wording: Wording) -> None:
    found = replacement_refusals(with_disk(node, lived(OLD)), seen())
    assert [one[:2] for one in told(found)] == [("data_is_there", "kafka_replace_node")]
    assert {LOGS, "quorum-state"} <= values(found[0].message)
    assert "site.yml" in values(found[0].remedy)
    wording(worded(found))


@pytest.mark.parametrize("node", [LOST, BROKER])
def test_a_marker_that_was_left_over_is_no_data_of_the_node(node: Replaced) -> None:
    """The node is replaced, its old directory id is refused, and records that only it had are given up by name."""
    wiped = LogDir(LOGS, LEFTOVERS, lived=(".kafka_cleanshutdown",))
    assert not replacement_refusals(with_disk(node, wiped), seen())
    only = topic("orders", partition(1, [1, 2, 3], isr=[3], leader=-1))
    assert [one.rule for one in replacement_refusals(with_disk(node, wiped), seen(topics=(only,)))] == ["only_replica"]
    again = replacement_refusals(dataclasses.replace(with_disk(LOST, wiped), directory_id=OLD), seen())
    assert [one.rule for one in again] == ["listed_directory_id"]


def test_a_controllers_lost_metadata_log_is_enough_though_its_other_disks_hold_data() -> None:
    other = dataclasses.replace(lived("x"), path="/data/other")
    assert not replacement_refusals(with_disk(LOST, EMPTY_DIR, other), seen())
    assert replacement_refusals(with_disk(BROKER, EMPTY_DIR, other), seen())


@pytest.mark.parametrize("voters", [(), (voter(1), voter(2)), (voter(1), voter(2), voter(3, NEW, AWAY))])
def test_what_a_killed_run_began_is_gone_on_with(voters: tuple[Replica, ...]) -> None:
    """The log dir has the new directory id; its old entry is still listed, or gone, or the new one is a voter."""
    running = dataclasses.replace(with_disk(LOST, lived(NEW)), running=True)
    assert not replacement_refusals(running, seen(*voters, fenced=False))
    assert not waits(running, seen(*voters, fenced=False))


def test_a_node_that_answers_from_elsewhere_is_waited_for_to_fall_silent(wording: Wording) -> None:
    found = waits(LOST, seen(voter(1), voter(2), voter(3, OLD), fenced=False))
    assert [each[:2] for each in named(found)] == [["3", OLD], ["3", "kafka3:9092"]]
    wording(found)


@pytest.mark.parametrize("behind", [2500, 9000, None])
def test_a_node_that_is_late_or_not_heard_of_yet_is_not_taken_for_gone(behind: int | None) -> None:
    """A dedicated controller: no broker of that id could show that it lives."""
    assert len(waits(LOST, seen(voter(1), voter(2), voter(3, OLD, behind)))) == 1
    assert not waits(LOST, seen(voter(1), voter(2), voter(3, OLD, 9001)))


def test_a_leader_that_was_watched_for_a_session_would_have_heard_of_the_node() -> None:
    new = seen(voter(1), voter(2), voter(3, OLD, None))
    assert new.quorum
    for watched, held in ((0, True), (9000, True), (9001, False)):
        quorum = dataclasses.replace(new.quorum, watched_ms=watched)
        assert bool(waits(LOST, dataclasses.replace(new, quorum=quorum))) is held


@pytest.mark.parametrize("node", [LOST, BROKER])
def test_a_fenced_node_that_follows_the_metadata_log_is_not_gone(node: Replaced) -> None:
    quorum = Quorum(1, 1, 100, (voter(1), voter(2)), (voter(3, OLD),))
    [found] = waits(node, dataclasses.replace(seen(), quorum=quorum))
    assert OLD in found


def test_the_voters_that_stay_must_be_caught_up(wording: Wording) -> None:
    found = waits(LOST, seen(voter(1), voter(2, behind_ms=AWAY), voter(3, OLD, AWAY)))
    assert named(found[:1])[0][-5:] == ["2", "1", "2", "1", "2"]
    wording(found)


def test_the_only_voter_and_a_static_quorum_are_refused(wording: Wording) -> None:
    found = replacement_refusals(LOST, seen(voter(3, OLD, AWAY)))
    found += replacement_refusals(LOST, seen(level=0))
    assert [one.rule for one in found] == ["last_voter", "static_quorum"]
    wording(worded(found))


def test_what_no_one_else_has_in_sync_is_given_up_only_by_name(wording: Wording) -> None:
    orders = topic("orders", partition(0, [1, 2, 3], isr=[1, 2]), partition(1, [1, 2, 3], isr=[3], leader=-1))
    found = replacement_refusals(LOST, seen(topics=(orders,)))
    assert [one.rule for one in found] == ["only_replica"]
    assert "orders-1" in named(found)[0]
    assert {"only_replica", "kafka_accepted_risks"} <= values(found[0].remedy)
    wording(worded(found))
    taken = dataclasses.replace(LOST, accepted_risks=("only_replica",))
    assert not replacement_refusals(taken, seen(topics=(orders,)))


def test_another_brokers_lost_partitions_are_none_of_this_nodes_business() -> None:
    orders = topic("orders", partition(0, [1, 2], isr=[2], leader=-1), partition(1, [1, 2, 3], isr=[2], leader=-1))
    assert not replacement_refusals(LOST, seen(topics=(orders,)))
