"""Causes before consequences: a table of sick clusters, and what each of them suffers from."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.snapshot import LogDir, Reassignment, Snapshot
from ansible.module_utils.kraft.status.advice import STEPS
from ansible.module_utils.kraft.status.causes import ORDER, Cause
from ansible.module_utils.kraft.status.effects import WORST_FIRST
from ansible.module_utils.kraft.status.evidence import NOT_DEPLOYED
from ansible.module_utils.kraft.status.obstacles import Obstacle

from tests.unit.cluster.snapshots import broker, cluster, partition, quorum, topic, voter
from tests.unit.problems import named, values
from tests.unit.status.scenes import AWAY, IDS, explained, heard, node, silent_quorum, without
from tests.wording_files import Wording

FAILED = "its unit has failed (exit-code, exit status 1)"
HANGS = "controller: 10.0.0.3:9093 accepts connections and does not answer"
DEDICATED: dict[int, tuple[str, ...]] = {
    **dict.fromkeys(IDS, ("controller",)),
    **dict.fromkeys((4, 5), ("broker",)),
}
BROKERS = cluster(topic("orders", partition(0, [4, 5])), brokers=[broker(4), broker(5)])
BROKER_5_AWAY = cluster(topic("orders", partition(0, [4, 5], [4])), brokers=[broker(4), broker(5, fenced=True)])
OTHERS: dict[int, dict[str, Any]] = {1: {"claims": heard(1, without=[3])}, 2: {"claims": heard(1, without=[3])}}
CUT_OFF_LEADER: dict[int, dict[str, Any]] = {
    1: {"claims": (Claim(1, -1, 4), Claim(2, error=AWAY), Claim(3, error=AWAY))},
    2: {"claims": heard(2, 5, without=[1])},
    3: {"claims": heard(2, 5, without=[1])},
}
UNCOUNTED: dict[str, int] = {}


def rules(found: tuple[Cause, ...]) -> list[tuple[str, tuple[int, ...]]]:
    return [(cause.rule, cause.node_ids) for cause in found]


def suffered(cause: Cause) -> dict[str, int]:
    return {effect.rule: effect.count for effect in cause.effects}


Case = tuple[dict[int, dict[str, Any]], Snapshot | None, list[tuple[str, tuple[int, ...]]], dict[str, int]]
CASES: dict[str, Case] = {
    "a broker does not run": (
        {**OTHERS, 3: {"down": FAILED, "claims": heard(1, without=[3])}},
        without(3),
        [("not_running", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "it has just died, and the cluster has not noticed": (
        {**OTHERS, 3: {"down": FAILED, "claims": heard(1, without=[3])}},
        without(),
        [("not_running", (3,))],
        {"no_spare_controller": 2},
    ),
    "a process is stopped": (
        {**OTHERS, 3: {"stopped": True, "silent": (HANGS,), "claims": heard(1, without=[3])}},
        without(3),
        [("process_stopped", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "a process hangs": (
        {**OTHERS, 3: {"silent": (HANGS,), "claims": heard(1, without=[3])}},
        without(3),
        [("not_answering", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "a machine is gone": (
        {**OTHERS, 3: {"unreached": AWAY, "claims": ()}},
        without(3),
        [("host_down", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "ssh is refused and Kafka works": (
        {3: {"unreached": AWAY, "claims": ()}},
        without(),
        [("host_unreachable", (3,))],
        UNCOUNTED,
    ),
    "the active controller is cut off": (
        CUT_OFF_LEADER,
        without(1),
        [("cut_off", (1,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "two nodes do not reach each other: the one that does not lead is named": (
        {1: {"claims": heard(1, without=[3])}, 3: {"claims": heard(1, without=[1])}},
        without(),
        [("cut_off", (3,))],
        {"no_spare_controller": 2},
    ),
    "two of three are down": (
        {
            1: {"down": FAILED, "claims": heard(-1, 5, without=[1, 2])},
            2: {"down": FAILED, "claims": heard(-1, 5, without=[1, 2])},
            3: {"claims": heard(-1, 5, without=[1, 2])},
        },
        silent_quorum(without(1, 2)),
        [("not_running", (1, 2))],
        {"no_majority": 1, "under_min_isr": 3, "under_replicated": 3},
    ),
    "all are down": (
        {one: {"down": FAILED, "claims": heard(1, without=IDS)} for one in IDS},
        None,
        [("not_running", IDS)],
        {"no_majority": 0},
    ),
    "no host answers: the inventory is another one, or its hosts were never made": (
        {one: {"unreached": f"cannot resolve kafka{one}", "claims": ()} for one in IDS},
        None,
        [("no_host", IDS)],
        {"no_majority": 0},
    ),
    "nothing was deployed, or all was destroyed": (
        {one: {"down": NOT_DEPLOYED, "claims": (), "lived": False} for one in IDS},
        None,
        [("not_deployed", IDS)],
        {"no_majority": 0},
    ),
    "the service of one member was deleted": (
        {**OTHERS, 3: {"down": NOT_DEPLOYED, "lived": True, "claims": ()}},
        without(3),
        [("not_deployed", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "the machine of one member has empty disks": (
        {**OTHERS, 3: {"down": NOT_DEPLOYED, "lived": False, "claims": ()}},
        without(3),
        [("emptied", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "the disks of one member are gone, and its Kafka is still installed": (
        {**OTHERS, 3: {"down": FAILED, "lived": False, "claims": ()}},
        without(3),
        [("emptied", (3,))],
        {"under_replicated": 3, "no_spare_controller": 2},
    ),
    "one is down and another is cut off": (
        {
            1: {"claims": heard(1, without=[2, 3])},
            2: {"claims": heard(1, without=[1, 3])},
            3: {"down": FAILED, "claims": heard(1, without=[3])},
        },
        without(2, 3),
        [("not_running", (3,)), ("cut_off", (2,))],
        {"no_majority": 1, "under_min_isr": 3, "under_replicated": 3},
    ),
    "all answer and nobody leads": (
        {one: {"claims": heard(-1, 7)} for one in IDS},
        silent_quorum(without()),
        [("no_leader", ())],
        UNCOUNTED,
    ),
    "one follows an old leader": (
        {one: {"claims": (Claim(1, 2, 5), Claim(2, 2, 5), Claim(3, 1, 4))} for one in IDS},
        without(),
        [("out_of_date", (3,))],
        UNCOUNTED,
    ),
    "a broker still starts": (
        {},
        dataclasses.replace(without(3), quorum=quorum(1)),
        [("fenced", (3,))],
        {"under_replicated": 3},
    ),
    "a broker is not registered": (
        {},
        dataclasses.replace(without(3), quorum=quorum(1), brokers=(broker(1), broker(2))),
        [("not_registered", (3,))],
        {"under_replicated": 3},
    ),
    "a host of another cluster in the group": (
        {3: {"foreign": "it belongs to cluster y, as node 1", "claims": ()}},
        cluster(brokers=[broker(1), broker(2)], leader=quorum(1, voter(1), voter(2))),
        [("foreign_host", (3,))],
        {},
    ),
    "a controller of a dynamic quorum is no voter: an addition was killed": (
        {},
        cluster(leader=quorum(1, voter(1), voter(2))),
        [("joining", (3,))],
        UNCOUNTED,
    ),
    "a node was formatted by an addition that was killed, or never deployed": (
        {3: {"down": "it is not deployed", "claims": (), "lived": False}},
        cluster(brokers=[broker(1), broker(2)], leader=quorum(1, voter(1), voter(2))),
        [("joining", (3,))],
        UNCOUNTED,
    ),
    "a removal was killed before the node stopped": (
        {3: {"removed": True, "lived": True}},
        cluster(leader=quorum(1, voter(1), voter(2))),
        [("leaving", (3,))],
        UNCOUNTED,
    ),
    "a removal was killed before the registration went": (
        {3: {"removed": True, "lived": True, "down": FAILED, "claims": ()}},
        cluster(brokers=[broker(1), broker(2), broker(3, fenced=True)], leader=quorum(1, voter(1), voter(2))),
        [("leaving", (3,))],
        UNCOUNTED,
    ),
    "a node that was taken out is still in the inventory": (
        {3: {"removed": True, "lived": True, "down": FAILED, "claims": ()}},
        cluster(brokers=[broker(1), broker(2)], leader=quorum(1, voter(1), voter(2))),
        [("taken_out", (3,))],
        UNCOUNTED,
    ),
    "a controller is behind": (
        {},
        cluster(leader=quorum(1, voter(1), voter(2), voter(3, 9000, 4))),
        [("behind", (3,))],
        {"no_spare_controller": 2},
    ),
    "a disk is broken": (
        {},
        dataclasses.replace(
            cluster(topic("orders", partition(0, IDS, [1, 3]), partition(1, IDS))),
            log_dirs=(LogDir(2, "/data", "KAFKA_STORAGE_ERROR"), LogDir(1, "/data")),
        ),
        [("log_dir_offline", (2,))],
        {"under_replicated": 1},
    ),
    "replicas lag for no reason that shows": (
        {},
        cluster(topic("orders", partition(0, IDS, [1, 3]))),
        [("replica_behind", (2,))],
        {"under_replicated": 1},
    ),
    "replicas are on the move": (
        {},
        cluster(topic("orders", partition(0, [1, 2, 3], [1, 2])), moves=[Reassignment("orders", 0, (3,), ())]),
        [("moving", ())],
        UNCOUNTED,
    ),
    "nobody leads a partition whose last replica is down": (
        {**OTHERS, 3: {"down": FAILED, "claims": heard(1, without=[3])}},
        dataclasses.replace(without(3), topics=(topic("orders", partition(0, IDS, [3], leader=-1)),)),
        [("not_running", (3,))],
        {"no_leader": 1, "under_replicated": 1, "no_spare_controller": 2},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_cause_is_found_and_what_follows_is_counted(case: str) -> None:
    nodes, snapshot, expected, effects = CASES[case]
    found = explained(nodes, snapshot)
    assert rules(found) == expected
    assert suffered(found[0]) == effects


def test_every_cause_has_its_case() -> None:
    seen = {rule for *_, expected, _ in CASES.values() for rule, _ in expected}
    while_it_works = {"migrating", "migrating_quorum", "throttle_left", "disk_throttle_left"}
    assert seen | {"other", "not_voter"} == set(ORDER) == set(STEPS) - while_it_works


def test_a_controller_of_a_static_quorum_becomes_a_voter_by_a_deployment() -> None:
    (found,) = explained({}, cluster(leader=quorum(1, voter(1), voter(2))), dynamic=False)
    assert (found.rule, found.node_ids) == ("not_voter", (3,))


@pytest.mark.parametrize(("lived", "rule"), [(False, "joining"), (True, "not_running"), (None, "not_running")])
def test_a_broker_that_was_never_started_joins_and_one_that_was_is_down(lived: bool | None, rule: str) -> None:
    roles = {**DEDICATED, 6: ("broker",)}
    (found,) = explained({6: {"down": FAILED, "claims": (), "lived": lived}}, BROKERS, roles=roles)
    assert (found.rule, found.node_ids) == (rule, (6,))


def test_without_an_answer_of_the_cluster_nothing_joins() -> None:
    found = explained({one: {"down": FAILED, "claims": heard(1, without=IDS), "lived": False} for one in IDS}, None)
    assert rules(found) == [("not_running", IDS)]


@pytest.mark.parametrize(
    ("fields", "command"),
    [
        ({"lived": False, "down": FAILED}, "playbooks/add_nodes.yml -e kafka_add_nodes=kafka2,kafka3"),
        ({"removed": True}, "playbooks/remove_nodes.yml -e kafka_remove_nodes=kafka2,kafka3"),
    ],
)
def test_one_command_finishes_what_was_begun(fields: dict[str, Any], command: str) -> None:
    (found,) = explained({2: fields, 3: fields}, cluster(brokers=[broker(1)], leader=quorum(1, voter(1))))
    assert [step.command for step in found.steps] == [f"ansible-playbook -i inventories/mine {command}"]


def test_a_node_that_was_taken_out_leaves_the_inventory_before_it_is_added_again() -> None:
    nodes, snapshot, *_ = CASES["a node that was taken out is still in the inventory"]
    (found,) = explained(nodes, snapshot)
    assert [step.command.partition("inventories/mine ")[2] for step in found.steps] == [
        "playbooks/cluster_status.yml",
        "playbooks/add_nodes.yml -e kafka_add_nodes=kafka3",
    ]


@pytest.mark.parametrize("nodes", [IDS, (3,)])
def test_a_host_without_kafka_is_deployed_not_searched_for_messages(nodes: tuple[int, ...]) -> None:
    fields = {"down": NOT_DEPLOYED, "claims": (), "lived": len(nodes) == 1}
    (found,) = explained(dict.fromkeys(nodes, fields), without(3) if len(nodes) == 1 else None)
    assert [step.command for step in found.steps] == ["ansible-playbook -i inventories/mine site.yml"]


def test_what_is_in_the_way_of_a_start_comes_first(wording: Wording) -> None:
    full = Obstacle("log_dir_full", "/data", "/data has 0 MiB free of 1440 MiB", "free space or use a larger disk")
    (found,) = explained({3: {"down": FAILED, "lived": True, "obstacles": (full,)}}, without(3))
    assert (found.rule, found.node_ids) == ("not_running", (3,))
    assert {"/data", "0", "1440"} <= values(found.detail)
    assert found.steps[0].command == "ansible -i inventories/mine kafka3 -b -a 'df --human-readable /data'"
    wording([found.detail, found.steps[0].purpose])


def test_a_healthy_cluster_has_no_cause() -> None:
    assert explained(None, without(), problems=()) == ()


def test_a_problem_that_nothing_explains_is_a_cause_itself() -> None:
    (found,) = explained(None, without(), problems=("this is cluster y, and x is expected",))
    assert (found.rule, found.text) == ("other", "this is cluster y, and x is expected")


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ({5: {"down": FAILED}}, [("not_running", (5,))]),
        ({5: {"unreached": AWAY, "claims": ()}}, [("host_down", (5,))]),
        ({5: {"claims": heard(1, without=IDS)}}, [("cut_off", (5,))]),
        ({5: {"silent": ("broker: hangs",)}}, [("not_answering", (5,))]),
    ],
)
def test_of_a_dedicated_broker_the_quorum_suffers_nothing(nodes: dict[int, Any], expected: list[Any]) -> None:
    (found,) = explained(nodes, BROKER_5_AWAY, roles=DEDICATED)
    assert rules((found,)) == expected
    assert suffered(found) == {"under_min_isr": 1, "under_replicated": 1}


def test_a_dedicated_broker_whose_host_refuses_ssh_still_serves() -> None:
    assert rules(explained({5: {"unreached": AWAY, "claims": ()}}, BROKERS, roles=DEDICATED)) == [
        ("host_unreachable", (5,))
    ]


def test_of_dedicated_controllers_no_partition_suffers() -> None:
    lost = heard(1, without=[3])
    nodes: dict[int, dict[str, Any]] = {one: {"claims": lost} for one in (1, 2, 3, 4, 5)}
    nodes[3]["down"] = FAILED
    (found,) = explained(nodes, BROKERS, roles=DEDICATED)
    assert (rules((found,)), suffered(found)) == ([("not_running", (3,))], {"no_spare_controller": 2})


def test_the_worst_effect_comes_first_and_is_in_the_sentence(wording: Wording) -> None:
    nodes, snapshot, *_ = CASES["two of three are down"]
    (found,) = explained(nodes, snapshot)
    assert [WORST_FIRST.index(one.rule) for one in found.effects] == [0, 2, 3]
    assert named([found.sentence]) == [["kafka1", "1", "kafka2", "2", "1", "3", "2"]]
    wording([found.sentence])


def test_names_of_many_nodes_are_shortened_and_braces_in_errors_stay(wording: Wording) -> None:
    roles = dict.fromkeys(range(1, 9), ("broker",))
    (found,) = explained({one: {"down": "{}"} for one in roles}, None, roles=roles)
    assert named([found.text])[0][:4] == ["kafka1", "1", "kafka2", "2"]
    assert named([found.text])[0][-1] == "3"
    wording([found.text])
    assert found.detail == "{}"


def test_what_to_do_next_can_be_typed() -> None:
    (found,) = explained({3: {"silent": (HANGS,)}}, without(3))
    assert [step.command for step in found.steps] == [
        "ansible -i inventories/mine kafka3 -b -a 'journalctl --unit kafka --lines 50 --no-pager'",
        'ansible-playbook -i inventories/mine playbooks/restart_cluster.yml -e \'{"kafka_restart_nodes": ["kafka3"]}\'',
    ]


def test_a_replica_of_a_broker_in_no_inventory_is_named_by_its_id() -> None:
    shown = cluster(topic("orders", partition(0, [1, 9], [1])), brokers=[*(broker(one) for one in IDS), broker(9)])
    (found,) = explained(None, shown)
    assert (found.rule, found.node_ids, found.hosts) == ("replica_behind", (9,), ())
    assert "broker 9 (in no inventory)" in found.text


def test_evidence_of_a_working_node_is_not_broken() -> None:
    assert not node(1).broken
    assert node(1, down=FAILED).broken
