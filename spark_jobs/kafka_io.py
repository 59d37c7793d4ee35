"""Spark's side of Kafka: the options, writing, and the two ways of reading.

Settings that decide the job's meaning (acks, isolation, offsets) are fixed; connections are configured; the
rest was measured: on one small cluster ``max.poll.records`` made reads 1.7 times faster, ``batch.size`` and
``linger.ms`` writes about twice. Spark keeps a consumer for each partition, so what one may fetch must stay small
against the heap.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ansible.module_utils.kraft.client_config import spark, tuning
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from spark_jobs import masters
from spark_jobs.client_texts import with_texts
from spark_jobs.native import secured

FORMAT = "kafka"
TOPIC = "topic"
ASSIGN = "assign"
STARTING_OFFSETS = "startingOffsets"
ENDING_OFFSETS = "endingOffsets"
MAX_OFFSETS_PER_TRIGGER = "maxOffsetsPerTrigger"
INCLUDE_HEADERS = "includeHeaders"

WRITE_OPTIONS = {
    "kafka.acks": "all",
    "kafka.enable.idempotence": "true",
    "kafka.linger.ms": "20",
    "kafka.max.block.ms": "30000",
    "kafka.request.timeout.ms": "15000",
    "kafka.delivery.timeout.ms": "60000",
}
ISOLATION, READ_COMMITTED, READ_UNCOMMITTED = "kafka.isolation.level", "read_committed", "read_uncommitted"
READ_OPTIONS = {
    ISOLATION: READ_COMMITTED,
    "kafka.max.poll.records": "10000",
    "kafka.max.partition.fetch.bytes": "2097152",
    # A broker with nothing more to give answers at once; by default each partition would end with half a second of it.
    "kafka.fetch.max.wait.ms": "20",
    # A frozen broker keeps its connections: a request must end, and another broker be asked, before a poll gives up.
    "kafka.request.timeout.ms": "6000",
    "kafkaConsumer.pollTimeoutMs": "60000",
    # Records that are gone are what the audit looks for: it counts them, where Spark would only stop.
    "failOnDataLoss": "false",
}
BATCHES_WANTED = 4
BATCH_SIZE = "kafka.batch.size"
LARGEST_BATCH, SMALLEST_BATCH = 262_144, 16_384
BUFFER = 32 * 1024 * 1024  #: Kafka's default ``buffer.memory``; a producer fills a batch for each partition in it


def batch_size(partitions: int) -> int:
    """Return the bytes of a batch, so that half of the buffer has room for one of each partition.

    If the buffer is full of begun batches, each leaves with a record or two.
    """
    return max(SMALLEST_BATCH, min(LARGEST_BATCH, BUFFER // (2 * partitions)))


@dataclass(frozen=True)
class Window:
    """Offsets to read: for each partition from ``starts`` up to but not including ``ends``."""

    starts: Mapping[int, int]
    ends: Mapping[int, int]

    @property
    def spans(self) -> dict[int, tuple[int, int]]:
        """Return first and end offset of each partition."""
        return {partition: (start, self.ends[partition]) for partition, start in self.starts.items()}

    @property
    def offsets(self) -> int:
        return sum(end - start for start, end in self.spans.values())


@dataclass(frozen=True)
class TopicIo:
    """One topic as Spark reaches it; ``client_options`` are ``kafka.*`` options such as ``kafka.security.protocol``.

    ``filled_at_once``: the number of partitions to which all writers together write at a time.
    """

    spark: SparkSession
    bootstrap_servers: str
    topic: str
    client_options: Mapping[str, str]
    filled_at_once: int = 1

    def write(self, records: DataFrame) -> None:
        """Write ``[key, value, partition]`` to the topic; returns when every record is acknowledged."""
        options = {**WRITE_OPTIONS, BATCH_SIZE: str(batch_size(self.filled_at_once)), **self._connection()}
        records.write.format(FORMAT).mode("append").options(**options).option(TOPIC, self.topic).save()

    def read(self, window: Window) -> DataFrame:
        """Return the window's records: ``[key, value, topic, partition, offset, timestamp, timestampType, headers]``"""
        reader = self.spark.read.format(FORMAT).options(**self._reading(window))
        return reader.option(INCLUDE_HEADERS, True).option(ENDING_OFFSETS, _offsets({self.topic: window.ends})).load()

    def stream(self, window: Window) -> DataFrame:
        """Read the same as a stream from the window's start, in about four batches, to exercise the checkpoint."""
        size = window.offsets // BATCHES_WANTED + len(window.starts)
        reader = self.spark.readStream.format(FORMAT).options(**self._reading(window))
        return reader.option(INCLUDE_HEADERS, True).option(MAX_OFFSETS_PER_TRIGGER, size).load()

    def _reading(self, window: Window) -> dict[str, str]:
        return {**READ_OPTIONS, **self._connection(), **_starts({self.topic: window})}

    def _connection(self) -> dict[str, str]:
        return connection(self.spark, self.bootstrap_servers, self.client_options)


def connection(session: SparkSession, bootstrap_servers: str, client_options: Mapping[str, str]) -> dict[str, str]:
    """Return Spark's options for the connection to a cluster. For executors elsewhere they have texts, not files."""
    client = secured(bootstrap_servers, client_options)
    local = masters.is_local(str(session.sparkContext.master))
    return {**tuning(client_options), **spark(client if local else with_texts(client))}


def read_topics(session: SparkSession, connected: Mapping[str, str], windows: Mapping[str, Window]) -> DataFrame:
    """Return the records in windows of several topics, with headers. One task reads each partition, in its order."""
    reader = session.read.format(FORMAT).options(**{**READ_OPTIONS, **connected, **_starts(windows)})
    ends = _offsets({topic: window.ends for topic, window in windows.items()})
    return reader.option(ENDING_OFFSETS, ends).option(INCLUDE_HEADERS, True).load()


def _starts(windows: Mapping[str, Window]) -> dict[str, str]:
    return {
        ASSIGN: json.dumps({topic: sorted(window.starts) for topic, window in windows.items()}),
        STARTING_OFFSETS: _offsets({topic: window.starts for topic, window in windows.items()}),
    }


def _offsets(topics: Mapping[str, Mapping[int, int]]) -> str:
    return json.dumps(
        {topic: {str(number): offset for number, offset in offsets.items()} for topic, offsets in topics.items()}
    )


def drain(stream: DataFrame, checkpoint: str) -> StreamingQuery:
    """Run the stream over what is there (``availableNow``) and return the ended query; its failure is raised."""
    writer = stream.writeStream.format("noop").option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return query
