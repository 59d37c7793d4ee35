"""Refusals of settings that do not fit each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import found, hosts, problems_of


def said_of(rule: str, settings: dict[str, Any], **given: Any) -> list[str]:
    return found(
        rule, 1, kafka_default_replication_factor=1, kafka_min_insync_replicas=1, kafka_config=settings, **given
    )


@pytest.mark.parametrize(
    ("rule", "settings", "said"),
    [
        (
            "settings_order",
            {"replica.fetch.wait.max.ms": 40000},
            "error k1: kafka_config[replica.fetch.wait.max.ms]: replica.fetch.wait.max.ms 40000 is above"
            " replica.lag.time.max.ms"
            " 30000: replicas would leave the ISR again and again -> lower the first or raise the second",
        ),
        (
            "settings_order",
            {"message.max.bytes": 200000000},
            "error k1: kafka_config[message.max.bytes]: message.max.bytes 200000000 is above"
            " socket.request.max.bytes 104857600:"
            " a record of that size could never be sent -> lower the first or raise the second",
        ),
        (
            "settings_order",
            {"group.consumer.min.session.timeout.ms": 70000},
            "error k1: kafka_config[group.consumer.min.session.timeout.ms]:"
            " group.consumer.min.session.timeout.ms 70000 is above"
            " group.consumer.max.session.timeout.ms 60000: the range would be empty"
            " -> lower the first or raise the second",
        ),
        (
            "heartbeat",
            {"broker.session.timeout.ms": 3000},
            "error k1: kafka_config[broker.session.timeout.ms]: broker.heartbeat.interval.ms 2000 is above half of"
            " broker.session.timeout.ms 3000 -> give 750: brokers would be fenced again and again",
        ),
        (
            "setting_zero",
            {"broker.heartbeat.interval.ms": 0},
            "error k1: kafka_config[broker.heartbeat.interval.ms]: is no time"
            " -> give a time in milliseconds; Kafka's default is 2000",
        ),
        (
            "cleaner_buffer",
            {"log.cleaner.threads": 200},
            "error k1: kafka_config[log.cleaner.threads]: gives each of 200 cleaner threads 1 MiB or less"
            " -> raise log.cleaner.dedupe.buffer.size",
        ),
        (
            "queued_bytes",
            {"queued.max.request.bytes": 1000},
            "error k1: kafka_config[queued.max.request.bytes]: queued.max.request.bytes 1000 is below"
            " socket.request.max.bytes"
            " 104857600 -> raise it, or leave it out",
        ),
        (
            "retention",
            {"log.retention.ms": 0},
            "error k1: kafka_config[log.retention.ms]: keeps records for no time"
            " -> give -1 for ever, or a time above 0",
        ),
        (
            "connections",
            {"max.connections.per.ip": 0},
            "error k1: kafka_config[max.connections.per.ip]: lets nobody connect"
            " -> set max.connections.per.ip.overrides for those who may connect",
        ),
        (
            "unclean_election",
            {"unclean.leader.election.enable": True},
            "warning k1: kafka_config[unclean.leader.election.enable]: lets a replica lead that lacks"
            " acknowledged records"
            " -> remove it",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(rule: str, settings: dict[str, Any], said: str) -> None:
    assert said in said_of(rule, settings)


@pytest.mark.parametrize(
    ("rule", "settings"),
    [
        ("heartbeat", {"broker.session.timeout.ms": 3000, "broker.heartbeat.interval.ms": 500}),
        ("settings_order", {"log.retention.ms": -1}),
        ("settings_order", {"message.max.bytes": "large"}),
        ("connections", {"max.connections.per.ip": 0, "max.connections.per.ip.overrides": "10.0.0.1:100"}),
        ("retention", {"log.retention.hours": 24}),
        ("queued_bytes", {"queued.max.request.bytes": -1}),
        ("unclean_election", {"unclean.leader.election.enable": False}),
    ],
)
def test_settings_that_fit_raise_no_alarm(rule: str, settings: dict[str, Any]) -> None:
    assert said_of(rule, settings) == []


ROLES: dict[str, dict[str, Any]] = {
    "k1": {"kafka_process_roles": ["controller"]},
    "k2": {"kafka_process_roles": ["broker"]},
}
JOIN = {"controller.quorum.auto.join.enable": True}


def test_joining_by_itself_is_for_controllers() -> None:
    assert found("auto_join", 2, ROLES, kafka_config=JOIN) == [
        "error k2: kafka_config[controller.quorum.auto.join.enable]: stops a node that is no controller"
        " -> move it to kafka_group_config of the controllers"
    ]
    assert found("auto_join", 1, kafka_config=JOIN, kafka_quorum="static") == [
        "warning k1: kafka_config[controller.quorum.auto.join.enable]: has no effect on a static quorum"
        " -> remove it, or use kafka_quorum: dynamic"
    ]


def test_what_only_brokers_read_is_nothing_for_a_mere_controller() -> None:
    roles = {**ROLES, "k1": {**ROLES["k1"], "kafka_group_config": {"transaction.state.log.segment.bytes": 2**20}}}
    made = problems_of(hosts(2, roles))
    assert [f"{problem.severity} {problem}" for problem in made if problem.rule == "setting_role"] == [
        "warning k1: kafka_group_config[transaction.state.log.segment.bytes]: is read by brokers only"
        " -> move it to the brokers' group, or to kafka_config"
    ]


def test_what_only_controllers_read_is_nothing_for_a_mere_broker() -> None:
    slow = {"broker.session.timeout.ms": 18000}
    roles = {"k1": {**ROLES["k1"], "kafka_group_config": slow}, "k2": {**ROLES["k2"], "kafka_group_config": slow}}
    assert found("setting_role", 2, roles) == [
        "warning k2: kafka_group_config[broker.session.timeout.ms]: is read by controllers only"
        " -> move it to the controllers' group, or to kafka_config"
    ]
    assert found("setting_role", 2, ROLES, kafka_config=slow) == []
