"""A topic on the test cluster for one workload: written by a native client in awkward ways, read by Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import monotonic, sleep, time
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pyspark.sql import DataFrame, SparkSession

from spark_jobs import aggregate, audit, reading
from spark_jobs.kafka_io import TopicIo, Window
from spark_jobs.native import NativeAdmin
from spark_jobs.record_format import MAGIC, SEQUENCE, Workload, encode
from spark_jobs.report_schema import Counts

APPEND_TIME = {"message.timestamp.type": "LogAppendTime"}


def create(
    bootstrap: str, name: str, partitions: int, config: Mapping[str, str] = APPEND_TIME, replicas: int = 3
) -> str:
    """Make a topic; its name."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    made = admin.create_topics([NewTopic(name, partitions, replicas, config=dict(config))])
    made[name].result(30)
    return name


@dataclass(frozen=True)
class SparkTopic:
    """One topic and the workload that was, more or less, written to it."""

    bootstrap: str
    name: str
    workload: Workload

    def producer(self, transactional_id: str | None = None) -> Producer:
        lasting = {"transactional.id": transactional_id, "transaction.timeout.ms": 300_000}
        transactional = lasting if transactional_id else {}
        return Producer({"bootstrap.servers": self.bootstrap, "acks": "all", "linger.ms": 5, **transactional})

    def produce(self, producer: Producer, sequences: Iterable[int]) -> None:
        """Send records of the workload; returns when all are acknowledged."""
        for sequence in sequences:
            key, value = encode(self.workload, sequence, int(time() * 1000))
            producer.produce(self.name, value, key, self.workload.partition_of(sequence))
            producer.poll(0)
        assert producer.flush(60) == 0

    def window(self) -> Window:
        """Everything that the topic holds now, up to the first open transaction of each partition."""
        admin = NativeAdmin(self.bootstrap, {}, 10.0)
        partitions = list(range(self.workload.partitions))
        return Window(dict.fromkeys(partitions, 0), admin.end_offsets(self.name, partitions))

    def settled(self) -> Window:
        """As ``window``, once the markers of all ended transactions are in the log: a commit does not wait for them."""
        admin, deadline = NativeAdmin(self.bootstrap, {}, 10.0), monotonic() + 30
        while monotonic() < deadline:
            window = self.window()
            if admin.written_offsets(self.name, list(window.ends)) == window.ends:
                return window
            sleep(0.05)
        raise TimeoutError("a transaction stays open")

    def stored(self, spark: SparkSession, window: Window) -> DataFrame:
        return TopicIo(spark, self.bootstrap, self.name, {}).read(window)

    def judged(self, spark: SparkSession, window: Window) -> DataFrame:
        return reading.judge(self.stored(spark, window), self.workload)

    def rows(self, spark: SparkSession, window: Window) -> list[dict[str, Any]]:
        return audit.account(self.stored(spark, window), self.workload, reading.EVER, window.spans)

    def counts(self, spark: SparkSession, window: Window) -> Counts:
        rows = self.rows(spark, window)
        results = aggregate.per_partition(rows, self.workload, window.spans, {})
        return aggregate.counts(results, rows, self.workload.records)

    def seen_by_another_client(self) -> set[int]:
        """The run's numbers that librdkafka reads, committed only."""
        window = self.window()
        options = {"bootstrap.servers": self.bootstrap, "group.id": "witness", "isolation.level": "read_committed"}
        consumer = Consumer({**options, "enable.partition.eof": True})
        consumer.assign([TopicPartition(self.name, partition, 0) for partition in window.starts])
        numbers: set[int] = set()
        ended: set[int | None] = set()
        while len(ended) < len(window.starts):
            message = consumer.poll(60)
            assert message is not None, "the witness reads nothing"
            if message.error() is not None:
                ended.add(message.partition())
                continue
            value = message.value() or b""
            if value.startswith(MAGIC + self.workload.padded_run_id):
                numbers.add(int(value[SEQUENCE.start : SEQUENCE.end]))
        consumer.close()
        return numbers
