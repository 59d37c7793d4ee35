"""Listeners and voters in a node's own files."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.kafka_terms import MIGRATION, OLD_INTER_BROKER, OPENED
from ansible.module_utils.kraft.node.service.deployed import (
    controllers_now,
    deployed_node,
    elected,
    listeners_now,
    local_address,
    secured_addresses,
)

NOT_MIGRATED: dict[str, Any] = {"authorizer": "", "migration": "", "opened": [], "old_inter_broker": ""}
CONFIG = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "listeners": "CLIENT://0.0.0.0:9092,INTERNAL://10.0.0.1:19092",
    "advertised.listeners": "CLIENT://k1:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093",
    "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "INTERNAL",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "1@10.0.0.1:9093,2@k2.example.com:9093",
}
STATIC = '{"leaderId":1,"leaderEpoch":2,"votedId":-1,"currentVoters":[{"voterId":1},{"voterId":3}],"data_version":0}'
DYNAMIC = '{"leaderId":1,"leaderEpoch":2,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}'


def test_listeners_come_with_address_protocol_and_purpose() -> None:
    found = deployed_node(CONFIG, {}, "")["listeners"]
    assert [tuple(one[key] for key in ("name", "address", "bind", "purpose")) for one in found] == [
        ("CLIENT", "k1:9092", "0.0.0.0:9092", "client"),
        ("INTERNAL", "10.0.0.1:19092", "10.0.0.1:19092", "inter_broker"),
        ("CONTROLLER", "10.0.0.1:9093", "10.0.0.1:9093", "controller"),
    ]
    assert {one["protocol"] for one in found} == {"PLAINTEXT"}


@pytest.mark.parametrize(
    ("bind", "local"),
    [
        ("0.0.0.0:9092", "127.0.0.1:9092"),
        ("[::]:9092", "[::1]:9092"),
        (":9092", "127.0.0.1:9092"),
        ("10.9.9.9:9092", "10.9.9.9:9092"),
        ("[fd00::1]:9092", "[fd00::1]:9092"),
        ("", "k1.example.net:39092"),
    ],
)
def test_a_host_reaches_its_own_listener_where_it_is_bound(bind: str, local: str) -> None:
    assert local_address({"address": "k1.example.net:39092", "bind": bind}) == local


def test_only_listeners_with_tls_show_certificates() -> None:
    spoken = {**CONFIG, "listener.security.protocol.map": "CLIENT:SASL_SSL,INTERNAL:SSL,CONTROLLER:PLAINTEXT"}
    assert secured_addresses(deployed_node(spoken, {}, "")["listeners"]) == ["127.0.0.1:9092", "10.0.0.1:19092"]


def test_what_runs_goes_before_what_lies_in_place() -> None:
    moved = {**CONFIG, "node.id": "9", "advertised.listeners": "CLIENT://k1:9192"}
    assert deployed_node(CONFIG, moved, "")["node_id"] == "1"
    assert deployed_node({}, moved, "")["listeners"][0]["address"] == "k1:9192"
    assert deployed_node({}, {}, "") == {"node_id": "", "roles": [], "listeners": [], "voters": [], **NOT_MIGRATED}


def test_a_node_on_its_way_to_secured_listeners_says_how_far_it_is() -> None:
    on_the_way = {**CONFIG, MIGRATION: "open", OPENED: "CLIENT_TLS,INTERNAL_TLS", OLD_INTER_BROKER: "INTERNAL"}
    found = deployed_node(on_the_way, CONFIG, "")
    assert (found["migration"], found["opened"]) == ("open", ["CLIENT_TLS", "INTERNAL_TLS"])
    assert found["old_inter_broker"] == "INTERNAL"


def test_every_list_of_voters_is_told_with_its_source() -> None:
    placed = {**CONFIG, "controller.quorum.voters": "1@10.0.0.1:9093"}
    found = {one["source"]: one["voters"] for one in deployed_node(CONFIG, placed, STATIC)["voters"]}
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
        deployed_node(CONFIG, {}, ""),
        deployed_node({**CONFIG, "process.roles": "controller"}, {}, ""),
        deployed_node({}, {}, ""),
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
