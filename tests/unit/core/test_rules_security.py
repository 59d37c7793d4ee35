"""Refusals of security settings that cannot work or do not protect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.core.inventory import LISTENERS, found

STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


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
        (
            "authorizer_differs",
            {"per_host": {"k1": {"kafka_host_config": {"authorizer.class.name": STANDARD, "super.users": "User:a"}}}},
            "error kafka_config[authorizer.class.name]: is missing on k2, k3"
            " -> set it in kafka_config, for brokers and controllers alike",
        ),
        (
            "authorizer_missing",
            {"kafka_config": {"super.users": "User:a"}},
            "warning k1: kafka_config[authorizer.class.name]: is not set, but super.users or"
            " allow.everyone.if.no.acl.found"
            f" is: they have no effect -> set authorizer.class.name to {STANDARD}",
        ),
        (
            "super_users",
            {"kafka_config": {"authorizer.class.name": STANDARD}},
            "error k1: kafka_config[super.users]: lets nobody in: the nodes themselves are refused too"
            " -> name the nodes' principals in super.users, separated by ';'",
        ),
        (
            "super_users",
            {"kafka_config": {"authorizer.class.name": STANDARD, "super.users": "User:a,User:b"}},
            "error k1: kafka_config[super.users]: is one user with a comma -> separate them by ';'",
        ),
        (
            "open_authorizer",
            {"kafka_config": {"authorizer.class.name": STANDARD, "allow.everyone.if.no.acl.found": True}},
            "warning k1: kafka_config[allow.everyone.if.no.acl.found]: lets everybody do everything that no ACL"
            " speaks of"
            " -> remove it once the ACLs are there",
        ),
    ],
)
def test_security_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, **given)


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
