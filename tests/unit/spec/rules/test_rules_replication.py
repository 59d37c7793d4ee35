"""Refusals of numbers of replicas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import found, hosts, problems_of

ACCEPT = "; to run with it all the same, list {} in kafka_accepted_risks"
PRODUCTION = {"kafka_profile": "production"}
FACTOR = "kafka_default_replication_factor"
IN_SYNC = "kafka_min_insync_replicas"


@pytest.mark.parametrize(
    ("rule", "given", "said"),
    [
        (
            "replicas",
            {FACTOR: 0},
            f"error {FACTOR}: is no number of replicas -> give 1 or more, such as 3 and 2",
        ),
        (
            "replicas",
            {IN_SYNC: -1},
            f"error {IN_SYNC}: is no number of replicas -> give 1 or more, such as 3 and 2",
        ),
        (
            "replication_factor",
            {FACTOR: 5, **PRODUCTION},
            f"error {FACTOR}: is above the number of brokers, 3 -> add brokers, or give 3 or less",
        ),
        (
            "replication_factor",
            {FACTOR: 5},
            f"warning {FACTOR}: is above the number of brokers, 3; this test cluster gets 3 (min ISR 2)"
            " -> add brokers for more",
        ),
        (
            "min_isr",
            {IN_SYNC: 4},
            f"error {IN_SYNC}: is above the replication factor, 3: nothing could ever be written -> give 2",
        ),
        (
            "min_isr_tight",
            {IN_SYNC: 3, **PRODUCTION},
            f"error {IN_SYNC}: equals the replication factor, 3: without one broker nothing can be written -> give 2"
            + ACCEPT.format("min_isr_tight"),
        ),
        (
            "min_isr_tight",
            {IN_SYNC: 3},
            f"warning {IN_SYNC}: equals the replication factor, 3: without one broker nothing can be written -> give 2",
        ),
        (
            "min_isr_loose",
            {IN_SYNC: 1, **PRODUCTION},
            f"warning {IN_SYNC}: acknowledges what one broker has: its loss is the loss of acknowledged records"
            " -> give 2",
        ),
        (
            "single_replica",
            {FACTOR: 1, IN_SYNC: 1, **PRODUCTION},
            f"error {FACTOR}: keeps one copy of every record: the loss of a disk is the loss of data"
            " -> use 3, with min ISR 2" + ACCEPT.format("single_replica"),
        ),
        (
            "own_topic_factor",
            {"kafka_config": {"offsets.topic.replication.factor": 5}},
            "error k1: kafka_config[offsets.topic.replication.factor]: is above the number of brokers, 3"
            " -> give 3 or less",
        ),
        (
            "own_topic_min_isr",
            {"kafka_config": {"transaction.state.log.min.isr": 4}},
            "error k1: kafka_config[transaction.state.log.min.isr]: has fewer replicas than must be in sync, 4:"
            " nothing could"
            " ever be written -> give a min.isr below the replication factor",
        ),
        (
            "own_topic_single",
            {"kafka_host_config": {"transaction.state.log.replication.factor": 1, "transaction.state.log.min.isr": 1}},
            "warning k1: kafka_host_config[transaction.state.log.replication.factor]: keeps Kafka's own state in"
            " one copy"
            " -> leave it out: it follows the default replication factor",
        ),
    ],
)
def test_replication_is_refused_with_a_reason_and_a_remedy(rule: str, given: dict[str, Any], said: str) -> None:
    assert said in found(rule, **given)


@pytest.mark.parametrize("brokers", [1, 2])
def test_a_small_test_cluster_is_told_what_it_gets(brokers: int) -> None:
    assert {problem.severity for problem in problems_of(hosts(brokers))} == {"warning"}


def test_factor_counts_brokers_and_not_controllers() -> None:
    roles = {"k1": {"kafka_process_roles": ["controller"]}}
    assert found("replication_factor", 3, roles, kafka_profile="production") == [
        f"error {FACTOR}: is above the number of brokers, 2 -> add brokers, or give 2 or less"
    ]
