"""The run that a refusal names is not refused for the same reason: each remedy is followed once (see test_presence)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.node.identity import Disk
from ansible.module_utils.kraft.problem import errors
from ansible.module_utils.kraft.spec import host_rules

from tests.unit.cluster.snapshots import quorum, voter
from tests.unit.problems import worded
from tests.unit.spec.host_rules.scene import CLUSTER_ID, LOGS, Scene, disk, empty_log_dir
from tests.unit.spec.host_rules.test_renamed import certified, cluster
from tests.wording_files import Wording

Step = Callable[[Scene], None]
OLD = "/data/old"


def blank_broker(scene: Scene) -> None:
    """Empty the machine of broker 3, which the cluster has registered."""
    scene.nodes["k3"]["roles"] = ["broker"]
    scene.snapshot = Snapshot(CLUSTER_ID, brokers=tuple(Broker(one, f"k{one}:9092", 1) for one in (1, 2, 3)))


def lost_metadata_disk(scene: Scene) -> None:
    scene.nodes["k3"]["roles"] = ["broker"]
    scene.facts_of("k3")["used_log_dirs"] = {LOGS: {"read": True, "replicas": 3, "named": ["t-0"]}}


def is_replaced(scene: Scene) -> None:
    """`replace_node.yml -e kafka_replace_node=k3`."""
    scene.wanted["k3"] = dataclasses.replace(scene.wanted["k3"], replaced=True)


def older_release(scene: Scene) -> None:
    scene.format("k3")
    scene.facts_of("k3")["current_release"] = "4.5.0"


def static_quorum(scene: Scene) -> None:
    scene.format("k3")
    scene.facts_of("k3")["quorum"] = "static"


def nothing(scene: Scene) -> None:
    """The remedy is a variable of the run."""


@pytest.mark.parametrize(
    ("state", "rule", "offered", "follow", "accepted"),
    [
        (blank_broker, "log_dir_lost", "replace_node.yml -e kafka_replace_node=k3", is_replaced, ()),
        (lost_metadata_disk, "log_dir_lost", "replace_node.yml -e kafka_replace_node=k3", is_replaced, ()),
        (older_release, "release_older", "list release_older in kafka_accepted_risks", nothing, ("release_older",)),
        (static_quorum, "quorum_form", "migrate_quorum.yml with quorum_form", nothing, ("quorum_form",)),
    ],
)
def test_the_run_that_a_remedy_names_is_not_refused(
    state: Step, rule: str, offered: str, follow: Step, accepted: tuple[str, ...]
) -> None:
    scene = Scene()
    state(scene)
    refused = errors(host_rules.check(scene.subject()))
    assert {one.rule for one in refused} == {rule}
    assert all(offered in one.remedy for one in refused)
    follow(scene)
    assert errors(host_rules.check(scene.subject(), accepted)) == []


def half_configured(scene: Scene) -> None:
    """A killed migration: k2 has no list of voters any more."""
    scene.format("k2")
    scene.facts_of("k2")["quorum"] = "dynamic"


def raised_alone(scene: Scene) -> None:
    """A migration that was killed before it reached a host: only the quorum itself is dynamic."""
    scene.snapshot = Snapshot(CLUSTER_ID, quorum=quorum(3, voter(3, directory="b3RoZXItZGlyZWN0b3J5LQ")))


@pytest.mark.parametrize("killed", [half_configured, raised_alone])
def test_a_migration_of_the_quorum_that_was_killed_can_only_be_finished(killed: Step, wording: Wording) -> None:
    scene = Scene()
    static_quorum(scene)
    killed(scene)
    refused = [one for one in host_rules.check(scene.subject()) if one.rule == "quorum_form"]
    assert [(one.host, one.value) for one in refused] == [("k3", "dynamic")]
    assert "kafka_quorum: static" not in refused[0].remedy
    assert "migrate_quorum.yml" in refused[0].remedy
    wording(worded(refused))


def test_a_voter_of_a_static_quorum_takes_the_directory_id_of_its_disk(wording: Wording) -> None:
    """A static quorum lists no directory ids, so there is none to compare with, and no node to replace."""
    scene = Scene()
    static_quorum(scene)
    disk_id, scene.nodes["k3"]["directory_id"] = scene.nodes["k3"]["directory_id"], "b3RoZXItZGlyZWN0b3J5LQ"
    [refused] = errors(host_rules.check(scene.subject(), ("quorum_form",)))
    assert (refused.rule, refused.host, refused.value) == ("foreign_directory_id", "k3", disk_id)
    assert "replace" not in refused.remedy
    wording(worded([refused]))
    scene.nodes["k3"]["directory_id"] = refused.value
    assert errors(host_rules.check(scene.subject(), ("quorum_form",))) == []


def test_a_log_dir_that_is_put_back_can_be_emptied() -> None:
    """`balance_disks.yml` requires no more than the right hosts."""
    scene = Scene()
    scene.deploy()
    scene.facts_of("k3")["used_log_dirs"] = {OLD: {"read": True, "replicas": 3, "named": ["t-0"]}}
    [refused] = errors(host_rules.check(scene.subject()))
    assert f"balance_disks.yml -e kafka_drain_log_dirs=k3:{OLD}" in refused.remedy
    scene.nodes["k3"]["log_dirs"] = [LOGS, OLD]
    scene.facts_of("k3")["log_dirs"][OLD] = {**empty_log_dir(OLD), **disk(OLD)}
    assert host_rules.identified(scene.subject()) == []


def numbered(scene: Scene) -> None:
    scene.nodes["k3"]["node_id"] = 4


def numbered_back(scene: Scene) -> None:
    scene.nodes["k3"]["node_id"] = 3


def named_again(scene: Scene) -> None:
    """The host k3, whose certificate belongs to k9, has a new name in a cluster with an authorizer."""
    certified(scene, "k9")
    scene.facts_of("k1")["deployed"]["authorizer"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


def named_back(scene: Scene) -> None:
    every: list[Any] = [scene.nodes, scene.facts, scene.wanted]
    for one in every:
        one["k9"] = one.pop("k3")


def other_protocol(scene: Scene) -> None:
    next(one for one in scene.nodes["k3"]["listeners"] if one["name"] == "INTERNAL")["protocol"] = "SSL"


def protocol_back(scene: Scene) -> None:
    next(one for one in scene.nodes["k3"]["listeners"] if one["name"] == "INTERNAL")["protocol"] = "PLAINTEXT"


def without_its_disk(scene: Scene) -> None:
    """A node was deployed with a log dir that is not mounted."""
    scene.logs("k3", state="empty", cluster_id="", node_id=None, directory_id="", has_meta=False)
    scene.holds("k3", Disk(OLD, True))


def disk_back(scene: Scene) -> None:
    scene.deploy("k3")


@pytest.mark.parametrize(
    ("state", "rule", "offered", "follow"),
    [
        (numbered, "renamed_host", "kafka_node_id: 3", numbered_back),
        (named_again, "renamed_principal", "restore the name k9", named_back),
        (other_protocol, "protocol_changes", "keep PLAINTEXT", protocol_back),
        (without_its_disk, "unidentified_host", "mount its disk", disk_back),
        (without_its_disk, "unidentified_host", "replace_node.yml", is_replaced),
    ],
)
def test_a_remedy_for_a_running_cluster_is_accepted(state: Step, rule: str, offered: str, follow: Step) -> None:
    scene = cluster()
    state(scene)
    [refused] = [one for one in errors(host_rules.check(scene.subject())) if one.rule == rule]
    assert offered in refused.remedy
    follow(scene)
    assert errors(host_rules.check(scene.subject())) == []
