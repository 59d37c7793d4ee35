"""The audit on real brokers: transactions, compaction, deletion, and a job whose records were tampered with."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs import appcds, audit, native_smoke, records, report, run, session
from spark_jobs.config import SmokeConfig
from spark_jobs.installation import JARS
from spark_jobs.kafka_io import TopicIo
from spark_jobs.native_smoke import NativeSmoke
from spark_jobs.progress import Progress
from spark_jobs.record_format import Workload
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import Report
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.spark_topic import SparkTopic, create

ROOT = Path(__file__).resolve().parents[2]
Case = tuple[Callable[[DataFrame], DataFrame], dict[str, int]]
RECORDS = 1200
SETTLED_SECONDS = 240


@pytest.fixture
def topic(kafka_cluster: KafkaCluster, request: pytest.FixtureRequest) -> SparkTopic:
    """Make an empty topic for each test."""
    workload = Workload("audit", RECORDS, 100, 3, 2)
    name = "audit-" + request.node.name.replace("[", "-").rstrip("]")[-60:]
    config = getattr(request, "param", {"message.timestamp.type": "LogAppendTime"})
    return SparkTopic(
        kafka_cluster.bootstrap_servers, create(kafka_cluster.bootstrap_servers, name, 3, config), workload
    )


def found(counts: Any) -> dict[str, int]:
    """The faults among the counts, those that are zero left out."""
    return {name: value for name, value in counts.items() if value and name not in {"written", "read"}}


def test_a_session_starts_from_the_archive_of_its_classes(spark: SparkSession) -> None:
    archive = appcds.make(os.environ, sorted(JARS.glob("*.jar")))
    process = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    assert any(str(archive) in Path(f"/proc/{pid}/maps").read_text() for pid in (process, *children))


def test_transactions_leave_holes_and_no_alarm(spark: SparkSession, topic: SparkTopic) -> None:
    """Every tenth transaction is aborted and written again; markers and aborted records take offsets."""
    producer = topic.producer("audit-holes")
    producer.init_transactions(30)
    for start in range(0, RECORDS, 40):
        for attempt in range(2 if start % 400 == 0 else 1, 0, -1):
            producer.begin_transaction()
            topic.produce(producer, range(start, start + 40))
            (producer.commit_transaction if attempt == 1 else producer.abort_transaction)()
    window = topic.settled()
    assert window.offsets > RECORDS + 3 * 40
    assert found(topic.counts(spark, window)) == {}


def test_what_only_an_aborted_transaction_held_is_lost(spark: SparkSession, topic: SparkTopic) -> None:
    producer = topic.producer("audit-aborted")
    producer.init_transactions(30)
    for numbers, end in (
        (range(100), producer.commit_transaction),
        (range(100, 137), producer.abort_transaction),
        (range(137, RECORDS), producer.commit_transaction),
    ):
        producer.begin_transaction()
        topic.produce(producer, numbers)
        end()
    window = topic.settled()
    assert found(topic.counts(spark, window)) == {"lost": 37}
    rows = audit.first_missing(spark, topic.judged(spark, window), topic.workload, 20, range(3)).collect()
    assert [row["sequence"] for row in rows] == list(range(100, 120))
    assert all(row["offset_before"] < row["offset_after"] for row in rows)


def test_an_open_transaction_does_not_hold_the_reading_up(spark: SparkSession, topic: SparkTopic) -> None:
    producer = topic.producer("audit-open")
    producer.init_transactions(30)
    producer.begin_transaction()
    topic.produce(producer, range(RECORDS - 10))
    producer.commit_transaction()
    producer.begin_transaction()
    topic.produce(producer, range(RECORDS - 10, RECORDS))
    began = time.monotonic()
    assert found(topic.counts(spark, topic.window())) == {"lost": 10}
    assert time.monotonic() - began < 120  # it stays open for five minutes
    producer.abort_transaction()


COMPACTED = {
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "segment.ms": "500",
    "max.compaction.lag.ms": "1000",
}


@pytest.mark.parametrize("topic", [COMPACTED], indirect=True, ids=["compacted"])
@pytest.mark.usefixtures("quick_cleaner")
def test_what_compaction_removed_is_lost_and_nothing_else(spark: SparkSession, topic: SparkTopic) -> None:
    topic.produce(topic.producer(), range(RECORDS))

    def counted() -> tuple[set[int], dict[str, int], set[int]]:
        """Between two looks: a cleaner that a busy machine has held up goes on later."""
        return compacted(topic), found(topic.counts(spark, topic.window())), topic.seen_by_another_client()

    remaining, faults, after = until(counted, lambda seen: seen[0] == seen[2], SETTLED_SECONDS)
    assert after == remaining
    assert topic.workload.keys <= len(remaining) < RECORDS
    assert faults.pop("unexpected") == faults.pop("other_runs") > 0
    assert faults == {"lost": RECORDS - len(remaining)}


def compacted(topic: SparkTopic) -> set[int]:
    """Return the rest of the run when the cleaner has finished.

    Only segments that are not written to any more are cleaned, so records of another run make new ones begin.
    """
    roller = SparkTopic(topic.bootstrap, topic.name, Workload("roller", 3, 100, 3, 1))
    producer = roller.producer()
    deadline = time.monotonic() + SETTLED_SECONDS
    before: set[int] = set()
    while time.monotonic() < deadline:
        roller.produce(producer, range(3))
        time.sleep(1.5)  # longer than segment.ms and the cleaner's rest together
        seen = topic.seen_by_another_client()
        if seen == before and len(seen) < RECORDS:
            return seen
        before = seen
    raise AssertionError(f"not compacted within {SETTLED_SECONDS} s")


def test_what_was_deleted_is_lost_and_both_readings_say_so(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As retention does: the log begins later than the run."""

    def write(self: TopicIo, frame: DataFrame) -> None:
        real(self, frame)
        admin = AdminClient({"bootstrap.servers": topic.bootstrap})
        place = TopicPartition(topic.name, 1, 31)
        admin.delete_records([place])[place].result(30)

    real = TopicIo.write
    monkeypatch.setattr(TopicIo, "write", write)
    draft = smoke(spark, topic, tmp_path)
    assert found(draft["counts"]) == {"lost": 30}
    assert draft["stream"] is not None
    assert draft["stream"]["same_as_batch"]
    assert draft["verdict"]["outcome"] == "failed"
    assert {entry["partition"] for entry in draft["first_missing"]} == {1}
    assert len(draft["first_missing"]) == 20


