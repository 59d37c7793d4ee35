"""The remedies about voters are followed: the next inspection accepts the result of each."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker
from ansible.module_utils.kraft.spec.host_rules import members

from tests.unit.spec.host_rules.scene import CLUSTER, NAMES, Scene
from tests.unit.spec.host_rules.test_members import DISJOINT, DROPPED, FOUR, THREE, at, rules, running, static


def led(scene: Scene, ids: Iterable[int]) -> Scene:
    """The quorum answers, and all of `ids` serve."""
    return running(scene, dict.fromkeys(ids, 0), [Broker(one, f"k{one}", 9092) for one in ids])


def migrate(scene: Scene) -> None:
    """Set the state after playbooks/migrate_quorum.yml: no list of voters in any configuration."""
    scene.cluster = {**CLUSTER, "quorum": "dynamic"}
    for name in scene.nodes:
        scene.facts_of(name)["deployed"]["voters"] = []


def remove(scene: Scene, name: str) -> list[tuple[str, str]]:
    """playbooks/remove_nodes.yml for `name`, then its host out of the inventory: what is said after each step."""
    left = [NAMES.index(one) + 1 for one in scene.nodes if one != name]
    led(scene, left)
    after = rules(scene)
    del scene.nodes[name]
    return after + rules(scene)


def test_voters_that_could_be_disjoint_are_left_as_they_were_migrated_and_removed_one_by_one() -> None:
    scene = led(static(*THREE), THREE)
    for name in ("k2", "k3"):
        scene.nodes[name]["roles"] = ["broker"]
    assert rules(scene) == DISJOINT
    for name in ("k2", "k3"):
        scene.nodes[name]["roles"] = ["broker", "controller"]
    assert rules(scene) == []
    migrate(scene)
    assert rules(scene) == []
    assert [remove(scene, "k3"), remove(scene, "k2")] == [[], []]


def test_a_voter_that_was_dropped_from_a_static_quorum_is_let_go_once_it_is_stopped() -> None:
    scene = running(static(*FOUR), dict.fromkeys(FOUR, 0))
    assert rules(scene) == DROPPED
    for name in NAMES:
        scene.facts_of(name)["reach"][at(4)] = "refused"
    running(scene, {1: 0, 2: 0, 3: 0, 4: 60_000})
    assert rules(scene) == []


def test_a_voter_that_was_dropped_from_a_dynamic_quorum_is_put_back_and_removed() -> None:
    scene = led(Scene(), THREE)
    node = scene.nodes.pop("k3")
    assert ("error", "dropped_voter") in rules(scene)
    scene.nodes["k3"] = node
    assert rules(scene) == []
    assert remove(scene, "k3") == []


def readdress(scene: Scene, moved: Iterable[int], deployed: Iterable[int]) -> list[str]:
    """Rules if the inventory has new addresses for `moved`, and the nodes run with those of `deployed`."""
    for number, name in enumerate(NAMES, 1):
        host = name if number in moved else f"old{number}"
        for listener in scene.nodes[name]["listeners"]:
            listener["advertised"] = {**listener["advertised"], "host": host}
        for one in scene.facts_of(name)["deployed"]["voters"][0]["voters"]:
            one["address"] = at(one["node_id"]) if one["node_id"] in deployed else f"old{one['node_id']}:9093"
        scene.facts_of(name)["service"]["pid"] = 77
    return [one.rule for one in members.check(scene.subject())]


def test_voters_that_get_other_addresses_get_them_one_by_one_or_after_a_migration() -> None:
    scene = led(static(*THREE), THREE)
    assert readdress(scene, THREE, ()) == ["voters_readdressed"]
    steps = [((1,), ()), ((1, 2), (1,)), (THREE, (1, 2)), (THREE, THREE)]
    assert [readdress(scene, moved, deployed) for moved, deployed in steps] == [[]] * 4
    assert readdress(scene, THREE, ()) == ["voters_readdressed"]
    migrate(scene)
    assert [one.rule for one in members.check(scene.subject())] == []


@pytest.mark.parametrize(
    ("fenced", "rule"), [(False, ("error", "dropped_broker")), (True, ("error", "broker_left_behind"))]
)
def test_a_broker_that_was_dropped_is_put_back_and_removed(fenced: bool, rule: tuple[str, str]) -> None:
    scene = led(Scene(), THREE)
    scene.nodes["k3"]["roles"] = ["broker"]
    running(scene, {1: 0, 2: 0}, [Broker(one, f"k{one}", 9092, fenced=fenced and one == max(THREE)) for one in THREE])
    node = scene.nodes.pop("k3")
    assert rules(scene) == [rule]
    scene.nodes["k3"] = node
    assert rules(scene) == []
    assert remove(scene, "k3") == []
