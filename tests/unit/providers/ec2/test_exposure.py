"""Ports that are open without need."""

from __future__ import annotations

from typing import Any

import kafka_connectivity_info
import pytest
from ansible.module_utils.kraft.node.machine.network import LATE
from ansible.module_utils.kraft.providers.ec2.exposure import differences, judge, question, verdict
from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Rule

from tests.unit.problems import named, values
from tests.wording_files import Wording

OWN = "sg-00000000"
ALLOWED = (
    Rule(22, 22, "203.0.113.0/24"),
    Rule(9092, 9092, "10.40.0.0/16"),
    Rule(9092, 9092, "2001:db8::/32"),
    Rule(19092, 19092, OWN_GROUP),
    Rule(19093, 19093, OWN_GROUP),
)
LISTENERS = {9092: "client CLIENT", 19092: "inter_broker INTERNAL", 19093: "controller CONTROLLER"}


def found(*rules: Rule, group: str = "sg-2") -> list[str]:
    return [str(each) for each in judge({group: rules}, ALLOWED, OWN, LISTENERS)]


@pytest.mark.parametrize(
    "rule",
    [
        Rule(9092, 9092, "10.40.0.0/16"),
        Rule(9092, 9092, "10.40.7.0/24"),
        Rule(9092, 9092, "2001:db8:1::/48"),
        Rule(22, 22, "203.0.113.10/32"),
        Rule(19093, 19093, OWN),
        Rule(19092, 19093, OWN),
    ],
)
def test_what_the_listeners_need_is_justified_also_a_part_of_it(rule: Rule) -> None:
    assert found(rule) == []


OPEN = [
    (Rule(19093, 19093, "10.40.0.0/16"), ["sg-2", "10.40.0.0/16", "19093", "19093", "CONTROLLER"]),
    (Rule(19093, 19093, "sg-99999999"), ["sg-2", "sg-99999999", "19093", "19093", "CONTROLLER"]),
    (Rule(9092, 9092, "10.0.0.0/8"), ["sg-2", "10.0.0.0/8", "9092", "9092", "CLIENT"]),
    (Rule(9092, 9092, "::/0"), ["sg-2", "/0", "9092", "9092", "CLIENT"]),
    (Rule(8080, 8081, "10.40.0.0/16"), ["sg-2", "10.40.0.0/16", "8080-8081"]),
    (Rule(19092, 19094, OWN), ["sg-2", OWN, "19094"]),
    (Rule(9092, 9092, "10.40.0.0/16", protocol="udp"), ["sg-2", "10.40.0.0/16", "9092"]),
    (Rule(-1, -1, "10.40.0.0/16", protocol="icmp"), ["sg-2", "10.40.0.0/16"]),
    (Rule(9092, 9092, "pl-12345678"), ["sg-2", "pl-12345678", "9092", "9092", "CLIENT"]),
]


@pytest.mark.parametrize(("rule", "expected"), OPEN)
def test_anything_else_is_found(rule: Rule, expected: list[str]) -> None:
    assert named(found(rule)) == [expected]
    assert rule.protocol in values(found(rule)[0])


def test_the_sentences_of_what_is_open(wording: Wording) -> None:
    wording(line for rule, _ in OPEN for line in found(rule))


def test_a_wide_range_is_cut_at_what_is_justified() -> None:
    assert named(found(Rule(9000, 9100, "10.40.0.0/16"))) == [
        ["sg-2", "10.40.0.0/16", "9000-9091"],
        ["sg-2", "10.40.0.0/16", "9093-9100"],
    ]


def test_everything_open_names_the_controller_and_comes_first() -> None:
    told = found(Rule(8080, 8080, "0.0.0.0/0"), Rule(-1, -1, "0.0.0.0/0", protocol="all"))
    assert "19093 (controller CONTROLLER)" in told[0]
    assert told[-1] == "sg-2 lets 0.0.0.0/0 reach tcp 8080"