def test_a_second_run_of_the_same_file_counts_its_own_records_alone(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same run id, same topic, same native smoke test; nothing at all is written the second time."""
    first = native_smoke.run(configured(topic, tmp_path))
    assert smoke(spark, topic, tmp_path, first)["verdict"]["outcome"] == "proven"
    monkeypatch.setattr(TopicIo, "write", lambda *_: None)
    draft = smoke(spark, topic, tmp_path, first)
    assert found(draft["counts"]) == {"lost": RECORDS}
    assert draft["verdict"]["outcome"] == "failed"


def test_a_run_of_the_same_id_that_writes_meanwhile_is_another_run(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(self: TopicIo, frame: DataFrame) -> None:
        topic.produce(topic.producer(), range(RECORDS))
        real(self, frame)

    real = TopicIo.write
    monkeypatch.setattr(TopicIo, "write", write)
    draft = smoke(spark, topic, tmp_path)
    assert found(draft["counts"]) == {"unexpected": RECORDS, "other_runs": RECORDS}
    assert draft["verdict"]["outcome"] == "proven"


def configured(topic: SparkTopic, directory: Path) -> SmokeConfig:
    return SmokeConfig("audit", topic.bootstrap, topic.name, 3, RECORDS, 100, directory, writers=2)


def smoke(spark: SparkSession, topic: SparkTopic, directory: Path, native: NativeSmoke | None = None) -> Report:
    """The job itself, on the session of these tests."""
    config = configured(topic, directory)
    progress = Progress(directory)
    draft = report.begun(config, progress)
    made = native or native_smoke.run(config)
    draft["native_smoke"] = made.result
    draft["spark"] = session.spark_section(spark, 0.0)
    run.smoke(spark, config, made, draft, progress)
    assert schema_errors(draft) == []
    return draft


def is_number(*sequences: int) -> Column:
    return F.substring("value", 27, 12).cast("string").isin(*(f"{sequence:012d}" for sequence in sequences))


def dropped(frame: DataFrame) -> DataFrame:
    return frame.where(~is_number(9, 12, 700))


def copied(frame: DataFrame) -> DataFrame:
    return frame.union(frame.where(is_number(7)))


def flipped(frame: DataFrame) -> DataFrame:
    damaged = F.concat(F.substring("value", 1, 70), F.lit(b"~"), F.substring("value", 72, 100))
    return frame.withColumn("value", F.when(is_number(7), damaged).otherwise(F.col("value")))


def moved(frame: DataFrame) -> DataFrame:
    return frame.withColumn("partition", F.when(is_number(7), 1).otherwise(F.col("partition")))


FAULTS = [(dropped, {"lost": 3}), (copied, {"duplicated": 1}), (flipped, {"corrupt": 1}), (moved, {"misplaced": 1})]


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case[0].__name__)
def test_the_job_finds_what_the_writer_did_wrong(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    tamper, faults = case
    real = records.generate
    monkeypatch.setattr(records, "generate", lambda *parts: tamper(real(*parts)))
    draft = smoke(spark, topic, tmp_path)
    assert found(draft["counts"]) == faults
    assert draft["verdict"]["outcome"] == "failed"
    assert {fault["kind"] for fault in draft["first_faults"]} == faults.keys() - {"lost"}
    assert len(draft["first_missing"]) == faults.get("lost", 0)


def test_an_untouched_job_proves_its_cluster(spark: SparkSession, topic: SparkTopic, tmp_path: Path) -> None:
    draft = smoke(spark, topic, tmp_path)
    assert draft["verdict"]["outcome"] == "proven"
    assert found(draft["counts"]) == {}
    assert draft["stream"] is not None
    assert draft["stream"]["batches"] >= 4
    assert draft["latency"] is not None
    assert draft["latency"]["records"] == RECORDS
    assert draft["latency"]["negative"] == 0
    assert {entry["node_id"] for entry in draft["per_broker"]} == {1, 2, 3}
    assert draft["topic"]["replication_factor"] == 3


def test_records_behind_a_transaction_of_another_producer_are_undecided(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(self: TopicIo, frame: DataFrame) -> None:
        stranger.begin_transaction()
        stranger.produce(topic.name, b"x", partition=1)
        stranger.flush(30)
        real(self, frame)

    stranger, real = topic.producer("audit-stranger"), TopicIo.write
    stranger.init_transactions(30)
    monkeypatch.setattr(TopicIo, "write", write)
    monkeypatch.setattr(run, "TRANSACTION_SECONDS", 0.5)
    draft = smoke(spark, topic, tmp_path)
    stranger.abort_transaction()
    assert found(draft["counts"]) == {"undecided": topic.workload.expected_in(1)}
    assert draft["verdict"]["outcome"] == "undecided"
    assert [result["partition"] for result in draft["per_partition"] if result["undecided"]] == [1]
    assert draft["first_missing"] == []


def test_a_transaction_that_ends_soon_is_waited_for(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(self: TopicIo, frame: DataFrame) -> None:
        stranger.begin_transaction()
        stranger.produce(topic.name, b"x", partition=1)
        stranger.flush(30)
        real(self, frame)
        threading.Timer(1.0, stranger.abort_transaction).start()

    stranger, real = topic.producer("audit-soon"), TopicIo.write
    stranger.init_transactions(30)
    monkeypatch.setattr(TopicIo, "write", write)
    draft = smoke(spark, topic, tmp_path)
    assert found(draft["counts"]) == {}
    assert draft["verdict"]["outcome"] == "proven"


def test_a_broker_that_is_gone_after_the_smoke_test_is_named(
    spark: SparkSession, topic: SparkTopic, tmp_path: Path
) -> None:
    made = native_smoke.run(configured(topic, tmp_path))
    leaders = dict.fromkeys(made.view.leaders, 9)
    before = replace(made, view=replace(made.view, brokers={**made.view.brokers, 9: "gone:9092"}, leaders=leaders))
    draft = smoke(spark, topic, tmp_path, before)
    assert draft["changes"] is not None
    assert draft["changes"]["brokers_gone"] == {"9": "gone:9092"}
    assert [moved["before"] for moved in draft["changes"]["leaders_moved"]] == [9, 9, 9]
    assert "Gone since the beginning: node 9 (gone:9092)." in draft["verdict"]["sentences"]
