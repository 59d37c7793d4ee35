"""Refusals of settings that do not fit each other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import Finding, found, sentences
from tests.wording_files import Wording

#: One broker has one copy of every record.
SINGLE = {"kafka_default_replication_factor": 1, "kafka_min_insync_replicas": 1}
CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "settings_order",
        {"replica.fetch.wait.max.ms": 40000},
        ("error", "k1", "kafka_config[replica.fetch.wait.max.ms]", None),
    ),
    (
        "settings_order",
        {"message.max.bytes": 200000000},
        ("error", "k1", "kafka_config[message.max.bytes]", None),
    ),
    (
        "settings_order",
        {"group.consumer.min.session.timeout.ms": 70000},
        ("error", "k1", "kafka_config[group.consumer.min.session.timeout.ms]", None),
    ),
    (
        "heartbeat",
        {"broker.session.timeout.ms": 3000},
        ("error", "k1", "kafka_config[broker.session.timeout.ms]", None),
    ),
    (
        "setting_zero",
        {"broker.heartbeat.interval.ms": 0},
        ("error", "k1", "kafka_config[broker.heartbeat.interval.ms]", 0),
    ),
    (
        "cleaner_buffer",
        {"log.cleaner.threads": 200},
        ("error", "k1", "kafka_config[log.cleaner.threads]", 134217728),
    ),
    (
        "queued_bytes",
        {"queued.max.request.bytes": 1000},
        ("error", "k1", "kafka_config[queued.max.request.bytes]", None),
    ),
    (
        "retention",
        {"log.retention.ms": 0},
        ("error", "k1", "kafka_config[log.retention.ms]", 0),
    ),
    (
        "connections",
        {"max.connections.per.ip": 0},
        ("error", "k1", "kafka_config[max.connections.per.ip]", 0),
    ),
    (
        "unclean_election",
        {"unclean.leader.election.enable": True},
        ("warning", "k1", "kafka_config[unclean.leader.election.enable]", True),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_settings_that_do_not_fit_are_refused(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, 1, **SINGLE, kafka_config=given)


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
    assert found(rule, 1, **SINGLE, kafka_config=settings) == []


ROLES: dict[str, dict[str, Any]] = {
    "k1": {"kafka_process_roles": ["controller"]},
    "k2": {"kafka_process_roles": ["broker"]},
}
JOIN = {"controller.quorum.auto.join.enable": True}


def test_joining_by_itself_is_for_controllers() -> None:
    assert found("auto_join", 2, ROLES, kafka_config=JOIN) == [
        ("error", "k2", "kafka_config[controller.quorum.auto.join.enable]", True)
    ]
    assert found("auto_join", 1, kafka_config=JOIN, kafka_quorum="static") == [
        ("warning", "k1", "kafka_config[controller.quorum.auto.join.enable]", True)
    ]


def test_what_only_brokers_read_is_nothing_for_a_mere_controller() -> None:
    roles = {**ROLES, "k1": {**ROLES["k1"], "kafka_group_config": {"transaction.state.log.segment.bytes": 2**20}}}
    assert found("setting_role", 2, roles) == [
        ("warning", "k1", "kafka_group_config[transaction.state.log.segment.bytes]", None)
    ]


def test_what_only_controllers_read_is_nothing_for_a_mere_broker() -> None:
    slow = {"broker.session.timeout.ms": 18000}
    roles = {"k1": {**ROLES["k1"], "kafka_group_config": slow}, "k2": {**ROLES["k2"], "kafka_group_config": slow}}
    assert found("setting_role", 2, roles) == [("warning", "k2", "kafka_group_config[broker.session.timeout.ms]", None)]
    assert found("setting_role", 2, ROLES, kafka_config=slow) == []


def test_wording(wording: Wording) -> None:
    lines = [each for rule, given, _ in CASES for each in sentences(rule, 1, **SINGLE, kafka_config=given)]
    lines += sentences("auto_join", 2, ROLES, kafka_config=JOIN)
    lines += sentences("auto_join", 1, kafka_config=JOIN, kafka_quorum="static")
    for given in ({"transaction.state.log.segment.bytes": 2**20}, {"broker.session.timeout.ms": 18000}):
        lines += sentences("setting_role", 2, ROLES, kafka_group_config=given)
    wording(lines)
