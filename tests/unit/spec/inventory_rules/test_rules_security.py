"""Refusals of security settings that cannot work or do not protect."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, INTER_BROKER, PROTOCOLS
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired import listener_protocols

from tests.unit.problems import worded
from tests.unit.spec.inventory import LISTENERS, Finding, finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording


@pytest.fixture(autouse=True)
def operable_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """These rules look at listeners that can be operated; today most protocols between nodes cannot."""
    monkeypatch.setattr(
        listener_protocols, "OPERABLE", dict.fromkeys((CLIENT, INTER_BROKER, CONTROLLER), frozenset(PROTOCOLS))
    )


def speaking(protocol: str, *purposes: str) -> list[dict[str, Any]]:
    return [{**each, "protocol": protocol} if each["purpose"] in purposes else each for each in LISTENERS]


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "listener_key",
        {"kafka_listeners": speaking("SSL", "client")},
        ("error", "k1", "kafka_listeners[CLIENT]", None),
    ),
    (
        "listener_mechanism",
        {"kafka_listeners": speaking("SASL_PLAINTEXT", "client")},
        ("error", "k1", "kafka_listeners[CLIENT]", None),
    ),
    (
        "controller_scram",
        {
            "kafka_listeners": speaking("SASL_PLAINTEXT", "controller"),
            "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-512"},
        },
        ("error", "k1", "kafka_listeners[CONTROLLER]", None),
    ),
    (
        "mechanism",
        {
            "kafka_listeners": speaking("SASL_PLAINTEXT", "client"),
            "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-1"},
        },
        ("error", "k1", "kafka_listeners[CLIENT]", None),
    ),
    (
        "mechanism_differs",
        {
            "kafka_listeners": speaking("SASL_PLAINTEXT", "inter_broker"),
            "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-512"},
        },
        ("error", "k1", "kafka_config[sasl.mechanism.inter.broker.protocol]", None),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_security_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, **given)


def test_wording(wording: Wording) -> None:
    lines = [each for rule, given, _ in CASES for each in sentences(rule, **given)]
    lines += [each for key, value in WEAK for each in sentences("weak_secret", 1, kafka_config={key: value})]
    wording(lines + worded(readable_secrets(kafka_profile="production")))


WEAK = [
    ("ssl.keystore.password", "changeit"),
    ("ssl.keystore.password", ""),
    ("ssl.key.password", "s3cre7"),
    ("listener.name.client.ssl.truststore.password", "Password"),
    (
        "listener.name.client.plain.sasl.jaas.config",
        'org.example.Login required username="a" password="long-enough-for-us" user_a="admin-secret";',
    ),
]


@pytest.mark.parametrize(("key", "value"), WEAK)
def test_a_password_that_can_be_guessed_is_refused_and_not_shown(key: str, value: str) -> None:
    assert found("weak_secret", 1, kafka_config={key: value}) == [("warning", "k1", f"kafka_config[{key}]", "(hidden)")]
    made = problems_of(hosts(1, kafka_config={key: value}))
    assert not value or value not in str([problem.as_dict() for problem in made])


@pytest.mark.parametrize(
    "settings",
    [
        {"ssl.keystore.password": "a-long-and-random-one"},
        {"ssl.keystore.password": "${file:/etc/kafka/secrets:keystore}", "config.providers": "file"},
        {"delegation.token.max.lifetime.ms": 1000},
        {"sasl.oauthbearer.token.endpoint.url": "https://x"},
    ],
)
def test_what_is_no_weak_secret_raises_no_alarm(settings: dict[str, Any]) -> None:
    assert found("weak_secret", 1, kafka_config=settings) == []


def readable_secrets(**given: Any) -> list[Problem]:
    readable = {"k1": frozenset({"kafka_config[ssl.keystore.password]"})}
    made = problems_of(hosts(1, **given), readable=readable)
    return [problem for problem in made if problem.rule == "readable_secret"]


def test_a_secret_that_stands_readable_is_a_warning_in_production() -> None:
    made = readable_secrets(kafka_profile="production")
    assert [finding(each) for each in made] == [("warning", "k1", "kafka_config[ssl.keystore.password]", "(hidden)")]
    assert readable_secrets() == []


def test_a_listeners_own_settings_count_for_it() -> None:
    given = {
        "kafka_listeners": speaking("SASL_SSL", "client", "controller"),
        "kafka_config": {
            "listener.name.client.ssl.keystore.location": "/etc/kafka/client.p12",
            "listener.name.controller.ssl.keystore.location": "/etc/kafka/controller.p12",
            "listener.name.client.sasl.enabled.mechanisms": "SCRAM-SHA-512",
            "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
            "sasl.mechanism.controller.protocol": "PLAIN",
        },
    }
    for rule in ("listener_key", "listener_mechanism", "controller_scram", "mechanism_differs"):
        assert found(rule, **given) == []
