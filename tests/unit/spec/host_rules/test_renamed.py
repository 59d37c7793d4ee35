"""Hosts with another name or number: which node each is, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.problem import ERROR, WARNING
from ansible.module_utils.kraft.spec import host_rules

from tests.unit.problems import named
from tests.unit.spec.host_rules.scene import CLUSTER_ID, DIRECTORY_IDS, Scene
from tests.wording_files import Wording

RENAMED = {"renamed_host", "renamed_principal", "renamed_certificate"}


def told(scene: Scene) -> list[tuple[str, str, str, Any]]:
    return sorted((one.severity, one.rule, one.host or "", one.value) for one in host_rules.check(scene.subject()))


def cluster(quorum: str = "dynamic") -> Scene:
    """Return a running cluster of three, with its nodes' data about one another."""
    scene = Scene(quorum=quorum, **({"initial_controllers": ""} if quorum == "static" else {}))
    scene.format()
    voters = [{"node_id": one, "address": f"k{one}:9093"} for one in (1, 2, 3)]
    for at, name in enumerate(scene.nodes, 1):
        facts = scene.facts_of(name)
        facts["service"].update(pid=9, age=3600.0)
        facts["ports"] = [{"port": 9093, "address": f"10.0.0.{at}", "pid": 9, "process": "java"}]
        facts["reach"] = dict.fromkeys(facts["reach"], "open")
        listeners = scene.nodes[name]["listeners"]
        addresses = [f"{one['advertised']['host']}:{one['advertised']['port']}" for one in listeners]
        facts["deployed"]["listeners"] = [
            {"name": one["name"], "address": address, "protocol": "PLAINTEXT", "purpose": one["purpose"]}
            for one, address in zip(listeners, addresses)
        ]
        if quorum == "static":
            facts["deployed"]["voters"] = [{"source": "its configuration", "voters": voters}]
    replicas = tuple(Replica(one, DIRECTORY_IDS[one - 1], 9, 0, 1, 1, 0) for one in (1, 2, 3))
    brokers = tuple(Broker(one, f"k{one}", 9092) for one in (1, 2, 3))
    scene.snapshot = Snapshot(CLUSTER_ID, brokers=brokers, quorum=Quorum(1, 1, 9, replicas))
    return scene


def test_a_cluster_that_no_one_renamed_has_no_problem() -> None:
    assert told(cluster()) == []


@pytest.mark.parametrize("quorum", ["dynamic", "static"])
def test_a_host_that_is_numbered_again_is_the_node_of_its_disk_and_no_other_thing_is_said(quorum: str) -> None:
    scene = cluster(quorum)
    scene.nodes["k3"]["node_id"] = 4
    assert told(scene) == [(ERROR, "renamed_host", "k3", 4)]


def test_it_is_so_also_while_the_cluster_is_down() -> None:
    scene = cluster()
    scene.snapshot = None
    scene.nodes["k3"]["node_id"] = 4
    assert told(scene) == [(ERROR, "renamed_host", "k3", 4)]


def test_two_hosts_that_changed_places_are_no_renamed_ones() -> None:
    scene = cluster()
    scene.nodes["k2"]["node_id"], scene.nodes["k3"]["node_id"] = 3, 2
    assert {(rule, host) for _, rule, host, _ in told(scene)} >= {("foreign_node_id", "k2"), ("foreign_node_id", "k3")}
    assert not RENAMED & {rule for _, rule, _, _ in told(scene)}


def test_a_disk_of_another_cluster_is_a_foreign_one() -> None:
    scene = cluster()
    scene.logs("k3", cluster_id="q1Sh-9_ISia_zwGINzRvyQ")
    scene.nodes["k3"]["node_id"] = 4
    rules = {rule for _, rule, _, _ in told(scene)}
    assert "foreign_cluster_id" in rules
    assert not RENAMED & rules


def test_a_node_that_was_taken_out_is_not_that_node_any_more() -> None:
    scene = cluster()
    scene.facts_of("k3")["removed"] = True
    scene.nodes["k3"]["node_id"] = 4
    assert "renamed_host" not in {rule for _, rule, _, _ in told(scene)}


def test_a_voter_that_really_left_is_named_beside_a_renamed_host() -> None:
    scene = cluster()
    scene.nodes["k3"]["node_id"] = 4
    assert scene.snapshot is not None
    assert scene.snapshot.quorum is not None
    replicas = (*scene.snapshot.quorum.voters, Replica(5, "", 9, 0, 1, 1, 0))
    scene.snapshot = Snapshot(CLUSTER_ID, brokers=scene.snapshot.brokers, quorum=Quorum(1, 1, 9, replicas))
    assert told(scene) == [(ERROR, "dropped_voter", "", 5), (ERROR, "renamed_host", "k3", 4)]


def certified(scene: Scene, name: str) -> Scene:
    scene.facts_of("k3")["steps"] = {"certificate": {"changed": True, "issued_to": name}}
    return scene


@pytest.mark.parametrize(("name", "expected"), [("k3", []), ("", []), ("k9", [(WARNING, "renamed_certificate")])])
def test_a_certificate_of_another_name_is_said(name: str, expected: list[tuple[str, str]]) -> None:
    assert [(severity, rule) for severity, rule, _, _ in told(certified(cluster(), name))] == expected


def test_with_an_authorizer_a_new_name_would_be_refused_by_the_others() -> None:
    scene = certified(cluster(), "k9")
    scene.facts_of("k1")["deployed"]["authorizer"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    assert told(scene) == [(ERROR, "renamed_principal", "k3", "k3")]


@pytest.mark.parametrize(("authorizer", "pid", "refused"), [("Standard", 9, 1), ("", 9, 0), ("Standard", 0, 0)])
def test_a_certificate_that_was_brought_with_another_owner_would_be_refused_by_the_others(
    authorizer: str, pid: int, refused: int
) -> None:
    scene = cluster()
    scene.facts_of("k3")["steps"] = {"certificate": {"changed": True, "issued_to": "", "owners": ["CN=a", "CN=b"]}}
    scene.facts_of("k1")["deployed"]["authorizer"] = authorizer
    for name in scene.nodes:
        scene.facts_of(name)["service"]["pid"] = pid
    found = [one for one in told(scene) if one[1] == "renamed_principal"]
    assert found == [(ERROR, "renamed_principal", "k3", "CN=b")] * refused
    scene.facts_of("k3")["steps"]["certificate"]["owners"] = ["CN=a", "CN=a"]
    assert [one for one in told(scene) if one[1] == "renamed_principal"] == []


def test_the_sentences_name_both_nodes(wording: Wording) -> None:
    renamed, refused = cluster(), certified(cluster(), "k9")
    renamed.nodes["k3"]["node_id"] = 4
    refused.facts_of("k1")["deployed"]["authorizer"] = "StandardAuthorizer"
    scenes = (renamed, refused, certified(cluster(), "k9"))
    problems = [one for scene in scenes for one in host_rules.check(scene.subject())]
    found = [f"{one.message} -> {one.remedy}" for one in problems]
    assert [one.rule for one in problems] == [*("renamed_host", "renamed_principal", "renamed_certificate")]
    assert {"3"} <= set(named(found)[0])
    wording(found)
