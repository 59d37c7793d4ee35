"""Topics take the same risks as the cluster's defaults, by the same rules and the same consent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version
from ansible.module_utils.kraft.spec.inventory_rules.resources import TOPICS, given_of
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.spec.resources.topics import ABSENT

IN_SYNC, UNCLEAN, LARGEST = "min.insync.replicas", "unclean.leader.election.enable", "max.message.bytes"
REQUEST = "socket.request.max.bytes"


def risks(subject: Subject) -> Iterator[Problem]:
    """Check each declared topic; another rule checks a cluster with one copy of everything."""
    for topic in given_of(subject, TOPICS):
        if topic.get("state") != ABSENT:
            config = {str(key): value_text(each).strip() for key, each in (topic.get("config") or {}).items()}
            yield from _copies(subject, topic, config)
            yield from _elections(f"{TOPICS}[{topic['name']}].config[{UNCLEAN}]", config)
            yield from _sizes(subject, f"{TOPICS}[{topic['name']}].config[{LARGEST}]", config)


def _copies(subject: Subject, topic: Mapping[str, Any], config: Mapping[str, str]) -> Iterator[Problem]:
    cluster, where = subject.cluster, f"{TOPICS}[{topic['name']}]"
    factor = topic.get("replication_factor") or cluster.replication_factor
    text = config.get(IN_SYNC, "")
    least = int(text) if text.isascii() and text.isdigit() else cluster.min_isr
    own = topic.get("replication_factor") is not None or bool(text)
    if not own or cluster.replication_factor == 1 or not subject.all_sound("kafka_default_replication_factor"):
        return
    if factor == 1:
        message = "The topic keeps one copy of every record: a lost disk loses data"
        yield Problem("single_replica", message, "use replication_factor: 3", where, value=factor, severity=RISK)
    elif least == factor:
        message = f"Writing needs all {factor} replicas: if one broker is down, nothing can be written"
        remedy = f"give {factor + 1} replicas, or min.insync.replicas {factor - 1}"
        yield Problem("min_isr_tight", message, remedy, where, value=least, severity=RISK)
    elif least == 1:
        message = "Records are acknowledged when only one broker has them: if it fails, they are lost"
        yield Problem("min_isr_loose", message, "give min.insync.replicas 2", where, value=least, severity=WARNING)


def _elections(where: str, config: Mapping[str, str]) -> Iterator[Problem]:
    if config.get(UNCLEAN, "").lower() == "true":
        message = "The setting can elect a leader that lacks acknowledged records"
        yield Problem("unclean_election", message, "remove it", where, value=True, severity=RISK)


def _sizes(subject: Subject, where: str, config: Mapping[str, str]) -> Iterator[Problem]:
    """Require that the largest record fits into a request of every broker."""
    text, default = config.get(LARGEST, ""), load(nearest_version(subject.cluster.version)).server[REQUEST].default
    given = [subject.settings[node.host].get(REQUEST) or default or "" for node in subject.cluster.brokers]
    limits = [int(each) for each in given if each.isascii() and each.isdigit()]
    if text.isascii() and text.isdigit() and limits and int(text) > min(limits):
        message = (
            f"The value is above {REQUEST} {min(limits)} of the brokers: a record of that size could never be sent"
        )
        yield Problem("settings_order", message, "lower the first or raise the second", where, value=text)


RULES = (risks,)
