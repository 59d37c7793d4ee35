"""Topics with separate series (``kafka_metrics_topics``): names, in which ``*`` is any characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

TOPICS = "kafka_metrics_topics"
#: Characters of a topic's name (``org.apache.kafka.common.internals.Topic``), and ``*``.
TOPIC_NAME = re.compile(r"[A-Za-z0-9._*-]{1,249}")


def topics(subject: Subject) -> Iterator[Problem]:
    """Refuse impossible names: they match nothing, or break the agent's file, and so the next start of Kafka."""
    for node in subject.sound(TOPICS):
        given = node.variables.get(TOPICS, ["*"])
        for name in given or [""]:
            if not TOPIC_NAME.fullmatch(name):
                message = "The pattern matches no topic" if name else "The list is empty: no topic would have series"
                remedy = "give names of topics, with * for any characters; or remove it for all topics"
                yield Problem("metrics_topics", message, remedy, TOPICS, node.host, name or None)


RULES = (topics,)
