"""Topics as one part of a run: look, refuse, validate, and then change."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import refuse
from ansible.module_utils.kraft.operations.topics import report as topic_report
from ansible.module_utils.kraft.operations.topics.admin import TopicAdmin
from ansible.module_utils.kraft.operations.topics.plan import (
    Desired,
    Plan,
    duplicates,
    find,
    plan,
    topic_refusals,
    unnamed,
)

#: Options of a topic, beside its name, as modules take them.
TOPIC_SPEC: dict[str, Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "partitions": {"type": "int"},
    "replication_factor": {"type": "int"},
    "config": {"type": "dict"},
}
#: Names of topics that a run may delete.
DELETE_SPEC: dict[str, Any] = {"type": "list", "elements": "str", "default": []}


class TopicRun:
    """A run of topics. Its first plan is reported, however often the connection broke."""

    def __init__(self, client: Client, topics: Sequence[Desired], timeout: float, named: Collection[str]) -> None:
        """Store the parameters. `timeout`: seconds without any advance until it gives up. `named`: deletable topics."""
        self._client, self._desired, self._timeout, self._named = client, topics, timeout, named
        self._reported: list[dict[str, Any]] = []
        self._plans: list[Plan] = []

    def plan(self) -> None:
        """Look, and have Kafka validate what must change. RefusedError: all that forbids it."""
        self._admin = admin = TopicAdmin(self._client, self._timeout)
        snapshot, overrides = admin.describe_topics([one.name for one in self._desired])
        found = [*duplicates(self._desired), *(text for one in self._desired for text in topic_refusals(one, snapshot))]
        refuse(found)
        self._plans = [plan(one, snapshot, overrides.get(one.name, {})) for one in self._desired]
        refuse([*unnamed(self._plans, self._named), *admin.validate(self._plans)])
        self._reported = self._reported or [
            topic_report.entry(
                one, find(snapshot, one.desired.name), overrides.get(one.desired.name, {}), admin.resolved
            )
            for one in self._plans
        ]

    def apply(self) -> None:
        """Apply the plan, and wait until every broker shows it."""
        self._admin.apply(self._plans)

    def result(self) -> dict[str, Any]:
        """Return the result of a module."""
        diffs = [one["diff"] for one in self._reported if one["changed"]]
        topics = [
            {key: value for key, value in one.items() if key not in ("diff", "replicas")} for one in self._reported
        ]
        return {"changed": bool(diffs), "topics": topics, "diff": diffs}
