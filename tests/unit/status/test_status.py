"""One screen about a cluster: healthy, sick, silent; drift in words, and never a secret."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.status.drift import node_drift
from ansible.module_utils.kraft.status.screen import lines
from ansible.module_utils.kraft.status.view import Status, status

from tests.unit.client.snapshots import broker, cluster, partition, quorum, topic, voter

RUNS = {"running": True, "actions": [], "reasons": [], "stale": False, "current": "4.3.1"}
LOOKED: dict[str, Any] = {"process": RUNS, "staged": {"changed_paths": []}, "kernel": {"changed_settings": []}}
DESIRED: dict[str, Any] = {
    "cluster": {"name": "demo", "cluster_id": "x", "broker_ids": [1, 2, 3], "controller_ids": [1, 2, 3]},
    "nodes": {f"kafka{one}": {"node_id": one, "roles": ["broker", "controller"]} for one in (1, 2, 3)},
}


def seen(snapshot: Any = None, **hosts: Any) -> Status:
    """A cluster with one topic, all hosts as they should be but for `hosts`."""
    shown = snapshot or cluster(topic("orders", partition(0, [1, 2, 3])))
    results = {name: {**LOOKED, **hosts.get(name, {})} for name in DESIRED["nodes"]}
    answer = {"snapshot": dataclasses.replace(shown, reassignments=()).to_dict()}
    return status(DESIRED, results, answer, {"settled": {"kafka1": ["num.io.threads"]}})


def test_a_healthy_cluster_fits_on_one_screen() -> None:
    found = seen()
    assert found.good
    assert lines(found, "page.html") == [
        "Cluster demo: healthy, as the inventory says.",
        "",
        "  Leader          kafka1 (node 1), epoch 1",
        "  Brokers         3 of 3 serve",
        "  Partitions      1 in 1 topics",
        "  Behind          0 partitions",
        "  Without leader  0 partitions",
        "  On the move     0 partitions",
        "",
        "  Node   Host                 State                    May go down now",
        "  1      kafka1               serves, leads            yes",
        "  2      kafka2               serves, follows          yes",
        "  3      kafka3               serves, follows          yes",
        "",
        "  Drift           none",
        "  Page            page.html",
    ]


def test_with_a_node_down_the_others_may_not_go_and_it_is_said_why() -> None:
    sick = cluster(
        topic("orders", partition(0, [1, 2, 3], [1, 2])),
        brokers=[broker(1), broker(2), broker(3, fenced=True)],
        leader=quorum(1, voter(1), voter(2), voter(3, behind_ms=None)),
    )
    gone = {"process": {"skipped": True}, "kernel": {"unreachable": True, "msg": "Connection timed out"}}
    found = seen(sick, kafka3=gone)
    assert not found.healthy
    assert [node.may_go for node in found.nodes] == [False, False, True]
    text = "\n".join(lines(found))
    assert text.startswith("Cluster demo: NOT HEALTHY (3 problems), 1 difference from the inventory.")
    assert "kafka3               fenced, behind           yes" in text
    assert "no: controller 3 has not been heard of by the leader; without 1 only 1 of 3 controllers" in text
    assert "kafka3 (node 3) could not be looked at: Connection timed out" in text


def test_a_cluster_that_does_not_answer_is_not_healthy_and_nobody_may_go_by_it() -> None:
    results = dict.fromkeys(DESIRED["nodes"], LOOKED)
    found = status(DESIRED, results, {"failed": True, "msg": "10.0.0.1:9092: nobody listens"}, None)
    assert found.problems == ("no node answers: 10.0.0.1:9092: nobody listens",)
    assert [(node.state, node.may_go) for node in found.nodes] == [("unknown", None)] * 3
    assert "Leader          not known: the cluster does not answer" in "\n".join(lines(found))


def test_controllers_that_do_not_answer_are_not_taken_for_having_no_leader() -> None:
    lost = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    found = seen(lost)
    assert found.leader == "not known: the controllers do not answer"
    assert found.problems == ("quorum is not known: no answer",)
    assert [node.may_go for node in found.nodes] == [False] * 3


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({}, []),
        ({"process": {**RUNS, "running": True, "actions": ["start"]}}, ["Kafka does not run"]),
        (
            {"process": {**RUNS, "reasons": ["server.properties: num.partitions 1 -> 3", "release 4.2.1 -> 4.3.1"]}},
            [
                "runs with something else: server.properties: num.partitions 1 -> 3",
                "runs with something else: release 4.2.1 -> 4.3.1",
            ],
        ),
        ({"process": {**RUNS, "reasons": ["server.properties: num.io.threads 4 -> 8"]}}, []),
        (
            {
                "process": {
                    **RUNS,
                    "actions": ["place"],
                    "diff": [{"after": "x\nput back as wanted: jvm.options\n"}],
                }
            },
            ["edited in place: jvm.options"],
        ),
        (
            {"process": {**RUNS, "actions": ["flip"], "current": "4.2.1"}},
            ["`current` leads to release 4.2.1, which is not the one that runs"],
        ),
        (
            {"process": {**RUNS, "actions": ["enable"]}},
            ["the unit is not enabled: Kafka would not start with the machine"],
        ),
        (
            {"staged": {"changed_paths": ["/opt/kafka/next/jvm.options"]}},
            ["waits for the next start, and is not what the inventory says: /opt/kafka/next/jvm.options"],
        ),
        ({"kernel": {"changed_settings": ["vm.swappiness"]}}, ["kernel: vm.swappiness is not what was set"]),
        (
            {"kernel": {"changed": True, "changed_settings": []}},
            ["kernel: the settings for the next boot are not what was written"],
        ),
        ({"kernel": {"failed": True, "msg": "no\nsysctl"}}, ["kernel not compared: no sysctl"]),
        ({"process": {"failed": True, "msg": "y" * 200}}, [f"could not be looked at: {'y' * 160}..."]),
        ({"process": None}, ["could not be looked at: nothing was asked"]),
    ],
)
def test_drift_is_said_in_words(results: dict[str, Any], said: list[str]) -> None:
    assert node_drift({**LOOKED, **results}, ["num.io.threads"]) == said


def test_overrides_that_nobody_declared_are_drift_of_the_cluster() -> None:
    results = dict.fromkeys(DESIRED["nodes"], LOOKED)
    answer = {"snapshot": cluster(topic("orders", partition(0, [1, 2, 3]))).to_dict()}
    found = status(DESIRED, results, answer, {"differs": ["a 1 -> 2 on node 1"], "undeclared": ["b 3 on broker 2"]})
    assert found.healthy
    assert not found.good
    assert "  Drift           live: a 1 -> 2 on node 1" in lines(found)


def test_who_is_in_no_inventory_is_named() -> None:
    voters = quorum(1, voter(1), voter(2), voter(3), voter(8, behind_ms=None))
    found = seen(cluster(brokers=[*(broker(one) for one in (1, 2, 3)), broker(9, fenced=True)], leader=voters))
    assert not found.good
    text = "\n".join(lines(found))
    assert "broker 9 is registered, away (fenced), and in no inventory: new features must wait for it" in text
    assert "controller 8 is a voter and in no inventory: it counts for the majority" in text


def test_a_screen_stays_a_screen() -> None:
    many = {"staged": {"changed_paths": [f"/x/{one}" for one in range(30)]}}
    assert "                  and 18 more, on the page" in lines(seen(kafka1=many))
