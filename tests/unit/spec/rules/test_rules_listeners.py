"""Refusals of addresses, ports and listeners."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.rules.listeners import is_host, suggested

from tests.unit.spec.inventory import LISTENERS, found, hosts, problems_of

CLIENT, INTERNAL, CONTROLLER = LISTENERS
ANYWHERE = "0.0.0.0"  # noqa: S104
REACHABLE = "give a host name or an IP address that the other nodes and the clients can reach"


def listeners(**changes: dict[str, Any]) -> dict[str, Any]:
    """The three usual listeners with changes by name."""
    return {"kafka_listeners": [{**each, **changes.get(each["name"], {})} for each in LISTENERS]}


def on_k1(**changes: dict[str, Any]) -> dict[str, Any]:
    return {"per_host": {"k1": listeners(**changes)}}


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "address",
            {"per_host": {"k1": {"kafka_address": ANYWHERE}}},
            f"error k1: kafka_address: is no address that anybody can connect to -> {REACHABLE}",
        ),
        (
            "type",
            on_k1(CLIENT={"advertised": {"host": ""}}),
            "error k1: kafka_listeners[0].advertised.host: is empty -> give a value, or remove the key",
        ),
        (
            "port",
            on_k1(CLIENT={"advertised": {"port": 0}}),
            "error k1: kafka_listeners[CLIENT].advertised.port: is not from 1 to 65535 -> give a port that exists",
        ),
        (
            "type",
            on_k1(CLIENT={"port": "9092-9095"}),
            "error k1: kafka_listeners[0].port: is text, not a whole number -> give a whole number",
        ),
        (
            "address",
            {"per_host": {"k1": {"kafka_address": "localhost"}}},
            f"error k1: kafka_address: is reached by the machine itself only -> {REACHABLE}",
        ),
        (
            "address",
            {"per_host": {"k1": {"kafka_address": "kafka one"}}},
            f"error k1: kafka_address: is neither a host name nor an IP address -> {REACHABLE}",
        ),
        (
            "address",
            {"per_host": {"k1": {"kafka_address": "10.0.0.300"}}},
            f"error k1: kafka_address: is neither a host name nor an IP address -> {REACHABLE}",
        ),
        (
            "listener_name",
            on_k1(CLIENT={"name": "client-1"}),
            "error k1: kafka_listeners.name: is not made of capitals, digits and '_', beginning with a capital"
            " -> write CLIENT_1",
        ),
        (
            "listener_twice",
            on_k1(CONTROLLER={"name": "CLIENT"}),
            "error k1: kafka_listeners: is the name of listeners for client, controller: a listener has one purpose"
            " -> give each a name and a port of its own",
        ),
        (
            "port",
            on_k1(CLIENT={"port": 70000}),
            "error k1: kafka_listeners[CLIENT].port: is not from 1 to 65535 -> give a port that exists",
        ),
        (
            "port",
            on_k1(CLIENT={"advertised": {"host": "k1", "port": -1}}),
            "error k1: kafka_listeners[CLIENT].advertised.port: is not from 1 to 65535 -> give a port that exists",
        ),
        (
            "port_privileged",
            on_k1(CLIENT={"port": 443}),
            "error k1: kafka_listeners[CLIENT].port: is below 1024, which only root may open; Kafka runs without"
            " privileges"
            " -> listen on a port from 1024 on and, if clients need 443, advertise that",
        ),
        (
            "port_of_ssh",
            on_k1(CLIENT={"port": 22}),
            "error k1: kafka_listeners[CLIENT].port: is the port of ssh on this host -> give another port",
        ),
        (
            "port_shared",
            on_k1(CONTROLLER={"port": 9092}),
            "error k1: kafka_listeners.port: is the port of CLIENT, CONTROLLER -> give each listener a port of its own",
        ),
        (
            "bind",
            on_k1(CLIENT={"bind": "eth0:"}),
            "error k1: kafka_listeners[CLIENT].bind: is neither a host name nor an IP address"
            " -> give an address of this host, or leave it out",
        ),
        (
            "bind_unadvertised",
            on_k1(CLIENT={"bind": ANYWHERE}),
            "error k1: kafka_listeners[CLIENT].bind: listens everywhere, but does not say what others should connect to"
            " -> add `advertised: {host: NAME}` with what clients can reach, or leave `bind` out",
        ),
        (
            "bind_wide",
            on_k1(CONTROLLER={"bind": ANYWHERE, "advertised": {"host": "10.0.0.1"}}),
            "warning k1: kafka_listeners[CONTROLLER].bind: opens the controller listener to every network of the host"
            " -> leave `bind` out, or give the address of the internal network",
        ),
        (
            "advertised",
            on_k1(CLIENT={"advertised": {"host": ANYWHERE}}),
            f"error k1: kafka_listeners[CLIENT].advertised.host: is no address that anybody can connect to"
            f" -> {REACHABLE}",
        ),
        (
            "advertised",
            on_k1(CLIENT={"advertised": {"host": "127.0.0.1"}}),
            f"error k1: kafka_listeners[CLIENT].advertised.host: is reached by the machine itself only -> {REACHABLE}",
        ),
        (
            "advertised_shared",
            listeners(CLIENT={"advertised": {"host": "kafka.example.com", "port": 9092}}),
            "error k1, k2, k3: kafka_listeners: leads to k1, k2, k3 -> give each node an address or a port of its own",
        ),
        (
            "advertised_shared",
            {"per_host": {"k2": {"kafka_address": "10.0.0.1"}}},
            "error k1, k2: kafka_listeners: leads to k1, k2 -> give each node an address or a port of its own",
        ),
        (
            "listener_missing",
            {"kafka_listeners": [CLIENT, CONTROLLER]},
            "error k2: kafka_listeners: has no listener with purpose inter_broker"
            " -> add one with `purpose: inter_broker`",
        ),
        (
            "listener_missing",
            {"kafka_listeners": [INTERNAL, CONTROLLER]},
            "error k2: kafka_listeners: has no listener with purpose client -> add one with `purpose: client`",
        ),
        (
            "listener_missing",
            {"kafka_listeners": [CLIENT, INTERNAL]},
            "error k2: kafka_listeners: has no listener with purpose controller -> add one with `purpose: controller`",
        ),
        (
            "listener_ambiguous",
            {"kafka_listeners": [*LISTENERS, {**CONTROLLER, "name": "SECOND", "port": 9999}]},
            "error k1: kafka_listeners: has 2 listeners with purpose controller (CONTROLLER, SECOND) -> keep one",
        ),
        (
            "listener_differs",
            on_k1(INTERNAL={"name": "PRIVATE"}),
            "error kafka_listeners: with purpose inter_broker differ between nodes: INTERNAL (PLAINTEXT),"
            " PRIVATE (PLAINTEXT)"
            " -> use one name and one protocol for all; ports may differ",
        ),
        (
            "listener_differs",
            on_k1(CLIENT={"name": "PUBLIC"}),
            "error k2: kafka_listeners: lacks the client listener PUBLIC, which other brokers have: its clients"
            " cannot reach"
            " this one -> give every broker the same client listeners",
        ),
        (
            "plaintext",
            {"kafka_profile": "production"},
            "warning k1: kafka_listeners[CLIENT].protocol: is not encrypted"
            " -> keep its port inside a private network or VPN, or use SASL_SSL or SSL",
        ),
        (
            "plaintext",
            {"kafka_profile": "production"},
            "warning k1: kafka_listeners[CONTROLLER].protocol: is not encrypted"
            " -> keep its port inside a private network or VPN",
        ),
        (
            "protocol",
            on_k1(INTERNAL={"protocol": "SASL_SSL"}),
            "error k1: kafka_listeners[INTERNAL].protocol: cannot be operated yet: Kraftwright reaches nodes over"
            " PLAINTEXT only -> use PLAINTEXT, and keep its port inside a private network or VPN; TLS and SASL between"
            " nodes come in a later release",
        ),
        (
            "type",
            on_k1(CLIENT={"protocol": "TLS"}),
            "error k1: kafka_listeners[0].protocol: is not one of the choices"
            " -> allowed: PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL",
        ),
        (
            "type",
            {"kafka_listeners": [{"name": "CLIENT", "port": 9092, "purpose": "client"}, INTERNAL, CONTROLLER]},
            "error k1: kafka_listeners[0].protocol: is missing -> give text",
        ),
        (
            "type",
            on_k1(CLIENT={"advertized": {"host": "a"}}),
            "error k1: kafka_listeners[0].advertized: is not a known key -> did you mean advertised?",
        ),
        (
            "type",
            on_k1(CLIENT={"port": "9092/tcp"}),
            "error k1: kafka_listeners[0].port: is text, not a whole number -> give a whole number",
        ),
    ],
)
def test_listener_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, **given)


@pytest.mark.parametrize(
    "given",
    [
        listeners(CLIENT={"port": "19092"}, INTERNAL={"port": 9095}),
        listeners(CLIENT={"bind": ANYWHERE, "advertised": {"host": "kafka.example.com", "port": 1}}) | {"count": 1},
        {"per_host": {f"k{at}": listeners(CONTROLLER={"port": at * 10000 + 9093}) for at in (1, 2, 3)}},
        {"kafka_listeners": [*LISTENERS, {**CLIENT, "name": "PUBLIC", "port": 9094}]},
        {"count": 1, "kafka_address": "localhost"},
        {"per_host": {"k1": {"kafka_address": "fd00::1"}, "k2": {"kafka_address": "node_2.example.com."}}},
    ],
)
def test_sound_listeners_raise_no_alarm(given: dict[str, Any]) -> None:
    bad = [
        str(problem) for problem in problems_of(hosts(**given)) if problem.variable.startswith(("kafka_l", "kafka_ad"))
    ]
    assert bad == []


@pytest.mark.parametrize("bind", [ANYWHERE, "::", "*"])
@pytest.mark.parametrize("advertised", [{}, {"advertised": {"host": "kafka1.example.com"}}])
@pytest.mark.parametrize(("profile", "severity"), [("production", "error"), ("test", "warning")])
@pytest.mark.parametrize("name", ["INTERNAL", "CONTROLLER"])
def test_a_wildcard_between_nodes_has_one_refusal_whatever_is_advertised(
    name: str, bind: str, advertised: dict[str, Any], profile: str, severity: str
) -> None:
    given = on_k1(**{name: {"bind": bind, **advertised}})
    made = [each for each in problems_of(hosts(kafka_profile=profile, **given)) if each.variable.endswith(".bind")]
    where = f"kafka_listeners[{name}].bind"
    assert [(each.severity, each.rule, each.host, each.variable) for each in made] == [
        (severity, "bind_wide", "k1", where)
    ]
    assert "advertised" not in made[0].remedy


def test_dedicated_nodes_need_the_listeners_of_their_role_only() -> None:
    roles = {
        "k1": {"kafka_process_roles": ["controller"], "kafka_listeners": [CONTROLLER]},
        "k2": {"kafka_process_roles": ["broker"], "kafka_listeners": [CLIENT, INTERNAL]},
    }
    rules = {problem.rule for problem in problems_of(hosts(2, roles))}
    assert not {rule for rule in rules if rule.startswith("listener")}


def test_the_port_of_ssh_is_the_hosts_own() -> None:
    made = hosts()
    made[0] = dataclasses.replace(made[0], connection={"ansible_port": 9092})
    assert [problem.host for problem in problems_of(made) if problem.rule == "port_of_ssh"] == ["k1"]


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("kafka-1", True),
        ("kafka_1.example.com", True),
        ("10.0.0.1", True),
        ("::1", True),
        ("1.2.3", False),
        ("-x", False),
        ("a..b", False),
        ("a" * 64, False),
        ("a:9092", False),
        ("", False),
        ("kafka/1", False),
    ],
)
def test_hosts_are_told_from_other_text(text: str, good: bool) -> None:
    assert is_host(text) is good


def test_a_name_that_would_do_is_suggested() -> None:
    assert [suggested(name) for name in ("client", "9x", "a-b", "--")] == ["CLIENT", "X", "A_B", "CLIENT"]
