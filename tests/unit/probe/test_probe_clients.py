"""The probe's clients, with a client library that answers as a cluster in trouble does."""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from spark_jobs.probe import topic
from spark_jobs.probe.settings import ProbeSettings

SETTINGS = ProbeSettings("127.0.0.1:1", "mine", 2, 100, run_id="lone", producers=1)


def test_no_default_of_the_cluster_deletes_records_of_the_probes_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[NewTopic] = []

    class Done:
        def result(self) -> None: ...

    def create(_: AdminClient, new_topics: list[NewTopic], **__: Any) -> dict[str, Done]:
        made.extend(new_topics)
        return {new_topics[0].topic: Done()}

    monkeypatch.setattr(AdminClient, "create_topics", create)
    assert topic.ProbeTopic(SETTINGS).make() == 3
    assert made[0].config == {
        "min.insync.replicas": "2",
        "cleanup.policy": "delete",
        "retention.ms": "-1",
        "retention.bytes": "-1",
    }
