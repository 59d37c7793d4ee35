"""Identity of a host: another cluster's node, another node of this one, an unnamed one, no member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ansible.module_utils.kraft.node.identity import Disk
from ansible.module_utils.kraft.spec import host_rules
from ansible.module_utils.kraft.spec.host_rules.subject import Desired

from tests.unit.problems import worded
from tests.unit.spec.host_rules.scene import CLUSTER_ID, DIRECTORY_IDS, LOGS, Scene
from tests.wording_files import Wording

OTHER = "b3RoZXItY2x1c3Rlci1pZA"
OWNER = {"CN": "k3", "OU": "nodes", "O": "orders"}


def told(scene: Scene) -> list[tuple[str, str, Any]]:
    """By the preflight of a deployment."""
    return [(one.rule, one.host, one.value) for one in host_rules.check(scene.subject())]


def foreign(scene: Scene) -> None:
    """Machines of another cluster, whose log dirs the inventory does not name."""
    scene.facts["k3"] = {**scene.facts_of("k3"), "log_dirs": {}}
    scene.holds("k3", Disk("/srv/other", True, OTHER, 1))


def foreign_and_empty(scene: Scene) -> None:
    scene.holds("k3", Disk("/srv/other", True), Disk(LOGS, False))


def unread(scene: Scene) -> None:
    scene.holds("k3", Disk(LOGS, True, error="Input/output error"))


def of_another_certificate(scene: Scene) -> None:
    scene.holds("k3", Disk(LOGS, True), owner={**OWNER, "O": "other"})


def swapped(scene: Scene) -> None:
    """The addresses of two hosts."""
    scene.facts["k2"], scene.facts["k3"] = scene.facts["k3"], scene.facts["k2"]


def copied(scene: Scene) -> None:
    """The address of k2 at k3, too."""
    scene.facts["k3"] = scene.facts["k2"]


def new_node_id(scene: Scene) -> None:
    scene.nodes["k3"]["node_id"] = 7


def other_directory(scene: Scene) -> None:
    scene.nodes["k3"]["directory_id"] = "b3RoZXItZGlyZWN0b3J5LQ"


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (foreign, [("foreign_host", "k3", "ansible_host", OTHER)]),
        (foreign_and_empty, [("unidentified_host", "k3", "ansible_host", None)]),
        (unread, [("unidentified_host", "k3", "ansible_host", None)]),
        (of_another_certificate, [("unidentified_host", "k3", "ansible_host", None)]),
        (swapped, [("swapped_host", "k2", "ansible_host", 3), ("swapped_host", "k3", "ansible_host", 2)]),
        (copied, [("same_machine", "k3", "ansible_host", "k2"), ("swapped_host", "k3", "ansible_host", 2)]),
        (new_node_id, [("renamed_host", "k3", "kafka_node_id", 3)]),
        (other_directory, [("foreign_directory_id", "k3", "kafka_directory_id", DIRECTORY_IDS[2])]),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_operation_refuses_a_host_that_is_not_the_node_of_the_inventory(
    broken: Callable[[Scene], None], expected: list[tuple[str, str, str, Any]], wording: Wording
) -> None:
    scene = Scene()
    scene.deploy()
    broken(scene)
    found = host_rules.identified(scene.subject())
    assert [(one.rule, one.host, one.variable, one.value) for one in found] == expected
    assert {one.severity for one in found} == {"error"}
    wording(worded(found))


def test_nodes_of_the_cluster_and_hosts_without_a_node_pass() -> None:
    scene = Scene()
    scene.deploy("k1")
    scene.holds("k2", removed_from=CLUSTER_ID)
    assert host_rules.identified(scene.subject()) == []


def test_certificate_of_the_node_stands_for_a_log_dir_that_is_lost() -> None:
    scene = Scene()
    scene.holds("k3", Disk(LOGS, True), owner=OWNER)
    assert host_rules.identified(scene.subject()) == []


def test_a_cluster_of_another_id_is_destroyed_by_its_id() -> None:
    scene = Scene()
    scene.deploy()
    foreign(scene)
    [found] = host_rules.identified(scene.subject(), ending=True)
    assert f"-e kafka_cluster_id={OTHER}" in found.remedy
    # Validation refuses a second id under a name that has reports (`reports_foreign`).
    assert "-e kafka_cluster_name=<new name> -e kafka_destroy=<new name>" in found.remedy


@pytest.mark.parametrize(
    ("state", "rules"),
    [
        ({"deployed": False}, ["no_member"]),
        ({"deployed": False, "removed_from": CLUSTER_ID}, []),  # an earlier run took it out
        ({"disks": [Disk(LOGS, True, CLUSTER_ID, 3)]}, []),
    ],
)
def test_name_that_leaves_and_is_no_member_is_said_to_be_none(state: dict[str, Any], rules: list[str]) -> None:
    scene = Scene()
    scene.deploy("k1", "k2")
    scene.holds("k3", *state.pop("disks", ()), **state)
    found = host_rules.identified(scene.subject(), ["k3"])
    assert [(one.rule, one.variable, one.value) for one in found] == [
        (one, "kafka_remove_nodes", "k3") for one in rules
    ]


def test_deployment_sees_a_foreign_node_beside_the_log_dirs_of_the_inventory() -> None:
    scene = Scene()
    scene.deploy("k1", "k2")
    scene.holds("k3", Disk("/srv/other", True, OTHER, 1), Disk(LOGS, False))
    assert ("foreign_host", "k3", OTHER) in told(scene)
    scene.holds("k3", Disk("/srv/other", True), Disk(LOGS, False))
    assert ("unidentified_host", "k3", None) in told(scene)
    scene.wanted["k3"] = Desired(replaced=True)
    assert ("unidentified_host", "k3", None) not in told(scene)


def test_deployment_names_no_other_remedy_for_a_host_of_another_cluster() -> None:
    """Its log dirs, listeners and place in the quorum are that cluster's, and no run of ours may change them."""
    scene = Scene()
    scene.deploy("k1", "k2")
    scene.holds("k3", Disk("/srv/other", True, OTHER, 1), Disk(LOGS, False))
    scene.facts_of("k3").update(
        used_log_dirs={"/srv/other": {"read": True, "replicas": 3, "named": ["t-0"]}}, systemd=False
    )
    assert {one.rule for one in host_rules.check(scene.subject()) if one.host == "k3"} == {"foreign_host"}
    scene.format("k3", cluster_id=OTHER)
    scene.holds("k3", Disk(LOGS, True, OTHER, 1))
    assert {one.rule for one in host_rules.check(scene.subject()) if one.host == "k3"} == {"foreign_cluster_id"}
