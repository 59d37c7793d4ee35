"""Nodes on their way into a running cluster or out of it, and members that do not answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.spec import host_rules
from ansible.module_utils.kraft.spec.host_rules.subject import Desired

from tests.unit.spec.host_rules.scene import CLUSTER_ID, Scene, host_facts
from tests.wording_files import Wording

LIVED = ["__cluster_metadata-0/quorum-state", "t-0"]
Step = Callable[[Scene], None]
OURS = ("joining_node", "removed_node", "unreachable_host", "voter_lost_its_log")


def runs(voters: Iterable[int] = (1, 2), brokers: Iterable[int] = (1, 2), leader: int = 1) -> Scene:
    """k1 and k2 run; k3 is one of the inventory with an empty disk, in no cluster."""
    scene = Scene()
    scene.format("k1", "k2", lived=LIVED)
    for name in ("k1", "k2"):
        scene.facts_of(name)["service"]["pid"] = 7
    found = tuple(Replica(one, "", 9, 0, 1, 1, 0) for one in voters)
    known = tuple(Broker(one, f"k{one}", 19092) for one in brokers)
    scene.snapshot = Snapshot(CLUSTER_ID, known, quorum=Quorum(leader, 1, 9, found))
    return scene


def told(scene: Scene) -> list[tuple[str, str, str]]:
    found = host_rules.check(scene.subject())
    return [(one.severity, one.rule, one.host) for one in found if one.rule in OURS]


def remedies(scene: Scene) -> str:
    return " ".join(one.remedy for one in host_rules.check(scene.subject()) if one.rule in OURS)


def test_an_empty_controller_beside_a_running_quorum_is_for_add_nodes(wording: Wording) -> None:
    scene = runs()
    assert told(scene) == [("error", "joining_node", "k3")]
    assert "playbooks/add_nodes.yml -e kafka_add_nodes=k3" in remedies(scene)
    wording(str(one) for one in host_rules.check(scene.subject()) if one.rule in OURS)


def test_a_controller_that_was_formatted_as_an_observer_is_for_add_nodes_started_or_not() -> None:
    for pid, brokers in ((0, (1, 2)), (9, (1, 2, 3))):
        scene = runs(brokers=brokers)
        scene.format("k3")
        scene.facts_of("k3")["service"]["pid"] = pid
        assert told(scene) == [("error", "joining_node", "k3")]


def test_the_run_that_adds_the_node_is_not_refused() -> None:
    scene = runs()
    scene.wanted["k3"] = Desired(added=True)
    assert told(scene) == []


def test_while_a_lost_node_is_replaced_one_that_joins_is_a_warning() -> None:
    scene = runs()
    scene.wanted["k2"] = Desired(replaced=True)
    assert told(scene) == [("warning", "joining_node", "k3")]


def test_without_a_leader_nothing_joins() -> None:
    assert "joining_node" not in {rule for _, rule, _ in told(runs(leader=-1))}


def test_of_a_static_quorum_nothing_joins() -> None:
    scene = runs()
    scene.cluster["quorum"] = "static"
    assert "joining_node" not in {rule for _, rule, _ in told(scene)}


@pytest.mark.parametrize(
    ("voters", "brokers", "pid", "command"),
    [
        ((1, 2, 3), (1, 2, 3), 9, "remove_nodes"),
        ((1, 2), (1, 2, 3), 9, "remove_nodes"),
        ((1, 2), (1, 2, 3), 0, "remove_nodes"),
        ((1, 2), (1, 2), 9, "remove_nodes"),
        ((1, 2), (1, 2), 0, "add_nodes"),
    ],
)
def test_a_removal_that_was_killed_is_finished_by_the_same_run(
    voters: tuple[int, ...], brokers: tuple[int, ...], pid: int, command: str, wording: Wording
) -> None:
    scene = runs(voters, brokers)
    scene.format("k3", lived=LIVED)
    scene.facts_of("k3").update(removed=True)
    scene.facts_of("k3")["service"]["pid"] = pid
    assert told(scene) == [("error", "removed_node", "k3")]
    assert f"playbooks/{command}.yml -e kafka_{command}=k3" in remedies(scene)
    wording(str(one) for one in host_rules.check(scene.subject()) if one.rule in OURS)


@pytest.mark.parametrize(("brokers", "member"), [((1, 2, 3), True), ((1, 2), False)])
def test_a_silent_member_of_a_running_cluster_is_replaced_or_removed(
    brokers: tuple[int, ...], member: bool, wording: Wording
) -> None:
    scene = runs(brokers=brokers)
    scene.facts["k3"] = None
    assert told(scene) == [("error", "unreachable_host", "k3")]
    named = "remove_nodes.yml -e kafka_remove_nodes=k3 --limit '!k3'" in remedies(scene)
    assert (named, "replace_node.yml -e kafka_replace_node=k3" in remedies(scene)) == (member, member)
    wording(str(one) for one in host_rules.check(scene.subject()) if one.rule in OURS)


def test_where_the_running_cluster_does_not_answer_each_silent_node_is_a_member() -> None:
    scene = runs()
    scene.snapshot, scene.facts["k3"] = None, None
    assert "--limit '!k3'" in remedies(scene)


def joins_after_all(scene: Scene) -> None:
    scene.wanted["k3"] = Desired(added=True)


def comes_back_empty(scene: Scene) -> None:
    scene.facts["k3"] = host_facts(3)
    scene.wanted["k3"] = Desired(replaced=True)


def silent(scene: Scene) -> None:
    scene.facts["k3"] = None


def marked(scene: Scene) -> None:
    scene.format("k3", lived=LIVED)
    scene.facts_of("k3").update(removed=True)


def nothing(scene: Scene) -> None:
    """k3 is empty, in no cluster."""


@pytest.mark.parametrize(
    ("members", "state", "rule", "variable", "follow"),
    [
        ((1, 2), nothing, "joining_node", "kafka_add_nodes", joins_after_all),
        ((1, 2), marked, "removed_node", "kafka_add_nodes", joins_after_all),
        ((1, 2, 3), silent, "unreachable_host", "kafka_replace_node", comes_back_empty),
    ],
)
def test_the_run_that_a_remedy_names_is_accepted(
    members: tuple[int, ...], state: Step, rule: str, variable: str, follow: Step
) -> None:
    scene = runs(members, members)
    state(scene)
    assert [found for _, found, _ in told(scene)] == [rule]
    assert variable in remedies(scene)
    follow(scene)
    assert [one for one in told(scene) if one[0] == "error"] == []


@pytest.mark.parametrize("state", [marked, silent])
def test_a_removal_is_held_up_only_by_hosts_of_the_run_that_do_not_answer(state: Step) -> None:
    """`remove_nodes.yml` inspects no node; a lost host is left out by ``--limit``, as the remedy suggests."""
    scene = runs((1, 2, 3), (1, 2, 3))
    state(scene)
    assert "kafka_remove_nodes=k3" in remedies(scene)
    scene.left_out = {"k3"} if scene.facts["k3"] is None else set()
    assert host_rules.identified(scene.subject()) == []


def without_kafka(scene: Scene) -> list[tuple[str, str]]:
    """Return hosts that a run which installs nothing refuses for want of a node, with the remedy."""
    found = host_rules.check(dataclasses.replace(scene.subject(), installs=False))
    return [(str(one.host), one.remedy) for one in found if one.rule == "not_deployed"]


def serving() -> Scene:
    """k1 and k2 run; k3 is a host for a broker, with nothing on it."""
    scene = runs()
    scene.nodes["k3"]["roles"] = ["broker"]
    for name in ("k1", "k2"):
        scene.facts_of(name)["current_release"] = "4.4.0"
    return scene


def test_a_run_that_installs_nothing_refuses_a_host_without_kafka_before_it_restarts_others(wording: Wording) -> None:
    scene = serving()
    assert [host for host, _ in without_kafka(scene)] == ["k3"]
    assert "not_deployed" not in {one.rule for one in host_rules.check(scene.subject())}
    found = host_rules.check(dataclasses.replace(scene.subject(), installs=False))
    wording(str(one) for one in found if one.rule == "not_deployed")
    scene.facts_of("k3")["current_release"] = "4.4.0"  # its remedy was followed
    assert without_kafka(scene) == []


def test_a_destroyed_cluster_has_no_node_to_restart() -> None:
    assert [host for host, _ in without_kafka(Scene())] == ["k1", "k2", "k3"]


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        (lambda scene: scene.nodes["k3"].update(roles=["broker", "controller"]), "joining_node"),
        (lambda scene: scene.facts_of("k3").update(removed=True), "removed_node"),
        (lambda scene: setattr(scene, "snapshot", runs((1, 2), (1, 2, 3)).snapshot), "log_dir_lost"),
    ],
)
def test_a_host_without_kafka_that_another_run_makes_a_member_has_that_remedy_alone(state: Step, rule: str) -> None:
    scene = serving()
    state(scene)
    found = host_rules.check(dataclasses.replace(scene.subject(), installs=False))
    assert [one.rule for one in found if one.rule in (rule, "not_deployed")] == [rule]


@pytest.mark.parametrize("deployed", [(), ("k1",), ("k1", "k2", "k3")])
def test_an_operation_on_a_cluster_is_refused_where_no_host_has_kafka(deployed: tuple[str, ...]) -> None:
    """Its first request would fail for want of the client that a deployment brings."""
    scene = Scene()
    for name in deployed:
        scene.deploy(name)
    found = [(one.severity, one.rule, one.host) for one in host_rules.identified(scene.subject())]
    assert found == ([] if deployed else [("error", "not_deployed", name) for name in ("k1", "k2", "k3")])
    assert host_rules.identified(scene.subject(), ending=True) == []


def test_hosts_that_do_not_answer_are_named_beside_those_without_kafka_even_if_the_run_can_do_without_them() -> None:
    hosts = Scene().subject().hosts
    away = dataclasses.replace(hosts[2], facts=None, silence="ssh: connection refused")
    found = host_rules.identified(dataclasses.replace(Scene().subject(), hosts=(*hosts[:2], away)), silence=False)
    assert sorted(str(one.host) for one in found) == ["k1", "k2", "k3"]
    assert {one.rule for one in found if one.host != "k3"} == {"not_deployed"}
    assert "not_deployed" not in {one.rule for one in found if one.host == "k3"}