def test_a_second_group_does_not_hide_behind_the_first() -> None:
    groups = {OWN: (Rule(19093, 19093, OWN),), "sg-by-hand": (Rule(19093, 19093, "0.0.0.0/0"),)}
    assert [each.group for each in judge(groups, ALLOWED, OWN, LISTENERS)] == ["sg-by-hand"]


def test_what_is_measured_otherwise_than_expected_is_told() -> None:
    expected = {"a:9092": True, "a:19093": False, "b:9092": True}
    assert differences(expected, {"a:9092": True, "a:19093": True, "b:9092": False}) == [
        "a:19093 should not be reachable, and is",
        "b:9092 should be reachable, and is not",
    ]
    assert differences(expected, {"a:9092": True, "a:19093": False}) == ["b:9092 was not tested"]


NODES = {
    host: {
        "listeners": [
            {"name": "CLIENT", "port": 9092, "purpose": "client"},
            {"name": "CONTROLLER", "port": port, "purpose": "controller"},
        ]
    }
    for host, port in (("a", 19093), ("b", 29093))
}
ADDRESSES = {"a": "10.40.0.11", "b": "10.40.1.11"}
RULES = (Rule(9092, 9092, "10.40.0.0/24"), Rule(19093, 19093, OWN_GROUP), Rule(29093, 29093, OWN_GROUP))


def test_what_is_tried_between_nodes_is_what_the_rules_promise() -> None:
    asked = question(NODES, ADDRESSES, RULES)
    assert asked.between == {
        "a": {"10.40.1.11:9092": True, "10.40.1.11:29093": True},
        "b": {"10.40.0.11:9092": False, "10.40.0.11:19093": True},
    }
    assert asked.hidden == {"a": [19093], "b": [29093]}
    assert asked.listeners[29093] == "controller CONTROLLER"


#: Results of the audit at host a, without a finding.
SEEN: dict[str, Any] = {
    "exposure": {"reachable": ["tcp 22 from 203.0.113.0/24"], "unjustified": []},
    "from_here": {"reached": {"198.51.100.1:19093": False, "198.51.100.1:29093": False}},
    "from_node": {"reached": {"10.40.1.11:29093": True}},
}


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ({}, []),
        ({"exposure": {"unjustified": ["sg-2 lets ::/0 in"]}}, [["sg-2", "/0"]]),
        ({"exposure": None}, [[]]),
        ({"from_here": None}, [["19093"]]),
        ({"from_node": {"reached": {}}}, [["10.40.1.11:29093"]]),
        (
            {"from_here": {"reached": {"198.51.100.1:19093": True, "198.51.100.1:29093": False}}},
            [["198.51.100.1:19093"]],
        ),
        ({"from_node": {"reached": {"10.40.1.11:29093": False}}}, [["10.40.1.11:29093"]]),
    ],
)
def test_the_verdict_has_what_is_open_and_what_was_measured(
    a: dict[str, Any], expected: list[list[str]], wording: Wording
) -> None:
    between = {"a": {"10.40.1.11:29093": True}, "b": {}}
    hidden = {"a": [19093], "b": []}
    found = verdict(["a", "b"], {"a": {**SEEN, **a}, "b": {}}, {"between": between, "hidden": hidden})
    assert named(found) == expected
    wording(found)


def test_a_port_whose_test_did_not_end_in_time_is_not_known_to_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"a:1": "open", "a:2": "refused", "a:3": "no answer within 2 s", "a:4": LATE}
    monkeypatch.setattr(kafka_connectivity_info, "ask_all", lambda _: {"reach": answers})
    found = kafka_connectivity_info.ports({"reach": list(answers), "listeners": [], "secured": []})
    assert found["reached"] == {"a:1": True, "a:2": True, "a:3": False}
    assert differences({"a:4": False}, found["reached"]) == ["a:4 was not tested"]
