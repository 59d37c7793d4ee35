"""What a node's own files say of its listeners and voters."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.node.service.deployed import controllers_now, describe, elected, listeners_now

CONFIG = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "advertised.listeners": "CLIENT://k1:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093",
    "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "INTERNAL",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "1@10.0.0.1:9093,2@k2.example.com:9093",
}
STATIC = '{"leaderId":1,"leaderEpoch":2,"votedId":-1,"currentVoters":[{"voterId":1},{"voterId":3}],"data_version":0}'
DYNAMIC = '{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'


def test_listeners_come_with_address_protocol_and_purpose() -> None:
    assert describe(CONFIG, {}, "")["listeners"] == [
        {"name": "CLIENT", "address": "k1:9092", "protocol": "PLAINTEXT", "purpose": "client"},
        {"name": "INTERNAL", "address": "10.0.0.1:19092", "protocol": "PLAINTEXT", "purpose": "inter_broker"},
        {"name": "CONTROLLER", "address": "10.0.0.1:9093", "protocol": "PLAINTEXT", "purpose": "controller"},
    ]


def test_what_runs_goes_before_what_lies_in_place() -> None:
    moved = {**CONFIG, "node.id": "9", "advertised.listeners": "CLIENT://k1:9192"}
    assert describe(CONFIG, moved, "")["node_id"] == "1"
    assert describe({}, moved, "")["listeners"][0]["address"] == "k1:9192"
    assert describe({}, {}, "") == {"node_id": "", "roles": [], "listeners": [], "voters": []}


def test_every_list_of_voters_is_told_with_its_source() -> None:
    placed = {**CONFIG, "controller.quorum.voters": "1@10.0.0.1:9093"}
    found = {one["source"]: one["voters"] for one in describe(CONFIG, placed, STATIC)["voters"]}
    one = {"node_id": 1, "address": "10.0.0.1:9093"}
    assert found == {
        "its running process": [one, {"node_id": 2, "address": "k2.example.com:9093"}],
        "its configuration": [one],
        "its quorum-state file": [{"node_id": 1, "address": ""}, {"node_id": 3, "address": ""}],
    }


@pytest.mark.parametrize("text", ["", DYNAMIC, "{", "[]", '{"currentVoters": 3}', '{"currentVoters": [{}]}', "null"])
def test_quorum_state_without_voters_names_none(text: str) -> None:
    assert elected(text) == []


def test_brokers_are_reached_where_they_were_deployed() -> None:
    nodes = [
        describe(CONFIG, {}, ""),
        describe({**CONFIG, "process.roles": "controller"}, {}, ""),
        describe({}, {}, ""),
    ]
    found = listeners_now(nodes)
    assert found["client"] == ["k1:9092"]
    assert [(one["purpose"], one["address"]) for one in found["nodes"]] == [
        ("inter_broker", "10.0.0.1:19092"),
        ("controller", "10.0.0.1:9093"),
        ("controller", "10.0.0.1:9093"),
    ]


def test_controllers_are_reached_where_they_were_deployed_and_else_where_they_shall_be() -> None:
    listeners = [{"name": "C", "address": "k1:9093", "protocol": "PLAINTEXT", "purpose": "controller"}]
    nodes: list[dict[str, Any]] = [{"node_id": "1", "listeners": listeners}, {"node_id": "", "listeners": []}]
    wanted = [{"node_id": 1, "address": "k1:19093"}, {"node_id": 2, "address": "k2:19093"}]
    assert [one["address"] for one in controllers_now(wanted, nodes)] == ["k1:9093", "k2:19093"]
