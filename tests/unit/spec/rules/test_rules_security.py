"""Refusals of security settings that cannot work or do not protect."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.desired import operable
from ansible.module_utils.kraft.spec.desired.model import PROTOCOLS
from ansible.module_utils.kraft.terms import PURPOSES

from tests.unit.spec.inventory import LISTENERS, found, hosts, problems_of


@pytest.fixture(autouse=True)
def operable_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """These rules look at listeners that can be operated; today most protocols between nodes cannot."""
    monkeypatch.setattr(operable, "OPERABLE", dict.fromkeys(PURPOSES, frozenset(PROTOCOLS)))


def speaking(protocol: str, *purposes: str) -> list[dict[str, Any]]:
    return [{**each, "protocol": protocol} if each["purpose"] in purposes else each for each in LISTENERS]


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "listener_key",
            {"kafka_listeners": speaking("SSL", "client")},
            "error k1: kafka_listeners[CLIENT]: speaks SSL, but has neither key nor certificate"
            " -> set listener.name.client.ssl.keystore.location (and type) in kafka_config",
        ),
        (
            "listener_mechanism",
            {"kafka_listeners": speaking("SASL_PLAINTEXT", "client")},
            "error k1: kafka_listeners[CLIENT]: speaks SASL_PLAINTEXT, but has no mechanism"
            " -> set listener.name.client.sasl.enabled.mechanisms in kafka_config",
        ),
        (
            "controller_scram",
            {
                "kafka_listeners": speaking("SASL_PLAINTEXT", "controller"),
                "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-512"},
            },
            "error k1: kafka_listeners[CONTROLLER]: uses SCRAM-SHA-512: after a stop of all nodes no controller"
            " could ever"
            " log in again -> use TLS with client certificates, or PLAIN over TLS",
        ),
        (
            "mechanism",
            {
                "kafka_listeners": speaking("SASL_PLAINTEXT", "client"),
                "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-1"},
            },
            "error k1: kafka_listeners[CLIENT]: uses SCRAM-SHA-1, which Kafka refuses"
            " -> use SCRAM-SHA-512 or SCRAM-SHA-256",
        ),
        (
            "mechanism_differs",
            {
                "kafka_listeners": speaking("SASL_PLAINTEXT", "inter_broker"),
                "kafka_config": {"sasl.enabled.mechanisms": "SCRAM-SHA-512"},
            },
            "error k1: kafka_config[sasl.mechanism.inter.broker.protocol]: is GSSAPI, but the listener INTERNAL offers"
            " SCRAM-SHA-512 -> use one that is offered",
        ),
    ],
)
def test_security_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, **given)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ssl.keystore.password", "changeit", "is a password of examples"),
        ("ssl.keystore.password", "", "is empty"),
        ("ssl.key.password", "s3cre7", "is shorter than 8 characters"),
        ("listener.name.client.ssl.truststore.password", "Password", "is a password of examples"),
        (
            "listener.name.client.plain.sasl.jaas.config",
            'org.example.Login required username="a" password="long-enough-for-us" user_a="admin-secret";',
            "is a password of examples",
        ),
    ],
)
def test_a_password_that_can_be_guessed_is_refused_and_not_shown(key: str, value: str, said: str) -> None:
    assert found("weak_secret", 1, kafka_config={key: value}) == [
        f"warning k1: kafka_config[{key}]: {said} -> draw one at random, such as with `openssl rand -base64 24`"
    ]
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


def test_a_secret_that_stands_readable_is_a_warning_in_production() -> None:
    readable = {"k1": frozenset({"kafka_config[ssl.keystore.password]"})}
    made = problems_of(hosts(1, kafka_profile="production"), readable=readable)
    assert [f"{problem.severity} {problem}" for problem in made if problem.rule == "readable_secret"] == [
        "warning k1: kafka_config[ssl.keystore.password]: stands readable in the inventory"
        " -> encrypt it with ansible-vault, look it up, or give ${provider:path:key} for the node to resolve"
    ]
    assert not [each for each in problems_of(hosts(1), readable=readable) if each.rule == "readable_secret"]


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
