"""One record to every partition and back, by a native client.

Its records have the shape of the Spark job's but another run id (``~`` and the run's), so that the audit counts them as
another run's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep, time
from typing import Any

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from spark_jobs.config import SmokeConfig
from spark_jobs.errors import SmokeError, UnreachableError, UsageError
from spark_jobs.native import Complaints, NativeAdmin, TopicView, native_options
from spark_jobs.record_format import MIN_RECORD_BYTES, Workload, encode
from spark_jobs.report_schema import NativePartition, NativeSmokeResult

CONNECT_SECONDS = 2.0  #: for each question about the topic
SETTLED_SECONDS = 3 * CONNECT_SECONDS  #: a busy broker may pause for longer than one question
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class NativeSmoke:
    """Result of the native smoke test: its report, and the topic."""

    result: NativeSmokeResult
    view: TopicView


@dataclass
class _Progress:
    """Offsets and times so far; ``began`` is when the connection was asked for."""

    began: float
    offsets: dict[int, int] = field(default_factory=dict)
    acknowledged: dict[int, float] = field(default_factory=dict)
    returned: dict[int, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    complaints: Complaints = field(default_factory=Complaints)

    def elapsed_ms(self) -> float:
        return round((monotonic() - self.began) * 1000, 1)

    def delivered(self, error: KafkaError | None, message: Message) -> None:
        """Handle the producer's delivery callback."""
        partition, offset = _place(message)
        if error is not None:
            self.failures.append(f"partition {partition}: {error.str()}")
        else:
            self.offsets[partition] = offset
            self.acknowledged[partition] = self.elapsed_ms()

    def received(self, message: Message | None) -> None:
        """Handle the result of the consumer's poll: our record, another's, an error, or nothing."""
        if message is None or message.error() is not None:
            return
        partition, offset = _place(message)
        if self.offsets.get(partition) == offset:
            self.returned.setdefault(partition, self.elapsed_ms())


def _place(message: Message) -> tuple[int, int]:
    """Return partition and offset; -1 stands for an unknown one."""
    partition, offset = message.partition(), message.offset()
    return (-1 if partition is None else partition, -1 if offset is None else offset)


def run(config: SmokeConfig) -> NativeSmoke:
    """Send a record to each partition and read it back, or raise ``UnreachableError`` saying who did not answer."""
    progress = _Progress(monotonic())
    deadline = progress.began + config.native_seconds
    cluster_id = str(config.cluster.get("cluster_id") or "")
    admin = NativeAdmin(config.bootstrap_servers, config.client_options, CONNECT_SECONDS, cluster_id)
    view = _settled(admin, config, progress)
    connected = progress.elapsed_ms()
    options = native_options(config.bootstrap_servers, config.client_options, progress.complaints)
    _send(config, options, progress, deadline)
    _receive(config, options, progress, deadline)
    return NativeSmoke(_result(progress, connected, view.leaders), view)


def _settled(admin: NativeAdmin, config: SmokeConfig, progress: _Progress) -> TopicView:
    """Return the topic with all its leaders; a new topic gets some seconds for the metadata to spread."""
    while True:
        try:
            view = admin.describe_topic(config.topic)
            _check(config, view)
        except SmokeError:
            if progress.elapsed_ms() > SETTLED_SECONDS * 1000:
                raise
            sleep(POLL_SECONDS)
        else:
            return view


def _check(config: SmokeConfig, view: TopicView) -> None:
    if len(view.leaders) != config.partitions:
        raise UsageError(
            [f"partitions: topic {config.topic} has {len(view.leaders)}, the configuration says {config.partitions}"]
        )
    headless = [str(partition) for partition, leader in view.leaders.items() if leader is None]
    if headless:
        alive = ", ".join(f"{node} ({address})" for node, address in sorted(view.brokers.items()))
        raise UnreachableError(
            f"no leader for partitions {', '.join(headless)} of {config.topic}; brokers alive: {alive}"
        )


def _send(config: SmokeConfig, options: dict[str, Any], progress: _Progress, deadline: float) -> None:
    workload = Workload(f"~{config.run_id[:15]}", config.partitions, MIN_RECORD_BYTES, config.partitions, 1)
    timeout_ms = int(config.native_seconds * 1000)
    producer = Producer({**options, "acks": "all", "linger.ms": 0, "message.timeout.ms": timeout_ms})
    for partition in range(config.partitions):
        key, value = encode(workload, partition, int(time() * 1000))
        producer.produce(config.topic, value, key, partition, on_delivery=progress.delivered)
    producer.flush(max(0.0, deadline - monotonic()))
    missing = [f"partition {partition}" for partition in range(config.partitions) if partition not in progress.offsets]
    if missing:
        what = "; ".join(progress.failures) or f"no acknowledgement for {', '.join(missing)}"
        producer.purge()
        raise UnreachableError(f"writing to {config.topic}: {what} ({progress.complaints})")


def _receive(config: SmokeConfig, options: dict[str, Any], progress: _Progress, deadline: float) -> None:
    group = {"group.id": f"kraftwright-{config.run_id}", "enable.auto.commit": False}
    consumer = Consumer({**options, **group, "isolation.level": "read_committed"})
    try:
        consumer.assign([TopicPartition(config.topic, *place) for place in progress.offsets.items()])
        while len(progress.returned) < config.partitions and monotonic() < deadline:
            progress.received(consumer.poll(POLL_SECONDS))
    finally:
        consumer.close()
    missing = [str(partition) for partition in sorted(progress.offsets.keys() - progress.returned.keys())]
    if missing:
        raise UnreachableError(
            f"reading back from {config.topic}: partitions {', '.join(missing)} did not return an acknowledged record "
            f"within {config.native_seconds:.0f} s ({progress.complaints})"
        )


def _result(progress: _Progress, connected_ms: float, leaders: Mapping[int, int | None]) -> NativeSmokeResult:
    partitions = [
        NativePartition(
            partition=partition,
            leader=leader,
            acknowledged_ms=progress.acknowledged[partition],
            returned_ms=progress.returned[partition],
        )
        for partition, leader in sorted(leaders.items())
    ]
    client = f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"
    last = max(progress.returned.values())
    return NativeSmokeResult(client=client, ms=last, connected_ms=connected_ms, partitions=partitions)
