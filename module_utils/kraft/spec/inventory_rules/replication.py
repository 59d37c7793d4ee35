"""Copies: as many as there are brokers for, and one more than must be there to write. And topics by accident."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject

FACTOR = "kafka_default_replication_factor"
IN_SYNC = "kafka_min_insync_replicas"
AUTO_CREATE = "kafka_auto_create_topics"
LARGEST = 2**15 - 1
#: Kafka's own topics: their replication factor and the replicas that must have a record.
INTERNAL = {
    "offsets.topic.replication.factor": "",
    "transaction.state.log.replication.factor": "transaction.state.log.min.isr",
    "share.coordinator.state.topic.replication.factor": "share.coordinator.state.topic.min.isr",
}


def bounds(subject: Subject) -> Iterator[Problem]:
    """Require numbers of replicas."""
    cluster = subject.cluster
    for variable, value in ((FACTOR, cluster.default_replication_factor), (IN_SYNC, cluster.min_insync_replicas)):
        if not 1 <= value <= LARGEST:
            yield Problem(
                "replicas",
                "The value is not a valid number of replicas",
                "give 1 or more, such as 3 and 2",
                variable,
                value=value,
            )


def enough_brokers(subject: Subject) -> Iterator[Problem]:
    """Report a factor above the number of brokers."""
    cluster, count = subject.cluster, len(subject.cluster.brokers)
    wanted = cluster.default_replication_factor
    if not count or wanted <= count or not subject.all_sound("kafka_process_roles", FACTOR):
        return
    message = f"The factor is above the number of brokers, {count}"
    if cluster.in_production:
        yield Problem("replication_factor", message, f"add brokers, or give {count} or less", FACTOR, value=wanted)
    else:
        cut = f"{message}; this test cluster uses {cluster.replication_factor} (min ISR {cluster.min_isr})"
        yield Problem("replication_factor", cut, "add brokers for more", FACTOR, value=wanted, severity=WARNING)


def in_sync(subject: Subject) -> Iterator[Problem]:
    """Require min.insync.replicas below the factor, or the loss of one broker stops every write."""
    cluster = subject.cluster
    factor, wanted = cluster.default_replication_factor, cluster.min_insync_replicas
    if not subject.all_sound(FACTOR, IN_SYNC) or min(factor, wanted) < 1:
        return
    if wanted > factor:
        message = f"The value is above the replication factor, {factor}: nothing could be written"
        yield Problem("min_isr", message, f"give {max(1, factor - 1)}", IN_SYNC, value=wanted)
    elif factor == 1:
        message = "The cluster keeps one copy of every record: a lost disk loses data"
        yield Problem("single_replica", message, "use 3, with min ISR 2", FACTOR, value=factor, severity=RISK)
    elif wanted == factor:
        message = f"The value equals the replication factor, {factor}: if one broker is down, nothing can be written"
        yield Problem("min_isr_tight", message, f"give {factor - 1}", IN_SYNC, value=wanted, severity=RISK)
    elif wanted == 1:
        message = "Records are acknowledged when only one broker has them: if it fails, they are lost"
        yield Problem("min_isr_loose", message, "give 2", IN_SYNC, value=wanted, severity=WARNING)


def own_topics(subject: Subject) -> Iterator[Problem]:
    """Check Kafka's own topics in the same way, if the inventory sets them."""
    cluster = subject.cluster
    for node in cluster.nodes:
        given = {key: f"{layer.variable}[{key}]" for layer in node.layers for key in layer.settings}
        settings = subject.settings[node.host]
        for keys in INTERNAL.items():
            where = next((given[key] for key in keys if key in given), "")
            factor, least = _number(settings[keys[0]]), _number(settings.get(keys[1], "1"))
            if where and factor and least:
                yield from _own_topic(cluster, Problem("", "", "", where, node.host, factor), least)


def _own_topic(cluster: Cluster, at: Problem, least: int) -> Iterator[Problem]:
    """Check one of them. `at`: a problem without words, whose value is the replication factor."""
    count, factor = len(cluster.brokers), at.value
    if factor > count > 0:
        yield _said(
            at, "own_topic_factor", f"The factor is above the number of brokers, {count}", f"give {count} or less"
        )
    elif least > factor:
        message = f"The topic has fewer replicas than must be in sync, {least}: nothing could be written"
        yield _said(at, "own_topic_min_isr", message, "give a min.isr below the replication factor")
    elif factor == 1 and cluster.default_replication_factor > 1:
        message, remedy = (
            "The topic keeps Kafka's own state in one copy",
            "leave it out: it follows the default replication factor",
        )
        yield dataclasses.replace(_said(at, "own_topic_single", message, remedy), severity=RISK)


def _said(at: Problem, rule: str, message: str, remedy: str) -> Problem:
    return dataclasses.replace(at, rule=rule, message=message, remedy=remedy)


def _number(text: str) -> int | None:
    """Parse a whole number above 0; other faults belong to the rule of values."""
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None


def auto_create(subject: Subject) -> Iterator[Problem]:
    """Warn about automatic topics: a mistyped name becomes one, and takes another's records."""
    if subject.cluster.in_production and subject.cluster.auto_create_topics:
        message, remedy = (
            "The setting creates a topic for every mistyped name",
            "leave it out, and declare topics in kafka_topics",
        )
        yield Problem("auto_create_topics", message, remedy, AUTO_CREATE, value=True, severity=WARNING)


RULES = (bounds, enough_brokers, in_sync, own_topics, auto_create)
