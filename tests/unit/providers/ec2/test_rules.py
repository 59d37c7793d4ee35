"""Rules of the security group, derived from the listeners."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.problem import ERROR, WARNING
from ansible.module_utils.kraft.providers.ec2.model import OWN_GROUP, Rule
from ansible.module_utils.kraft.providers.ec2.rules import Sources, derive, is_inside, security_group_refusals

from tests.unit.providers.ec2.scene import listener, nodes

INSIDE = ("10.40.0.0/16", "2001:db8:40::/56")


def shown(*given: dict[str, Any], **more: Any) -> list[str]:
    sources = {"clients": {"CLIENT": ("10.40.0.0/16",)}, "admin": ("203.0.113.10/32",), **more}
    return [str(rule) for rule in derive(given or nodes(), Sources(**sources))]


def test_each_listener_opens_its_port_to_its_own_people() -> None:
    assert shown() == [
        "tcp 22 from 203.0.113.10/32",
        "tcp 9092 from 10.40.0.0/16",
        "tcp 19092 from own group",
        "tcp 19093 from own group",
    ]


def test_controller_ports_of_their_own_are_three_rules_and_no_range() -> None:
    assert shown(*nodes(19093, 29093, 39093))[-3:] == [
        "tcp 19093 from own group",
        "tcp 29093 from own group",
        "tcp 39093 from own group",
    ]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"clients": {"CLIENT": ("sg-0a1b2c3d",)}}, "tcp 9092 from sg-0a1b2c3d"),
        ({"clients": {"CLIENT": ("pl-0a1b2c3d",)}}, "tcp 9092 from pl-0a1b2c3d"),
        ({"clients": {"CLIENT": ("123456789012/sg-0a1b2c3d",)}}, "tcp 9092 from 123456789012/sg-0a1b2c3d"),
        ({"clients": {"CLIENT": ("2001:db8::/32",)}}, "tcp 9092 from 2001:db8::/32"),
        ({"clients": {"CLIENT": ("2001:0db8:0::/32",)}}, "tcp 9092 from 2001:db8::/32"),
        ({"monitoring": ("sg-0a1b2c3d",), "exporter_ports": (9404,)}, "tcp 9404 from sg-0a1b2c3d"),
        ({"nodes": ("10.40.0.0/16",)}, "tcp 19093 from 10.40.0.0/16"),
    ],
)
def test_sources_become_rules(more: dict[str, Any], expected: str) -> None:
    assert expected in shown(**more)


def test_a_port_that_another_role_contributes_is_open_to_monitoring() -> None:
    given = [{**node, "contributed_ports": {"kafka_contribution_metrics": [9404]}} for node in nodes()]
    assert "tcp 9404 from sg-0a1b2c3d" in shown(*given, monitoring=("sg-0a1b2c3d",))
    assert not any("9404" in rule for rule in shown(*given))


def test_a_listener_without_clients_and_a_pure_controller_open_nothing_to_clients() -> None:
    assert shown(clients={}) == ["tcp 22 from 203.0.113.10/32", "tcp 19092 from own group", "tcp 19093 from own group"]
    alone = {"contributed_ports": {}, "listeners": [listener("CONTROLLER", 19093, "controller")]}
    assert shown(alone) == ["tcp 22 from 203.0.113.10/32", "tcp 19093 from own group"]


def test_two_sources_that_are_one_network_are_one_rule() -> None:
    assert shown(clients={"CLIENT": ("10.40.0.0/16", "10.40.0.0/16")}) == shown()


@pytest.mark.parametrize(
    ("protocol", "more", "rule", "severity"),
    [
        ("SSL", {"clients": {"CLIENT": ("0.0.0.0/0",)}}, "ec2_world_open", ERROR),
        ("SSL", {"clients": {"CLIENT": ("::/0",)}}, "ec2_world_open", ERROR),
        ("SSL", {"clients": {"CLIENT": ("0.0.0.0/0",)}, "open_listeners": ("CLIENT",)}, "ec2_world_open", WARNING),
        ("PLAINTEXT", {"clients": {"CLIENT": ("198.51.100.0/24",)}}, "ec2_plaintext_outside", ERROR),
        ("SASL_PLAINTEXT", {"clients": {"CLIENT": ("198.51.100.0/24",)}}, "ec2_plaintext_outside", ERROR),
        ("PLAINTEXT", {"clients": {"CLIENT": ("10.0.0.0/8",)}}, "ec2_plaintext_outside", ERROR),
        ("PLAINTEXT", {"clients": {"CLIENT": ("pl-0a1b2c3d",)}}, "ec2_plaintext_outside", ERROR),
        ("PLAINTEXT", {"clients": {"CLIENT": ("123456789012/sg-0a1b2c3d",)}}, "ec2_plaintext_outside", ERROR),
        (
            "PLAINTEXT",
            {"clients": {"CLIENT": ("198.51.100.0/24",)}, "plaintext_listeners": ("CLIENT",)},
            "ec2_plaintext_outside",
            WARNING,
        ),
        ("SSL", {"clients": {"CLIENT": ("10.1.2.3",)}}, "ec2_source", ERROR),
        ("SSL", {"clients": {"CLIENT": ("10.1.2.3/16",)}}, "ec2_source", ERROR),
        ("SSL", {"clients": {"CLIENT": ("office",)}}, "ec2_source", ERROR),
        ("SSL", {"clients": {"CLIENT": ("sg-nothex00",)}}, "ec2_source", ERROR),
        ("SSL", {"clients": {"CLIENT": ("1234/sg-0a1b2c3d",)}}, "ec2_source", ERROR),
        ("SSL", {"clients": {"CLIENTS": ("10.40.0.0/16",)}}, "ec2_listener", ERROR),
        ("SSL", {"clients": {}}, "ec2_no_client", ERROR),
        ("SSL", {"admin": ("0.0.0.0/0",)}, "ec2_world_open", ERROR),
        ("SSL", {"admin": ()}, "ec2_no_admin", ERROR),
        ("SSL", {"exporter_ports": (9404,)}, "ec2_no_source", WARNING),
        ("SSL", {"exporter_ports": (0,), "monitoring": ("10.0.0.0/8",)}, "port", ERROR),
        ("SSL", {"open_listeners": ("INTERNAL",)}, "ec2_listener", ERROR),
    ],
)
def test_what_must_not_become_a_rule_is_refused(protocol: str, more: dict[str, Any], rule: str, severity: str) -> None:
    given = {"clients": {"CLIENT": ("10.40.0.0/16",)}, "admin": ("203.0.113.10/32",), "inside": INSIDE, **more}
    found = security_group_refusals(nodes(protocol=protocol), Sources(**given))
    assert (rule, severity) in {(each.rule, each.severity) for each in found}


def test_ssh_through_sessions_needs_no_source() -> None:
    sources = Sources(clients={"CLIENT": ("10.40.0.0/16",)}, inside=INSIDE, sessions=True)
    assert security_group_refusals(nodes(), sources) == []
    assert shown(admin=())[0].startswith("tcp 9092")


@pytest.mark.parametrize("source", ["10.40.0.0/16", "10.40.3.0/24", "2001:db8:40:1::/64", "sg-0a1b2c3d"])
def test_clients_inside_the_vpc_need_no_consent(source: str) -> None:
    sources = Sources(clients={"CLIENT": (source,)}, admin=("203.0.113.10/32",), inside=INSIDE)
    assert security_group_refusals(nodes(), sources) == []


def test_a_network_lies_in_another_or_not() -> None:
    assert is_inside("10.40.1.0/24", INSIDE)
    assert not is_inside("10.0.0.0/8", INSIDE)
    assert is_inside(OWN_GROUP, (OWN_GROUP,))


def test_rules_that_differ_in_their_reason_only_are_one() -> None:
    assert Rule(1, 1, "a", reason="x") == Rule(1, 1, "a", reason="y")
    assert Rule(1, 1, "sg-1", account="1") == Rule(1, 1, "sg-1")
