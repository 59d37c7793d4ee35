"""Topics as data, before any query: names, sizes and settings that Kafka would not take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version
from ansible.module_utils.kraft.spec.inventory.setting_values import value_problem
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.resources import TOPICS, found_faults, given_of, twice
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.spec.resources.topics import ABSENT, TIERED, conflicts, metric_name
from ansible.module_utils.kraft.spec.resources.topics import faults as topic_faults
from ansible.module_utils.kraft.spec.resources.users import kinds
from ansible.module_utils.kraft.wording import named

BUDGET = "kafka_host_partition_budget"
DELETED = "kafka_delete_topics"


def topics(subject: Subject) -> Iterator[Problem]:
    """Check topics: the brokers can hold them, and Kafka has their settings."""
    given, cluster = given_of(subject, TOPICS), subject.cluster
    yield from twice(TOPICS, (topic["name"] for topic in given))
    yield from found_faults("topic", [(f"{TOPICS}[{topic['name']}]", topic) for topic in given], topic_faults)
    yield from _collisions([str(topic["name"]) for topic in given if topic.get("state") != ABSENT])
    known = load(nearest_version(cluster.version)).topic
    for topic in given if cluster.brokers else ():
        where, config = f"{TOPICS}[{topic['name']}]", dict(topic.get("config") or {})
        factor = topic.get("replication_factor")
        if factor is not None and not 1 <= factor <= len(cluster.brokers):
            message = f"The factor must be from 1 to {len(cluster.brokers)}, the number of brokers"
            yield Problem("topic_factor", message, "give at most the number of brokers", where, value=factor)
        least = value_text(config.get("min.insync.replicas", "")).strip()
        if least.isascii() and least.isdigit() and int(least) > (factor or cluster.replication_factor):
            message = (
                f"min.insync.replicas {least} exceeds the replication factor {factor or cluster.replication_factor}"
            )
            yield Problem("topic_min_isr", message, "give fewer than the number of replicas", where, value=least)
        for key, value in config.items():
            yield from _setting(known, f"{where}.config[{key}]", str(key), value)


def deleted(subject: Subject) -> Iterator[Problem]:
    """Require that ``kafka_delete_topics`` names topics that are declared absent: others are mistakes."""
    node = next(iter(subject.cluster.nodes), None)
    given = node.variables.get(DELETED) if node else None
    names, absent = kinds(given), {each["name"] for each in given_of(subject, TOPICS) if each.get("state") == ABSENT}
    if names is None:
        yield Problem(
            "topic", "The value is not a list of topics", "give their names, with commas between", DELETED, value=given
        )
    for name in sorted(set(names or ()) - absent):
        remedy = f"declare it in {TOPICS} with state: absent, or remove the name"
        yield Problem("topic_undeclared", "The topic is not declared absent", remedy, DELETED, value=name)


def together(subject: Subject) -> Iterator[Problem]:
    """Report settings of one topic that Kafka refuses together."""
    tiered = any(each.get(TIERED, "").strip().lower() == "true" for each in subject.settings.values())
    for topic in given_of(subject, TOPICS):
        config = {
            str(key): value_text(each).strip() for key, each in (topic.get("config") or {}).items() if each is not None
        }
        for message, remedy in conflicts(config, tiered) if topic.get("state") != ABSENT else ():
            yield Problem("topic_conflict", message, remedy, f"{TOPICS}[{topic['name']}]")


def _setting(known: Mapping[str, Any], where: str, key: str, value: Any) -> Iterator[Problem]:
    if key not in known:
        near = nearest(key, known)
        remedy = f"did you mean {near}?" if near else "see Kafka's list of topic settings"
        yield Problem("topic_setting", "Topics have no such setting", remedy, where)
    elif value is not None:
        message, remedy = value_problem(known[key], value_text(value))
        if message:
            yield Problem("topic_setting", message, remedy, where, value=value)


def _collisions(names: list[str]) -> Iterator[Problem]:
    """Report topics whose metrics would have equal names: Kafka refuses them."""
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        alike[metric_name(name)].add(name)
    for found in alike.values():
        if len(found) > 1:
            message = f"The names {named(sorted(found))} differ only in dots and _: Kafka refuses the second"
            yield Problem("topic", message, "give one of them another name", TOPICS)


def sizes(subject: Subject) -> Iterator[Problem]:
    """Compare the declared topics with the replicas that the hosts are prepared for."""
    cluster, given = subject.cluster, [topic for topic in given_of(subject, TOPICS) if topic.get("state") != ABSENT]
    budgets = [one for node in cluster.brokers if isinstance(one := node.variables.get(BUDGET), int)]
    replicas = sum(
        (topic.get("partitions") or 1) * (topic.get("replication_factor") or cluster.replication_factor)
        for topic in given
    )
    if budgets and replicas > min(budgets) * len(cluster.brokers):
        message = (
            f"The topics need {replicas} replicas on {len(cluster.brokers)} brokers, each prepared for {min(budgets)}"
        )
        remedy = f"ask for fewer partitions, or raise {BUDGET}"
        yield Problem("topic_partitions", message, remedy, TOPICS, severity=RISK)


RULES = (topics, deleted, together, sizes)
