"""The probe's clients, with a client library that answers as a cluster in trouble does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyarrow import parquet

from spark_jobs.errors import UsageError
from spark_jobs.probe import producing, topic
from spark_jobs.probe.events import Clock, EventLog
from spark_jobs.probe.settings import ProbeSettings

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = ProbeSettings("127.0.0.1:1", "mine", 2, 100, run_id="lone", producers=1)


class Refusing:
    """A producer after a fatal error: it takes nothing more."""

    def produce(self, *_: Any, **__: Any) -> None:
        raise KafkaException(KafkaError(KafkaError._FATAL, "sequence desynchronization"))


def test_a_producer_that_takes_nothing_more_is_noted_and_does_not_end_the_sending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(producing, "producer", lambda *_: Refusing())
    log = EventLog(tmp_path, Clock())
    sending = producing.Sending(SETTINGS, log)
    for sequence in range(2):
        sending._send_one(0, sequence)
    log.close_part()
    rows = parquet.read_table(tmp_path / "part-000001.parquet").to_pylist()
    failed = [(row["sequence"], row["detail"]) for row in rows if row["kind"] == "failed"]
    assert failed == [(0, "_FATAL"), (1, "_FATAL")]


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


FULL = """
from pathlib import Path
from spark_jobs.probe import client
from spark_jobs.probe.settings import ProbeSettings

def full(log):
    raise OSError(28, "No space left on device")

client.EventLog.close_part = full
client.run(ProbeSettings("127.0.0.1:1", "mine", 2, 100, run_id="lone", part_seconds=0.2), Path("."))
"""


def test_a_probe_that_cannot_write_its_log_ends_and_holds_no_memory(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "No space left on device" in ended.stderr


def test_a_probe_does_not_begin_in_another_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AdminClient, "list_topics", lambda *_, **__: SimpleNamespace(cluster_id="theirs"))
    asked = [topic.ProbeTopic(ProbeSettings("127.0.0.1:1", "mine", 3, 30, each)) for each in ("theirs", "", "ours")]
    assert [one.answers(1) for one in asked[:2]] == [True, True]
    with pytest.raises(UsageError, match="belong to cluster theirs, and ours is expected"):
        asked[2].answers(1)
