"""Nodes of a rehearsal have the ids and addresses of the cluster, and cannot leave their network."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.rehearsal import isolation, nodes
from ansible.module_utils.kraft.operations.rehearsal.nodes import Controller, Rehearsed

CLUSTER = Rehearsed(
    "Q2x1c3RlcklkMTIzNDU2Nw",
    "dynamic",
    "CTRL",
    (Controller(1, "10.0.0.1:9093", "a"), Controller(2, "k2.example:29092"), Controller(3, "[fd00::3]:9093")),
    (1, 2, 4),
    ("10.0.0.1:9092",),
)


def test_each_controller_keeps_its_id_and_address() -> None:
    made = nodes.controller_properties(CLUSTER, CLUSTER.controllers[2], "/work/node3")
    assert made["node.id"] == "3"
    assert made["listeners"] == "CTRL://[fd00::3]:9093"
    assert made["controller.quorum.bootstrap.servers"] == "10.0.0.1:9093,k2.example:29092,[fd00::3]:9093"
    assert made["listener.security.protocol.map"].split(",")[0] == "CTRL:PLAINTEXT"
    assert made["log.dirs"] == "/work/node3/data"
    assert int(made["broker.session.timeout.ms"]) > 1000 * 900


def test_a_static_quorum_has_a_list_of_voters() -> None:
    static = dataclasses.replace(CLUSTER, quorum="static")
    made = nodes.broker_properties(static, 5, "127.0.0.1:29093", "/work/node5")
    assert made["controller.quorum.voters"] == "1@10.0.0.1:9093,2@k2.example:29092,3@[fd00::3]:9093"
    assert "controller.quorum.bootstrap.servers" not in made


def test_the_new_broker_has_an_id_and_an_address_that_no_node_has() -> None:
    assert nodes.broker_id(CLUSTER, []) == 5
    assert nodes.broker_id(CLUSTER, [9, 1]) == 10
    assert nodes.broker_address(CLUSTER) == "127.0.0.1:29093"


def test_names_get_addresses_of_their_own() -> None:
    known = nodes.hosts(CLUSTER)
    assert known["10.0.0.1"] == "10.0.0.1"
    assert known["fd00::3"] == "fd00::3"
    assert known["k2.example"].startswith("198.18.")
    assert nodes.hosts_file(known).splitlines()[2:] == [f"{known['k2.example']} k2.example"]


ADDRESSES = ("10.0.0.1:9092", "k2.example:9092", "[fd00::3]:9093")


@pytest.mark.parametrize(
    ("names", "answering", "place"),
    [
        (["lo", "eth0"], "", "eth0"),
        (["lo"], "k2.example", "k2.example:9092"),
        (["lo"], "fd00::3", "[fd00::3]:9093"),
    ],
)
def test_a_way_out_is_refused(names: list[str], answering: str, place: str) -> None:
    with pytest.raises(RefusedError) as refused:
        isolation.refuse_if_reachable(ADDRESSES, names, lambda host, _: host == answering)
    [problem] = refused.value.problems
    assert place in str(problem)


def test_a_network_with_lo_alone_in_which_nothing_answers_is_taken() -> None:
    isolation.refuse_if_reachable(ADDRESSES, ["lo"], lambda *_: False)
