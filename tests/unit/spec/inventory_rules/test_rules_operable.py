"""Protocols that validate can be operated: every combination of listener, protocol and our own clients' options."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, INTER_BROKER, PROTOCOLS
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired import listener_protocols, quorum, server_properties
from ansible.module_utils.kraft.spec.desired.model import Cluster, Node

from spark_jobs.config import FIXED_OPTIONS, option_problems
from tests.unit.spec.inventory import LISTENERS, cluster, hosts, problems_of

SECURED = [each for each in PROTOCOLS if each != "PLAINTEXT"]
#: A listener's own settings that it needs, so that nothing else is wrong with it.
FURNISHED = {"ssl.keystore.location": "/etc/kafka/node.p12", "sasl.enabled.mechanisms": "PLAIN"}
SECOND = {"name": "PUBLIC", "port": 9094, "purpose": "client"}


def speaking(protocol: str, purpose: str) -> dict[str, Any]:
    found = [{**each, "protocol": protocol} if each["purpose"] == purpose else each for each in LISTENERS]
    return {"kafka_listeners": found, "kafka_config": FURNISHED}


def said(rule: str, given: dict[str, Any], **surroundings: Any) -> list[Problem]:
    return [each for each in problems_of(hosts(**given), **surroundings) if each.rule == rule]


@pytest.mark.parametrize("profile", ["production", "test"])
@pytest.mark.parametrize("purpose", [INTER_BROKER, CONTROLLER])
@pytest.mark.parametrize("protocol", ["SASL_PLAINTEXT", "SASL_SSL"])
def test_what_our_modules_cannot_speak_is_refused_in_all_profiles(protocol: str, purpose: str, profile: str) -> None:
    made = said("protocol", {**speaking(protocol, purpose), "kafka_profile": profile})
    name = next(each["name"] for each in LISTENERS if each["purpose"] == purpose)
    assert [(each.severity, each.host, each.variable, each.value) for each in made] == [
        ("error", host, f"kafka_listeners[{name}].protocol", protocol) for host in ("k1", "k2", "k3")
    ]
    assert {each.remedy.split(";")[0] for each in made} == {"use PLAINTEXT or SSL"}


@pytest.mark.parametrize("purpose", [INTER_BROKER, CONTROLLER])
def test_a_refused_protocol_gets_no_advice_on_how_to_complete_it(purpose: str) -> None:
    given = {**speaking("SASL_SSL", purpose), "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-512"}}
    made = problems_of(hosts(kafka_profile="production", **given))
    name = next(each["name"] for each in LISTENERS if each["purpose"] == purpose)
    assert {each.rule for each in made if each.variable.startswith(f"kafka_listeners[{name}]")} == {"protocol"}


@pytest.mark.parametrize("protocol", SECURED)
def test_a_client_listener_that_our_clients_use_needs_their_options(protocol: str) -> None:
    given = speaking(protocol, CLIENT)
    full = {listener_protocols.PROTOCOL_OPTION: protocol, listener_protocols.MECHANISM_OPTION: "PLAIN"}
    without = said(
        "client_options", given, client_options={listener_protocols.SMOKE: {}, listener_protocols.PROBE: full}
    )
    assert [(each.severity, each.host, each.variable) for each in without] == [("error", "", listener_protocols.SMOKE)]
    assert not said(
        "client_options", given, client_options={listener_protocols.SMOKE: full, listener_protocols.PROBE: full}
    )
    assert not said("protocol", given)


@pytest.mark.parametrize(
    ("options", "lacks"),
    [
        ({}, listener_protocols.PROTOCOL_OPTION),
        ({listener_protocols.PROTOCOL_OPTION: "SSL"}, listener_protocols.PROTOCOL_OPTION),
        ({listener_protocols.PROTOCOL_OPTION: "SASL_SSL"}, listener_protocols.MECHANISM_OPTION),
        (
            {listener_protocols.PROTOCOL_OPTION: "SASL_SSL", listener_protocols.MECHANISM_OPTION: "OAUTHBEARER"},
            listener_protocols.MECHANISM_OPTION,
        ),
        ({listener_protocols.PROTOCOL_OPTION: "SASL_SSL", listener_protocols.MECHANISM_OPTION: "SCRAM-SHA-512"}, ""),
    ],
)
def test_options_must_fit_the_listener(options: dict[str, str], lacks: str) -> None:
    made = said("client_options", speaking("SASL_SSL", CLIENT), client_options={listener_protocols.SMOKE: options})
    assert len(made) == bool(lacks)
    assert lacks in "".join(each.message for each in made)


@pytest.mark.parametrize("name", ["request.timeout.ms", *FIXED_OPTIONS])
def test_an_option_that_the_smoke_test_would_refuse_is_refused_before(name: str) -> None:
    made = said("client_options", {}, client_options={listener_protocols.SMOKE: {name: "1", "kafka.linger.ms": "5"}})
    assert [(each.severity, each.variable) for each in made] == [("error", f"{listener_protocols.SMOKE}[{name}]")]
    assert option_problems({name: "1", "kafka.linger.ms": "5"})


def test_options_of_the_smoke_test_may_be_numbers_and_booleans() -> None:
    texts = listener_protocols.as_texts({"kafka.request.timeout.ms": 30000, "kafka.enable.idempotence": True})
    assert texts == {"kafka.request.timeout.ms": "30000", "kafka.enable.idempotence": "true"}


@pytest.mark.parametrize("protocol", SECURED)
def test_a_client_listener_that_none_of_ours_uses_is_the_applications_own_affair(protocol: str) -> None:
    given: dict[str, Any] = {
        "kafka_listeners": [*LISTENERS, {**SECOND, "protocol": protocol}],
        "kafka_config": FURNISHED,
    }
    made = problems_of(hosts(**given), client_options={listener_protocols.SMOKE: {}})
    assert [str(each) for each in made] == []


def test_options_of_a_secured_client_do_not_fit_a_plain_listener() -> None:
    secured = {listener_protocols.PROTOCOL_OPTION: "SSL"}
    made = said("client_options", {}, client_options={listener_protocols.SMOKE: secured})
    assert [(each.severity, each.variable) for each in made] == [("error", listener_protocols.SMOKE)]


def test_the_first_listener_is_that_of_the_first_broker_wherever_it_stands_on_others() -> None:
    two = [{**SECOND, "protocol": "PLAINTEXT"}, *LISTENERS]
    given: dict[str, Any] = {"kafka_listeners": [*LISTENERS, {**SECOND, "protocol": "PLAINTEXT"}]}
    given["per_host"] = {"k2": {"kafka_listeners": two}}
    assert [str(each) for each in problems_of(hosts(**given))] == []
    assert quorum.bootstrap_servers(cluster(**given)) == "10.0.0.1:9092,10.0.0.2:9092,10.0.0.3:9092"


def test_the_production_warning_advises_only_what_is_accepted() -> None:
    made = said("plaintext", {"kafka_profile": "production", "count": 1})
    advice = {each.variable: each.remedy for each in made}
    assert set(advice) == {f"kafka_listeners[{each['name']}].protocol" for each in LISTENERS}
    for each in LISTENERS:
        advised = {word.strip(",.") for word in advice[f"kafka_listeners[{each['name']}].protocol"].split()}
        assert advised.intersection(PROTOCOLS) <= listener_protocols.OPERABLE[each["purpose"]]


PEM = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": "/etc/kafka/node.pem",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": "/etc/kafka/ca.pem",
}


def between_nodes(**more: Any) -> dict[str, Any]:
    found = [{**each, "protocol": "SSL"} if each["purpose"] != CLIENT else each for each in LISTENERS]
    return {"kafka_listeners": found, "kafka_config": PEM, **more}


def test_tls_between_nodes_takes_pem_files_and_certificates_on_both_sides() -> None:
    assert [str(each) for each in problems_of(hosts(**between_nodes()))] == []
    made = server_properties.server_settings(*first(cluster(**between_nodes())))
    assert {key: value for key, value in made.items() if key.endswith("client.auth")} == {
        "listener.name.internal.ssl.client.auth": "required",
        "listener.name.controller.ssl.client.auth": "required",
    }


def first(made: Cluster) -> tuple[Cluster, Node]:
    return made, made.nodes[0]


@pytest.mark.parametrize("key", [*PEM, "ssl.client.auth"])
def test_tls_between_nodes_is_refused_without_one_of_them(key: str) -> None:
    wrong = {"listener.name.internal.ssl.client.auth": "requested"} if key == "ssl.client.auth" else {}
    given = {**{name: value for name, value in PEM.items() if name != key}, **wrong}
    made = said("node_certificate", between_nodes(kafka_config=given, count=1))
    names = ["internal"] if wrong else ["internal", "controller"]
    assert [each.variable for each in made] == [f"kafka_config[listener.name.{name}.{key}]" for name in names]


def test_a_broker_that_is_no_controller_needs_certificates_for_the_controllers_listener() -> None:
    roles = {f"k{at}": {"kafka_process_roles": ["controller"]} for at in (1, 2, 3)}
    given = {**between_nodes(kafka_config={}), "per_host": roles | {"k4": {"kafka_process_roles": ["broker"]}}}
    of_broker = {each.variable for each in said("node_certificate", {**given, "count": 4}) if each.host == "k4"}
    assert {
        f"kafka_config[listener.name.{name}.ssl.keystore.location]" for name in ("internal", "controller")
    } < of_broker


def test_a_java_keystore_is_refused_between_nodes() -> None:
    made = said("node_certificate", between_nodes(kafka_config={**PEM, "ssl.keystore.type": "JKS"}, count=1))
    names = [f"kafka_config[listener.name.{name}.ssl.keystore.type]" for name in ("internal", "controller")]
    assert [(each.variable, each.remedy) for each in made] == [(name, "set it to PEM") for name in names]
