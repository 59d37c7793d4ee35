"""Voters and brokers that left the inventory, by the data of the nodes and of the running cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from itertools import combinations

import pytest
import yaml
from ansible.module_utils.kraft.cluster.snapshot import Broker, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.cluster.voter_sets import can_be_disjoint
from ansible.module_utils.kraft.problem import ERROR, Problem
from ansible.module_utils.kraft.spec import host_rules
from ansible.module_utils.kraft.spec.host_rules import members

from tests.unit.problems import named
from tests.unit.spec.host_rules.scene import CLUSTER_ID, NAMES, Scene
from tests.wording_files import Wording

THREE = (1, 2, 3)
FOUR = (1, 2, 3, 4)


def at(node_id: int) -> str:
    return f"k{node_id}:9093"


def static(*ids: int, on: Iterable[str] = NAMES, source: str = "its configuration", answer: str = "open") -> Scene:
    """Three nodes that were deployed with these voters; `answer`: what those in no inventory give."""
    scene = Scene(quorum="static", initial_controllers="")
    for name in on:
        voters = [{"node_id": one, "address": at(one)} for one in ids]
        scene.facts_of(name)["deployed"]["voters"] = [{"source": source, "voters": voters}]
        scene.facts_of(name)["reach"].update({at(one): answer for one in ids if one not in THREE})
    return scene


def running(scene: Scene, voters: dict[int, int | None], brokers: Iterable[Broker] = ()) -> Scene:
    """`voters`: id -> milliseconds since the leader heard of it."""
    found = tuple(Replica(one, "", 9, 0, 1, 1, behind) for one, behind in voters.items())
    scene.snapshot = Snapshot(CLUSTER_ID, brokers=tuple(brokers), quorum=Quorum(1, 1, 9, found))
    return scene


def rules(scene: Scene) -> list[tuple[str, str]]:
    return sorted({(each.severity, each.rule) for each in host_rules.check(scene.subject()) if each.rule in OURS})


OURS = ("voters_disjoint", "dropped_voter", "dropped_broker", "broker_left_behind", "members_unknown")
DISJOINT, DROPPED = [("error", "voters_disjoint")], [("error", "dropped_voter")]


@pytest.mark.parametrize("source", ["its running process", "its configuration", "its quorum-state file"])
@pytest.mark.parametrize("on", [NAMES, ("k1",), ("k3",)])
@pytest.mark.parametrize("old", [s for n in range(1, 8) for s in combinations(range(1, 8), n)])
def test_static_voters_of_any_list_are_held_against_the_rule(
    old: tuple[int, ...], on: tuple[str, ...], source: str
) -> None:
    found = list(members.disjoint(static(*old, on=on, source=source).subject()))
    expected = list(on) if can_be_disjoint(old, THREE) else []
    assert [each.host for each in found] == expected
    assert {each.rule for each in found} <= {"voters_disjoint"}


@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        (static(*THREE), []),
        (static(1, 2), []),
        (static(1), DISJOINT),
        (static(1, 2, 3, 4, 5), DISJOINT),
        (static(*FOUR), DROPPED),
        (static(*FOUR, answer="refused"), []),
        (static(*FOUR, answer="no answer within 2 s"), DROPPED),
        (running(static(*FOUR, answer="no answer within 2 s"), {1: 0, 2: 9, 3: 9, 4: None}), []),
        (running(static(*FOUR, answer="no answer within 2 s"), {1: 0, 2: 9, 3: 9, 4: 60_000}), []),
        (running(static(*FOUR, answer="no answer within 2 s"), {1: 0, 2: 9, 3: 9, 4: 9}), DROPPED),
        (running(static(*FOUR, answer="refused"), {1: 0, 2: 9, 3: 9, 4: 9}), DROPPED),
        (running(static(*FOUR, answer="no answer within 2 s"), {1: 0, 2: 9, 3: 9}), []),
        (running(static(), dict.fromkeys((1, 2, 3, 4, 5), 0)), DISJOINT),
        (running(static(), dict.fromkeys(FOUR, 0)), DROPPED),
    ],
)
def test_change_of_a_static_quorum(scene: Scene, expected: list[tuple[str, str]]) -> None:
    assert rules(scene) == expected


@pytest.mark.parametrize(
    ("moved", "runs", "answer", "expected"),
    [
        ((), True, "refused", []),
        ((1,), True, "refused", []),
        ((1, 3), True, "refused", [("error", "voters_readdressed")]),
        ((1, 2, 3), True, "no answer within 2 s", [("error", "voters_readdressed")]),
        ((1, 2, 3), True, "open", []),
        ((1, 2, 3), False, "refused", []),
    ],
)
def test_most_static_voters_do_not_get_other_addresses_at_once(
    moved: tuple[int, ...], runs: bool, answer: str, expected: list[tuple[str, str]]
) -> None:
    scene = static(*THREE)
    for name in NAMES:
        for one in scene.facts_of(name)["deployed"]["voters"][0]["voters"]:
            one["address"] = f"old{one['node_id']}:9093" if one["node_id"] in moved else one["address"]
        scene.facts_of(name)["service"]["pid"] = 77 if runs else 0
        scene.facts_of(name)["reach"] = dict.fromkeys(scene.facts_of(name)["reach"], answer)
    assert [(one.severity, one.rule) for one in members.readdressed(scene.subject())] == expected


@pytest.mark.parametrize("behind", [0, 60_000, None])
def test_voter_of_a_dynamic_quorum_that_no_host_has_is_refused_alive_or_dead(behind: int | None) -> None:
    scene = running(Scene(), {1: 0, 2: 0, 3: 0, 4: behind})
    assert rules(scene) == DROPPED
    assert "remove_nodes.yml" in host_rules.check(scene.subject())[0].remedy


@pytest.mark.parametrize(
    ("fenced", "profile", "expected"),
    [
        (False, "production", [("error", "dropped_broker")]),
        (False, "test", [("error", "dropped_broker")]),
        (True, "production", [("error", "broker_left_behind")]),
        (True, "test", [("warning", "broker_left_behind")]),
    ],
)
def test_broker_that_no_host_has_is_refused_while_it_serves(
    fenced: bool, profile: str, expected: list[tuple[str, str]]
) -> None:
    scene = Scene(profile=profile)
    running(scene, dict.fromkeys(THREE, 0), [Broker(one, f"k{one}", 9092, None, fenced) for one in FOUR])
    assert rules(scene) == expected


def test_broker_that_is_away_can_be_accepted() -> None:
    scene = running(Scene(), dict.fromkeys(THREE, 0), [Broker(4, "k4", 9092, None, True)])
    assert [each.severity for each in host_rules.check(scene.subject(), ("broker_left_behind",))] == ["warning"]


def test_node_that_is_no_longer_a_broker_is_a_dropped_one() -> None:
    scene = running(Scene(), dict.fromkeys(THREE, 0), [Broker(3, "k3", 9092)])
    scene.nodes["k3"]["roles"] = ["controller"]
    assert rules(scene) == [("error", "dropped_broker")]


def test_cluster_whose_members_are_those_of_the_inventory_has_no_problem() -> None:
    scene = running(Scene(), dict.fromkeys(THREE, 0), [Broker(one, f"k{one}", 9092) for one in THREE])
    assert rules(scene) == []


def test_cluster_that_does_not_say_who_belongs_to_it_is_told() -> None:
    scene = Scene()
    scene.silence = "quorum: no leader"
    assert rules(scene) == [("warning", "members_unknown")]


def test_one_row_says_which_lists_meet(wording: Wording) -> None:
    found = host_rules.check(running(static(1, 2, 3, 4, 5), dict.fromkeys((1, 2, 3, 4, 5), 0)).subject())
    assert {each.severity for each in found} == {ERROR}
    (said,) = {each.message for each in found if each.rule == "voters_disjoint"}
    assert named([said]) == [["1", "2", "3", "4", "5", "1", "2", "3"]]
    wording([said])
    assert all("migrate_quorum.yml" in each.remedy and "remove_nodes.yml" in each.remedy for each in found)


def serving(scene: Scene) -> Scene:
    for name in NAMES:
        scene.facts_of(name)["service"]["pid"] = 77
    return scene


def other_id(host: str, value: str = "AAAAAAAAAAAAAAAAAAAAAQ") -> Problem:
    return Problem("foreign_directory_id", "x", "y", "kafka_directory_id", host, value)


@pytest.mark.parametrize("hosts", [("k1", "k2", "k3"), ("k2",)])
def test_ids_of_a_static_quorum_are_printed_as_a_file_to_paste(hosts: tuple[str, ...]) -> None:
    text = members.directory_ids(serving(static(*THREE)).subject(), map(other_id, hosts))
    pasted = yaml.safe_load(text.partition("\n\n")[2])
    assert pasted == {"kafka": {"hosts": {host: {"kafka_directory_id": "AAAAAAAAAAAAAAAAAAAAAQ"} for host in hosts}}}


def test_ids_of_another_kind_of_quorum_or_of_a_dead_node_are_not() -> None:
    assert members.directory_ids(serving(Scene()).subject(), [other_id("k1")]) == ""
    dead = serving(static(*THREE))
    dead.facts_of("k1")["service"]["pid"] = 0
    assert members.directory_ids(dead.subject(), [other_id("k1")]) == ""
    assert members.directory_ids(serving(static(*THREE)).subject(), []) == ""


@pytest.mark.parametrize(("phase", "first"), [("open", True), ("switch", True), (None, False)])
def test_a_migration_to_secured_listeners_needs_a_dynamic_quorum_first(phase: str | None, first: bool) -> None:
    scene = serving(static(*THREE))
    for name in NAMES:
        for one in scene.facts_of(name)["deployed"]["voters"][0]["voters"]:
            one["address"] = f"old{one['node_id']}:9093"
        scene.facts_of(name)["reach"] = dict.fromkeys(scene.facts_of(name)["reach"], "refused")
    subject = scene.subject()
    asked = dataclasses.replace(subject, cluster={**subject.cluster, "migration": phase})
    (found,) = members.readdressed(asked)
    assert found.rule == "voters_readdressed"
    assert ("kafka_listeners" in found.remedy) is first
    assert "playbooks/migrate_quorum.yml" in found.remedy
