"""Refusals of addresses, ports and listeners."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.inventory_rules.listeners import is_host, suggested

from tests.unit.spec.inventory import LISTENERS, Finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording

CLIENT, INTERNAL, CONTROLLER = LISTENERS
ANYWHERE = "0.0.0.0"  # noqa: S104


def listeners(**changes: dict[str, Any]) -> dict[str, Any]:
    """The three usual listeners with changes by name."""
    return {"kafka_listeners": [{**each, **changes.get(each["name"], {})} for each in LISTENERS]}


def on_k1(**changes: dict[str, Any]) -> dict[str, Any]:
    return {"per_host": {"k1": listeners(**changes)}}


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "address",
        {"per_host": {"k1": {"kafka_address": ANYWHERE}}},
        ("error", "k1", "kafka_address", ANYWHERE),
    ),
    (
        "type",
        on_k1(CLIENT={"advertised": {"host": ""}}),
        ("error", "k1", "kafka_listeners[0].advertised.host", ""),
    ),
    (
        "port",
        on_k1(CLIENT={"advertised": {"port": 0}}),
        ("error", "k1", "kafka_listeners[CLIENT].advertised.port", 0),
    ),
    (
        "type",
        on_k1(CLIENT={"port": "9092-9095"}),
        ("error", "k1", "kafka_listeners[0].port", "9092-9095"),
    ),
    (
        "address",
        {"per_host": {"k1": {"kafka_address": "localhost"}}},
        ("error", "k1", "kafka_address", "localhost"),
    ),
    (
        "address",
        {"per_host": {"k1": {"kafka_address": "kafka one"}}},
        ("error", "k1", "kafka_address", "kafka one"),
    ),
    (
        "address",
        {"per_host": {"k1": {"kafka_address": "10.0.0.300"}}},
        ("error", "k1", "kafka_address", "10.0.0.300"),
    ),
    (
        "listener_name",
        on_k1(CLIENT={"name": "client-1"}),
        ("error", "k1", "kafka_listeners.name", "client-1"),
    ),
    (
        "listener_twice",
        on_k1(CONTROLLER={"name": "CLIENT"}),
        ("error", "k1", "kafka_listeners", "CLIENT"),
    ),
    (
        "port",
        on_k1(CLIENT={"port": 70000}),
        ("error", "k1", "kafka_listeners[CLIENT].port", 70000),
    ),
    (
        "port",
        on_k1(CLIENT={"advertised": {"host": "k1", "port": -1}}),
        ("error", "k1", "kafka_listeners[CLIENT].advertised.port", -1),
    ),
    (
        "port_privileged",
        on_k1(CLIENT={"port": 443}),
        ("error", "k1", "kafka_listeners[CLIENT].port", 443),
    ),
    (
        "port_of_ssh",
        on_k1(CLIENT={"port": 22}),
        ("error", "k1", "kafka_listeners[CLIENT].port", 22),
    ),
    (
        "port_shared",
        on_k1(CONTROLLER={"port": 9092}),
        ("error", "k1", "kafka_listeners.port", 9092),
    ),
    (
        "bind",
        on_k1(CLIENT={"bind": "eth0:"}),
        ("error", "k1", "kafka_listeners[CLIENT].bind", "eth0:"),
    ),
    (
        "bind_unadvertised",
        on_k1(CLIENT={"bind": ANYWHERE}),
        ("error", "k1", "kafka_listeners[CLIENT].bind", ANYWHERE),
    ),
    (
        "bind_wide",
        on_k1(CONTROLLER={"bind": ANYWHERE, "advertised": {"host": "10.0.0.1"}}),
        ("warning", "k1", "kafka_listeners[CONTROLLER].bind", ANYWHERE),
    ),
    (
        "advertised",
        on_k1(CLIENT={"advertised": {"host": ANYWHERE}}),
        ("error", "k1", "kafka_listeners[CLIENT].advertised.host", ANYWHERE),
    ),
    (
        "advertised",
        on_k1(CLIENT={"advertised": {"host": "127.0.0.1"}}),
        ("error", "k1", "kafka_listeners[CLIENT].advertised.host", "127.0.0.1"),
    ),
    (
        "advertised_shared",
        listeners(CLIENT={"advertised": {"host": "kafka.example.com", "port": 9092}}),
        ("error", "k1, k2, k3", "kafka_listeners", "kafka.example.com:9092"),
    ),
    (
        "advertised_shared",
        {"per_host": {"k2": {"kafka_address": "10.0.0.1"}}},
        ("error", "k1, k2", "kafka_listeners", "10.0.0.1:9092, 10.0.0.1:19092, 10.0.0.1:9093"),
    ),
    (
        "listener_missing",
        {"kafka_listeners": [CLIENT, CONTROLLER]},
        ("error", "k2", "kafka_listeners", None),
    ),
    (
        "listener_missing",
        {"kafka_listeners": [INTERNAL, CONTROLLER]},
        ("error", "k2", "kafka_listeners", None),
    ),
    (
        "listener_missing",
        {"kafka_listeners": [CLIENT, INTERNAL]},
        ("error", "k2", "kafka_listeners", None),
    ),
    (
        "listener_ambiguous",
        {"kafka_listeners": [*LISTENERS, {**CONTROLLER, "name": "SECOND", "port": 9999}]},
        ("error", "k1", "kafka_listeners", None),
    ),
    (
        "listener_differs",
        on_k1(INTERNAL={"name": "PRIVATE"}),
        ("error", "", "kafka_listeners", None),
    ),
    (
        "listener_differs",
        on_k1(CLIENT={"name": "PUBLIC"}),
        ("error", "k2", "kafka_listeners", None),
    ),
    (
        "listener_differs",
        {"per_host": {"k2": {"kafka_listeners": [{**CLIENT, "protocol": "SSL"}, INTERNAL, CONTROLLER]}}},
        ("error", "k2", "kafka_listeners[CLIENT].protocol", "SSL"),
    ),
    (
        "plaintext",
        {"kafka_profile": "production"},
        ("warning", "k1", "kafka_listeners[CLIENT].protocol", "PLAINTEXT"),
    ),
    (
        "plaintext",
        {"kafka_profile": "production"},
        ("warning", "k1", "kafka_listeners[CONTROLLER].protocol", "PLAINTEXT"),
    ),
    (
        "protocol",
        on_k1(INTERNAL={"protocol": "SASL_SSL"}),
        ("error", "k1", "kafka_listeners[INTERNAL].protocol", "SASL_SSL"),
    ),
    (
        "type",
        on_k1(CLIENT={"protocol": "TLS"}),
        ("error", "k1", "kafka_listeners[0].protocol", "TLS"),
    ),
    (
        "type",
        {"kafka_listeners": [{"name": "CLIENT", "protocol": "SSL", "purpose": "client"}, INTERNAL, CONTROLLER]},
        ("error", "k1", "kafka_listeners[0].port", None),
    ),
    (
        "type",
        on_k1(CLIENT={"advertized": {"host": "a"}}),
        ("error", "k1", "kafka_listeners[0].advertized", {"host": "a"}),
    ),
    (
        "type",
        on_k1(CLIENT={"port": "9092/tcp"}),
        ("error", "k1", "kafka_listeners[0].port", "9092/tcp"),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_listener_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, **given)


def test_wording(wording: Wording) -> None:
    wording(each for rule, given, _ in CASES for each in sentences(rule, **given))


@pytest.mark.parametrize(
    "given",
    [
        listeners(CLIENT={"port": "19092"}, INTERNAL={"port": 9095}),
        listeners(CLIENT={"bind": ANYWHERE, "advertised": {"host": "kafka.example.com", "port": 1}}) | {"count": 1},
        {"per_host": {f"k{at}": listeners(CONTROLLER={"port": at * 10000 + 9093}) for at in (1, 2, 3)}},
        {"kafka_listeners": [*LISTENERS, {**CLIENT, "name": "PUBLIC", "port": 9094}]},
        {"count": 1, "kafka_address": "localhost"},
        {"per_host": {"k1": {"kafka_address": "fd00::1"}, "k2": {"kafka_address": "node-2.example.com."}}},
    ],
)
def test_sound_listeners_raise_no_alarm(given: dict[str, Any]) -> None:
    bad = [
        str(problem) for problem in problems_of(hosts(**given)) if problem.variable.startswith(("kafka_l", "kafka_ad"))
    ]
    assert bad == []


@pytest.mark.parametrize("bind", [ANYWHERE, "::", "0:0:0:0:0:0:0:0"])
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


@pytest.mark.parametrize("name", ["CLIENT", "INTERNAL"])
def test_an_asterisk_is_no_address_for_kafka(name: str) -> None:
    given = on_k1(**{name: {"bind": "*", "advertised": {"host": "kafka1.example.com"}}})
    made = [each for each in problems_of(hosts(kafka_profile="test", **given)) if each.variable.endswith(".bind")]
    assert [(each.severity, each.rule, each.value) for each in made] == [("error", "bind", "*")]


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
