"""One screen about a cluster: healthy, sick, silent; drift in words, and never a secret."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.difference import Difference
from ansible.module_utils.kraft.status.drift import node_drift, uncompared
from ansible.module_utils.kraft.status.model import Status
from ansible.module_utils.kraft.status.report import report
from ansible.module_utils.kraft.status.screen import lines
from ansible.module_utils.kraft.status.view import status

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.differences import plain, setting

RUNS = {"running": True, "actions": [], "differences": [], "stale": False, "current": "4.3.1"}
SERVICE = {"installed": True, "active": True, "state": "active", "pid": 7, "result": "success", "exit_status": 0}
DEAD = {**SERVICE, "active": False, "state": "failed", "pid": 0, "result": "exit-code", "exit_status": 1}


def view(leader_id: int = 1, epoch: int = 1, without: tuple[int, ...] = ()) -> dict[str, Any]:
    """What a host hears from the controllers and from its own broker."""
    claims = [Claim(one, error="x") if one in without else Claim(one, leader_id, epoch) for one in (1, 2, 3)]
    return {"controllers": [dataclasses.asdict(one) for one in claims], "broker": {"address": "a:1", "error": ""}}


LOOKED: dict[str, Any] = {
    "process": RUNS,
    "staged": {"changed_paths": []},
    "kernel": {"changed_settings": []},
    "view": view(),
    "service": SERVICE,
}
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
        "  Leader          kafka1 (node 1), epoch 1, as controllers 1, 2, 3 say",
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


def test_with_a_host_away_the_cause_comes_first_and_the_others_may_not_go() -> None:
    sick = cluster(
        topic("orders", partition(0, [1, 2, 3], [1, 2])),
        brokers=[broker(1), broker(2), broker(3, fenced=True)],
        leader=quorum(1, voter(1), voter(2), voter(3, behind_ms=None)),
    )
    lost = {"view": view(without=(3,))}
    gone = {"process": {"skipped": True}, "view": None, "kernel": {"unreachable": True, "msg": "Connection timed out"}}
    found = seen(sick, kafka1=lost, kafka2=lost, kafka3={**dict.fromkeys(LOOKED), **gone})
    assert not found.healthy
    assert [node.may_go for node in found.nodes] == [False, False, None]
    assert [node.state for node in found.nodes] == ["serves, leads", "serves, follows", "host away"]
    text = "\n".join(lines(found))
    assert text.startswith("Cluster demo: NOT HEALTHY: kafka3 (node 3): neither ssh nor Kafka answers. Because of it")
    assert text.index("Cause") < text.index("Do next") < text.index("Leader")
    assert "Because of it   1 partition is under-replicated" in text
    assert "controller 3 does not answer: x" in text
    assert "Not compared    kafka3 (node 3): nothing was compared: Connection timed out" in text
    assert "no: controller 3 has not been heard of by the leader" in text


def test_a_node_that_does_not_run_is_a_cause_and_no_drift() -> None:
    found = seen(kafka3={"process": {**RUNS, "actions": ["start"]}, "service": DEAD})
    assert [(one.rule, one.node_ids, one.detail) for one in found.causes] == [
        ("not_running", (3,), "its unit has failed (exit-code, exit status 1)")
    ]
    assert (found.healthy, found.drifted, found.nodes[2].state) == (False, False, "does not run")


def test_a_cluster_that_does_not_answer_is_not_healthy_and_nobody_may_go_by_it() -> None:
    nobody = {"service": DEAD, "view": {**view(without=(1, 2, 3)), "broker": {"address": "a:1", "error": "x"}}}
    results = {name: {**LOOKED, **nobody} for name in DESIRED["nodes"]}
    found = status(DESIRED, results, {"skipped": True}, None)
    assert found.problems == ("no broker answers",)
    assert [one.rule for one in found.causes] == ["not_running"]
    assert [(node.state, node.may_go) for node in found.nodes] == [("does not run", None)] * 3
    assert "Leader          none: 0 of 3 controllers answer, 2 must agree" in "\n".join(lines(found))


def test_the_leader_is_known_by_the_controllers_although_the_asked_broker_is_cut_off() -> None:
    """The active controller was cut off, and the broker beside it was asked: the others have elected another."""
    lost = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    others = {"view": view(2, 5, without=(1,))}
    alone = {"view": {**view(-1, 4, without=(2, 3))}}
    found = seen(lost, kafka1=alone, kafka2=others, kafka3=others)
    told = report(found, "now")["leader"]
    assert (told["node_id"], told["epoch"], told["according_to"]) == (2, 5, [2, 3])
    assert told["out_of_date"] == [{"node_id": 1, "leader_id": -1, "epoch": 4}]
    assert [(one.rule, one.node_ids) for one in found.causes] == [("cut_off", (1,))]
    assert "Leader          kafka2 (node 2), epoch 5, as controllers 2, 3 say" in "\n".join(lines(found))


def test_the_quorum_of_the_leaders_own_host_fills_in_for_a_broker_that_has_none() -> None:
    lost = dataclasses.replace(cluster(), quorum=None, unanswered={"quorum": "no answer"})
    own = {"view": {**view(), "quorum": dataclasses.asdict(quorum(1))}}
    assert seen(lost, kafka1=own).good


def test_without_the_controllers_word_that_of_the_broker_counts() -> None:
    found = seen(**{name: {"view": {"failed": True, "msg": "no library"}} for name in DESIRED["nodes"]})
    assert found.healthy
    assert "  Leader          kafka1 (node 1), epoch 1" in lines(found)
    assert "kafka1 (node 1): controllers were not asked: no library" in "\n".join(lines(found))


def test_what_hosts_do_not_grant_is_shown_once_for_all_and_harms_nothing() -> None:
    unmet = [{"name": "vm.swappiness", "wanted": "1", "value": "60", "reason": "read-only"}]
    found = seen(**{name: {"kernel": {"unmet": unmet}} for name in DESIRED["nodes"]})
    assert found.good
    assert "  Not granted     all hosts: vm.swappiness is 60, not 1: read-only" in lines(found)
    assert [one["host"] for one in report(found, "now")["ungranted"]] == ["kafka1", "kafka2", "kafka3"]


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({}, []),
        ({"process": {**RUNS, "running": True, "actions": ["start"]}}, []),
        (
            {
                "process": {
                    **RUNS,
                    "differences": plain(setting("num.partitions 1 -> 3"), Difference("release", "", "4.2.1", "4.3.1")),
                }
            },
            [
                "runs with something else: server.properties: num.partitions 1 -> 3",
                "runs with something else: release 4.2.1 -> 4.3.1",
            ],
        ),
        ({"process": {**RUNS, "differences": plain(setting("num.io.threads 4 -> 8"))}}, []),
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
        ({"process": None}, []),
    ],
)
def test_drift_is_said_in_words(results: dict[str, Any], said: list[str]) -> None:
    assert node_drift({**LOOKED, **results}, ["num.io.threads"]) == said


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({}, []),
        ({"kernel": {"failed": True, "msg": "no\nsysctl"}}, ["kernel was not compared: no sysctl"]),
        ({"process": {"failed": True, "msg": "y" * 200}}, [f"process was not compared: {'y' * 160}..."]),
        ({"process": None}, ["process was not compared: nothing was asked"]),
        ({"process": None, "kernel": {"unreachable": True, "msg": "away"}}, ["nothing was compared: away"]),
    ],
)
def test_what_was_not_compared_is_said(results: dict[str, Any], said: list[str]) -> None:
    assert uncompared({**LOOKED, **results}) == said


def test_a_node_that_was_not_compared_is_not_good() -> None:
    found = seen(kafka1={"process": {"failed": True, "msg": "y"}})
    assert (found.healthy, found.drifted, found.good) == (True, False, False)
    assert found.headline == "Cluster demo: healthy, 1 node not compared."


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
