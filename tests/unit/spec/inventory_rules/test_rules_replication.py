"""Refusals of numbers of replicas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import Finding, found, hosts, problems_of, sentences
from tests.wording_files import Wording

PRODUCTION = {"kafka_profile": "production"}
FACTOR = "kafka_default_replication_factor"
IN_SYNC = "kafka_min_insync_replicas"


CASES: list[tuple[str, dict[str, Any], Finding]] = [
    (
        "replicas",
        {FACTOR: 0},
        ("error", "", "kafka_default_replication_factor", 0),
    ),
    (
        "replicas",
        {IN_SYNC: -1},
        ("error", "", "kafka_min_insync_replicas", -1),
    ),
    (
        "replication_factor",
        {FACTOR: 5, **PRODUCTION},
        ("error", "", "kafka_default_replication_factor", 5),
    ),
    (
        "replication_factor",
        {FACTOR: 5},
        ("warning", "", "kafka_default_replication_factor", 5),
    ),
    (
        "min_isr",
        {IN_SYNC: 4},
        ("error", "", "kafka_min_insync_replicas", 4),
    ),
    (
        "min_isr_tight",
        {IN_SYNC: 3, **PRODUCTION},
        ("error", "", "kafka_min_insync_replicas", 3),
    ),
    (
        "min_isr_tight",
        {IN_SYNC: 3},
        ("warning", "", "kafka_min_insync_replicas", 3),
    ),
    (
        "min_isr_loose",
        {IN_SYNC: 1, **PRODUCTION},
        ("warning", "", "kafka_min_insync_replicas", 1),
    ),
    (
        "single_replica",
        {FACTOR: 1, IN_SYNC: 1, **PRODUCTION},
        ("error", "", "kafka_default_replication_factor", 1),
    ),
    (
        "own_topic_factor",
        {"kafka_config": {"offsets.topic.replication.factor": 5}},
        ("error", "k1", "kafka_config[offsets.topic.replication.factor]", 5),
    ),
    (
        "own_topic_min_isr",
        {"kafka_config": {"transaction.state.log.min.isr": 4}},
        ("error", "k1", "kafka_config[transaction.state.log.min.isr]", 3),
    ),
    (
        "own_topic_single",
        {"kafka_host_config": {"transaction.state.log.replication.factor": 1, "transaction.state.log.min.isr": 1}},
        ("warning", "k1", "kafka_host_config[transaction.state.log.replication.factor]", 1),
    ),
]


@pytest.mark.parametrize(("rule", "given", "finding"), CASES)
def test_replication_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], finding: Finding) -> None:
    assert finding in found(rule, **given)


def test_wording(wording: Wording) -> None:
    wording(each for rule, given, _ in CASES for each in sentences(rule, **given))


@pytest.mark.parametrize("brokers", [1, 2])
def test_a_small_test_cluster_is_told_what_it_gets(brokers: int) -> None:
    assert {problem.severity for problem in problems_of(hosts(brokers))} == {"warning"}


def test_factor_counts_brokers_and_not_controllers() -> None:
    roles = {"k1": {"kafka_process_roles": ["controller"]}}
    assert found("replication_factor", 3, roles, kafka_profile="production") == [("error", "", FACTOR, 3)]
