"""Clients that must connect elsewhere after a change of listeners."""

from __future__ import annotations

import dataclasses

import pytest
from ansible.module_utils.kraft.node.service.client_moves import client_moves, move_lines

from tests.unit.problems import named
from tests.wording_files import Wording

BEFORE = {
    "listeners": "CLIENT://0.0.0.0:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093",
    "advertised.listeners": "CLIENT://k1:9092,INTERNAL://10.0.0.1:19092,CONTROLLER://10.0.0.1:9093",
    "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "INTERNAL",
    "controller.listener.names": "CONTROLLER",
}
CLIENT = ("CLIENT", "k1:9092 PLAINTEXT")


def changed(key: str, old: str, new: str) -> dict[str, str]:
    assert old in BEFORE[key]
    return {**BEFORE, key: BEFORE[key].replace(old, new)}


@pytest.mark.parametrize(
    ("after", "moves"),
    [
        (BEFORE, []),
        (changed("listeners", "0.0.0.0:9092", "10.0.0.1:9092"), []),
        (changed("advertised.listeners", "k1:9092", "k1:9192"), [(*CLIENT, "k1:9192 PLAINTEXT")]),
        (
            changed("advertised.listeners", "k1:9092", "k1.example.com:9092"),
            [(*CLIENT, "k1.example.com:9092 PLAINTEXT")],
        ),
        (changed("listener.security.protocol.map", "CLIENT:PLAINTEXT", "CLIENT:SSL"), [(*CLIENT, "k1:9092 SSL")]),
        (changed("advertised.listeners", "CLIENT://k1:9092,", ""), [(*CLIENT, "")]),
        (changed("advertised.listeners", "CLIENT://", "PUBLIC://"), [(*CLIENT, "")]),
        (changed("advertised.listeners", "INTERNAL://10.0.0.1:19092", "INTERNAL://10.0.0.1:19192"), []),
        (changed("advertised.listeners", "CONTROLLER://10.0.0.1:9093", "CONTROLLER://10.0.0.1:9094"), []),
        (changed("advertised.listeners", "CLIENT://k1:9092", "CLIENT://k1:9092,PUBLIC://203.0.113.7:9094"), []),
        ({**BEFORE, "inter.broker.listener.name": "CLIENT"}, []),
    ],
)
def test_clients_move_where_their_address_or_protocol_does(
    after: dict[str, str], moves: list[tuple[str, str, str]]
) -> None:
    assert [dataclasses.astuple(one) for one in client_moves(BEFORE, after)] == moves


def test_listeners_stand_for_what_is_not_advertised_and_for_their_protocol() -> None:
    before, after = ({"listeners": f"PLAINTEXT://k1:{port}"} for port in (9092, 9093))
    assert [dataclasses.astuple(one) for one in client_moves(before, after)] == [
        ("PLAINTEXT", "k1:9092 PLAINTEXT", "k1:9093 PLAINTEXT")
    ]


def test_node_that_is_only_a_controller_has_no_clients() -> None:
    before = {"advertised.listeners": "CONTROLLER://k1:9093", "controller.listener.names": "CONTROLLER"}
    assert client_moves(before, {**before, "advertised.listeners": "CONTROLLER://k1:9094"}) == ()


def test_plan_names_listener_node_and_both_addresses(wording: Wording) -> None:
    moved = client_moves(BEFORE, changed("advertised.listeners", "k1:9092", "k1:9192"))
    gone = client_moves(BEFORE, changed("advertised.listeners", "CLIENT://k1:9092,", ""))
    lines = move_lines({2: gone, 1: moved, 3: ()})
    assert named(lines) == [
        ["CLIENT", "1", "k1:9092", "PLAINTEXT", "k1:9192", "PLAINTEXT"],
        ["CLIENT", "2", "k1:9092", "PLAINTEXT"],
    ]
    wording(lines)
