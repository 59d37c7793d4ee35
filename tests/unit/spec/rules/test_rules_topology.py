"""Refusals of roles, numbers of nodes, and hosts that disagree."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.inventory.validation import nowhere

from tests.unit.spec.inventory import CLUSTER_ID, found, hosts, problems_of

BROKER = {"kafka_process_roles": ["broker"]}
CONTROLLER = {"kafka_process_roles": ["controller"]}
ACCEPT = "; to run with it all the same, list {} in kafka_accepted_risks"


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "type",
            {"per_host": {"k1": {"kafka_process_roles": ["broker", "zookeeper"]}}},
            "error k1: kafka_process_roles[1]: is not one of the choices -> allowed: broker, controller",
        ),
        (
            "type",
            {"per_host": {"k1": {"kafka_process_roles": ["brocker"]}}},
            "error k1: kafka_process_roles[0]: is not one of the choices"
            " -> did you mean broker? allowed: broker, controller",
        ),
        (
            "type",
            {"per_host": {"k1": {"kafka_process_roles": "broker,controller"}}},
            "error k1: kafka_process_roles: is text, not a list -> give a list",
        ),
        (
            "no_role",
            {"per_host": {"k1": {"kafka_process_roles": []}}},
            "error k1: kafka_process_roles: is empty -> give broker, controller or both",
        ),
        (
            "role_twice",
            {"per_host": {"k1": {"kafka_process_roles": ["broker", "broker"]}}},
            "error k1: kafka_process_roles: names a role twice -> name each once",
        ),
        (
            "no_controller",
            BROKER,
            "error kafka_process_roles: no node is a controller -> give three nodes the role controller",
        ),
        ("no_broker", CONTROLLER, "error kafka_process_roles: no node is a broker -> give nodes the role broker"),
        (
            "even_controllers",
            {"count": 4},
            "warning kafka_process_roles: 4 controllers (k1, k2, k3, k4) survive no more losses than 3 would"
            " -> use an odd number, three or five",
        ),
        (
            "even_controllers",
            {"count": 2, "kafka_profile": "production"},
            "error kafka_process_roles: 2 controllers (k1, k2) survive no more losses than 1 would"
            " -> use an odd number, three or five" + ACCEPT.format("even_controllers"),
        ),
        (
            "even_controllers",
            {"count": 2, "kafka_profile": "production", "kafka_accepted_risks": ["even_controllers"]},
            "warning kafka_process_roles: 2 controllers (k1, k2) survive no more losses than 1 would"
            " -> use an odd number, three or five",
        ),
        (
            "single_controller",
            {"per_host": {"k2": BROKER, "k3": BROKER}},
            "warning kafka_process_roles: k1 is the only controller: without it the cluster stands still"
            " -> use three controllers",
        ),
        (
            "many_controllers",
            {"count": 7},
            "warning kafka_process_roles: 7 controllers make every change of metadata slower"
            " -> three or five are enough",
        ),
        (
            "disagreement",
            {"per_host": {"k2": {"kafka_cluster_id": "b3RoZXItb3RoZXItb3RoZQ"}}},
            f"error kafka_cluster_id: differs between hosts: {CLUSTER_ID} on k1, k3; b3RoZXItb3RoZXItb3RoZQ on k2"
            " -> set it once, in group_vars of the whole cluster",
        ),
        (
            "disagreement",
            {"per_host": {"k2": {"kafka_min_insync_replicas": 1}}},
            "error kafka_min_insync_replicas: differs between hosts: 2 on k1, k3; 1 on k2"
            " -> set it once, in group_vars of the whole cluster",
        ),
        (
            "layer_replaced",
            {"kafka_config": {"num.partitions": 6}, "per_host": {"k2": {"kafka_config": {"log.retention.hours": 24}}}},
            "warning k2: kafka_config: lacks num.partitions, which other hosts have: the narrower one replaces"
            " the wider"
            " -> keep kafka_config the same for all and use kafka_group_config or kafka_host_config",
        ),
        (
            "rack",
            {"per_host": {"k2": {"kafka_rack": "b "}}},
            "error k2: kafka_rack: has space around it or a character that cannot be seen -> remove it",
        ),
        (
            "rack_missing",
            {"per_host": {"k1": {"kafka_rack": "a"}, "k2": {"kafka_rack": "b"}}},
            "warning k3: kafka_rack: is set on some brokers only: replicas may end up in one rack"
            " -> give every broker a rack, or none",
        ),
    ],
)
def test_topology_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, **given)


def test_a_single_combined_node_is_a_whole_cluster() -> None:
    assert found("single_controller", 1) == []


def test_roles_that_cannot_be_read_say_nothing_of_the_number_of_controllers() -> None:
    made = problems_of(hosts(4, per_host={"k1": {"kafka_process_roles": ["controler"]}}))
    assert [problem.rule for problem in made] == ["type"]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            [],
            [
                "No host to validate: the group is empty or has another name"
                " -> name the inventory with -i, and put the nodes into its group kafka"
            ],
        ),
        (["k1", "k9"], ["k9: hosts: is no host of the inventory -> add it, or correct its name"]),
        (["k1"], []),
    ],
)
def test_hosts_that_are_not_there_are_refused(named: list[str], said: list[str]) -> None:
    assert [str(problem) for problem in nowhere(named, {"k1", "k2"})] == said


def test_one_machine_under_two_names_is_refused() -> None:
    made = hosts()
    made[1] = dataclasses.replace(made[1], connection={"ansible_host": "10.0.0.9"})
    made[2] = dataclasses.replace(made[2], connection={"ansible_host": "10.0.0.9", "ansible_port": 22})
    said = [str(problem) for problem in problems_of(made) if problem.rule == "same_machine"]
    assert said == [
        "k2, k3: ansible_host: is where k2, k3 are reached -> keep one of the names: a machine carries one node",
    ]
    made[2] = dataclasses.replace(made[2], connection={"ansible_host": "10.0.0.9", "ansible_port": 2222})
    assert not [problem for problem in problems_of(made) if problem.rule == "same_machine"]


def test_an_unresolved_variable_is_a_problem_and_not_a_traceback() -> None:
    made = hosts()
    made[0] = dataclasses.replace(made[0], unresolved={"kafka_rack": "'zone' is undefined"})
    assert [str(problem) for problem in problems_of(made)] == [
        "k1: kafka_rack: cannot be resolved: 'zone' is undefined -> define what it refers to"
    ]
