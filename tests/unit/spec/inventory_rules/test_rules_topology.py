"""Refusals of roles, numbers of nodes, and hosts that disagree."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables
from ansible.module_utils.kraft.spec.inventory.validation import nowhere

from tests.unit.problems import worded
from tests.unit.spec.inventory import Finding, finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording

BROKER = {"kafka_process_roles": ["broker"]}
CONTROLLER = {"kafka_process_roles": ["controller"]}


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "type",
        {"per_host": {"k1": {"kafka_process_roles": ["broker", "zookeeper"]}}},
        ("error", "k1", "kafka_process_roles[1]", "zookeeper"),
    ),
    (
        "type",
        {"per_host": {"k1": {"kafka_process_roles": ["brocker"]}}},
        ("error", "k1", "kafka_process_roles[0]", "brocker"),
    ),
    (
        "type",
        {"per_host": {"k1": {"kafka_process_roles": "broker,controller"}}},
        ("error", "k1", "kafka_process_roles", "broker,controller"),
    ),
    (
        "no_role",
        {"per_host": {"k1": {"kafka_process_roles": []}}},
        ("error", "k1", "kafka_process_roles", []),
    ),
    (
        "role_twice",
        {"per_host": {"k1": {"kafka_process_roles": ["broker", "broker"]}}},
        ("error", "k1", "kafka_process_roles", ["broker", "broker"]),
    ),
    (
        "no_controller",
        BROKER,
        ("error", "", "kafka_process_roles", None),
    ),
    ("no_broker", CONTROLLER, ("error", "", "kafka_process_roles", None)),
    (
        "even_controllers",
        {"count": 4},
        ("warning", "", "kafka_process_roles", 4),
    ),
    (
        "even_controllers",
        {"count": 2, "kafka_profile": "production"},
        ("error", "", "kafka_process_roles", 2),
    ),
    (
        "even_controllers",
        {"count": 2, "kafka_profile": "production", "kafka_accepted_risks": ["even_controllers"]},
        ("warning", "", "kafka_process_roles", 2),
    ),
    (
        "even_controllers",
        {"count": 5, "kafka_profile": "production", "kafka_remove_nodes": "k1"},
        ("error", "", "kafka_process_roles", 4),
    ),
    (
        "single_controller",
        {"per_host": {"k2": BROKER, "k3": BROKER}},
        ("warning", "", "kafka_process_roles", None),
    ),
    (
        "many_controllers",
        {"count": 7},
        ("warning", "", "kafka_process_roles", 7),
    ),
    (
        "disagreement",
        {"per_host": {"k2": {"kafka_cluster_id": "b3RoZXItb3RoZXItb3RoZQ"}}},
        ("error", "", "kafka_cluster_id", None),
    ),
    (
        "disagreement",
        {"per_host": {"k2": {"kafka_install_dir": "/srv/kafka/install"}}},
        ("error", "", "kafka_install_dir", None),
    ),
    (
        "disagreement",
        {"per_host": {"k2": {"kafka_min_insync_replicas": 1}}},
        ("error", "", "kafka_min_insync_replicas", None),
    ),
    (
        "layer_replaced",
        {"kafka_config": {"num.partitions": 6}, "per_host": {"k2": {"kafka_config": {"log.retention.hours": 24}}}},
        ("warning", "k2", "kafka_config", None),
    ),
    (
        "rack",
        {"per_host": {"k2": {"kafka_rack": "b "}}},
        ("error", "k2", "kafka_rack", "b "),
    ),
    ("restart_nodes", {"kafka_restart_nodes": ["k1", "kk2"]}, ("error", "", "kafka_restart_nodes", "kk2")),
    (
        "rack_missing",
        {"per_host": {"k1": {"kafka_rack": "a"}, "k2": {"kafka_rack": "b"}}},
        ("warning", "k3", "kafka_rack", None),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_topology_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, **given)


def test_a_single_combined_node_is_a_whole_cluster() -> None:
    assert found("single_controller", 1) == []


def test_roles_that_cannot_be_read_say_nothing_of_the_number_of_controllers() -> None:
    made = problems_of(hosts(4, per_host={"k1": {"kafka_process_roles": ["controler"]}}))
    assert [problem.rule for problem in made] == ["type"]


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ([], [("no_host", "", "", None)]),
        (["k1", "k9"], [("unknown_host", "k9", "hosts", None)]),
        (["k1"], []),
    ],
)
def test_hosts_that_are_not_there_are_refused(named: list[str], told: list[tuple[str, str, str, Any]]) -> None:
    made = nowhere(named, {"k1", "k2"})
    assert [(each.rule, each.host, each.variable, each.value) for each in made] == told


def reached_alike() -> list[HostVariables]:
    made = hosts()
    made[1] = dataclasses.replace(made[1], connection={"ansible_host": "10.0.0.9"})
    made[2] = dataclasses.replace(made[2], connection={"ansible_host": "10.0.0.9", "ansible_port": 22})
    return made


def test_one_machine_under_two_names_is_refused() -> None:
    made = reached_alike()
    same = [finding(problem) for problem in problems_of(made) if problem.rule == "same_machine"]
    assert same == [("error", "k2, k3", "ansible_host", "10.0.0.9:22")]
    made[2] = dataclasses.replace(made[2], connection={"ansible_host": "10.0.0.9", "ansible_port": 2222})
    assert not [problem for problem in problems_of(made) if problem.rule == "same_machine"]


def unresolved() -> list[Problem]:
    made = hosts()
    made[0] = dataclasses.replace(made[0], unresolved={"kafka_rack": "'zone' is undefined"})
    return problems_of(made)


def test_an_unresolved_variable_is_a_problem_and_not_a_traceback() -> None:
    assert [(each.rule, *finding(each)) for each in unresolved()] == [("unresolved", "error", "k1", "kafka_rack", None)]


def test_wording(wording: Wording) -> None:
    lines = [each for rule, given, _ in CASES for each in sentences(rule, **given)]
    lines += worded([*nowhere([], {"k1"}), *nowhere(["k9"], {"k1"}), *unresolved()])
    wording(lines + worded(each for each in problems_of(reached_alike()) if each.rule == "same_machine"))


def test_controllers_that_leave_are_not_counted() -> None:
    assert found("even_controllers", count=6, kafka_profile="production", kafka_remove_nodes="k1, k2,k3") == []
