"""A steady client: a hundred records a second, while nothing else of the run writes. It measures what users feel.

It runs beside the start of Spark and ends before Spark writes. ``submit`` starts it with ``beside``; the job calls
``finished`` before its first record. The two agree by two files in the output directory: RUNNING, which the job removes
when it is ready, and RESULT. A client that cannot measure leaves no result, and does not affect the run.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any, cast

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from spark_jobs import private_file
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import SmokeError
from spark_jobs.native import Complaints, NativeAdmin, native_options
from spark_jobs.record_format import MIN_RECORD_BYTES, RUN_ID, SEQUENCE, Workload, encode, own_id
from spark_jobs.report_schema import Percentiles, Steady

RATE = 100  #: records a second
LONGEST, SHORTEST = 10.0, 4.0  #: seconds; it ends between them, when Spark is ready
WARM_UP = 1.0  #: seconds in which connections are made, which do not count
DRAIN_SECONDS = 1.0  #: for the last records
#: For which the job waits at most. Spark may be ready at once: the shortest measurement still has to end.
WAIT_SECONDS = SHORTEST + 2 * DRAIN_SECONDS
ADMIN_SECONDS = 5.0
FEWEST = 100  #: records that make a measurement
POLL_SECONDS = 0.05
RUNNING, RESULT = "steady.running", "steady.json"


class Times:
    """Times at which each record was sent, acknowledged and received, by its sequence; in seconds."""

    def __init__(self) -> None:
        self.sent: dict[int, float] = {}
        self.acknowledged: dict[int, float] = {}
        self.returned: dict[int, float] = {}

    def delivered(self, sequence: int, error: KafkaError | None, _message: Message | None = None) -> None:
        if error is None:
            self.acknowledged[sequence] = monotonic()

    def result(self, began: float) -> Steady | None:
        """Return the figures; None if too few records came back."""
        counted = [one for one, at in self.sent.items() if at >= began + WARM_UP]
        acknowledged = [self.acknowledged[one] - self.sent[one] for one in counted if one in self.acknowledged]
        returned = [self.returned[one] - self.sent[one] for one in counted if one in self.returned]
        if min(len(acknowledged), len(returned)) < FEWEST:
            return None
        return Steady(
            client=f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})",
            records=len(acknowledged),
            records_per_s=RATE,
            record_bytes=MIN_RECORD_BYTES,
            seconds=round(max(self.sent.values()) - began - WARM_UP, 1),
            acknowledged=percentiles(acknowledged),
            returned=percentiles(returned),
        )


def percentiles(seconds: list[float]) -> Percentiles:
    """By nearest rank, in ms."""
    ranked = sorted(seconds)
    half, most = (ranked[-(-len(ranked) * share // 100) - 1] for share in (50, 99))
    return Percentiles(p50_ms=_ms(half), p99_ms=_ms(most), max_ms=_ms(ranked[-1]))


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)


def measure(config: SmokeConfig, goes_on: Callable[[], bool], left: threading.Event) -> Steady | None:
    """Write RATE records a second and read them back, for SHORTEST seconds and for LONGEST while it `goes_on`.

    `left`: the result is no longer wanted. None then, if Kafka does not take part, or if too few records
    came back.
    """
    options = native_options(config.bootstrap_servers, config.client_options, Complaints())
    workload = Workload(own_id(f"~{config.run_id}"), int(RATE * LONGEST), MIN_RECORD_BYTES, config.partitions, 1)
    times, done = Times(), threading.Event()
    try:
        reader = threading.Thread(target=_read, args=(_consumer(config, options), workload, times, done), daemon=True)
        reader.start()
        began = _write(config, options, workload, times, lambda at: not left.is_set() and (at < SHORTEST or goes_on()))
        deadline = monotonic() + DRAIN_SECONDS
        while not left.is_set() and len(times.returned) < len(times.acknowledged) and monotonic() < deadline:
            sleep(POLL_SECONDS)
        done.set()
        reader.join(DRAIN_SECONDS)
    except (KafkaException, SmokeError):
        return None
    finally:
        done.set()
    return times.result(began)


def _consumer(config: SmokeConfig, options: Mapping[str, Any]) -> Consumer:
    """It begins where the records will: an end that it looked up itself may come too late."""
    cluster_id = str(config.cluster.get("cluster_id") or "")
    admin = NativeAdmin(config.bootstrap_servers, config.client_options, ADMIN_SECONDS, cluster_id)
    ends = admin.written_offsets(config.topic, list(range(config.partitions)))
    group = {"group.id": f"kraftwright-{config.run_id}", "enable.auto.commit": False}
    consumer = Consumer({**options, **group, "isolation.level": "read_uncommitted"})
    consumer.assign([TopicPartition(config.topic, *one) for one in ends.items()])
    return consumer


def _write(
    config: SmokeConfig, options: Mapping[str, Any], workload: Workload, times: Times, goes_on: Callable[[float], bool]
) -> float:
    """Write the records, and return the start time. A late record delays no other. `goes_on`: by the seconds so far."""
    producer = Producer({**options, "acks": "all", "linger.ms": 0, "message.timeout.ms": int(1000 * LONGEST)})
    began = monotonic()
    for sequence in range(workload.records):
        due = began + sequence / RATE
        while (left := due - monotonic()) > 0:
            producer.poll(left)
        if not goes_on(due - began):
            break
        key, value = encode(workload, sequence, int(time() * 1000))
        times.sent[sequence] = monotonic()
        producer.produce(
            config.topic,
            value,
            key,
            sequence % config.partitions,
            on_delivery=functools.partial(times.delivered, sequence),
        )
    producer.flush(DRAIN_SECONDS)
    producer.purge()
    return began


def _read(consumer: Consumer, workload: Workload, times: Times, done: threading.Event) -> None:
    try:
        while not done.is_set():
            message = consumer.poll(POLL_SECONDS)
            if (sequence := own_sequence(message, workload)) is not None:
                times.returned.setdefault(sequence, monotonic())
    finally:
        consumer.close()


def own_sequence(message: Message | None, workload: Workload) -> int | None:
    """The number of a record of this client; None for others, for errors and for nothing."""
    value = message.value() if message is not None and message.error() is None else None
    if not isinstance(value, bytes) or value[RUN_ID.start : RUN_ID.end] != workload.padded_run_id:
        return None
    return int(value[SEQUENCE.start : SEQUENCE.end])


@contextlib.contextmanager
def beside(config: SmokeConfig) -> Iterator[None]:
    """A steady client while the body starts Spark."""
    running, result = config.output_dir / RUNNING, config.output_dir / RESULT
    result.unlink(missing_ok=True)
    private_file.write(running, config.run_id)
    left = threading.Event()
    client = threading.Thread(target=_run, args=(config, running, left), daemon=True)
    client.start()
    try:
        yield
    finally:
        left.set()
        running.unlink(missing_ok=True)
        client.join(3 * DRAIN_SECONDS)
        result.unlink(missing_ok=True)


def _run(config: SmokeConfig, running: Path, left: threading.Event) -> None:
    """Its result appears at once, whole; null if there is none."""
    found = measure(config, running.exists, left)
    partial = running.with_name(f"{RESULT}.partial")
    private_file.write(partial, json.dumps({"run_id": config.run_id, "steady": found}) + "\n")
    os.replace(partial, running.with_name(RESULT))


def finished(config: SmokeConfig, seconds: float = WAIT_SECONDS) -> Steady | None:
    """End the steady client of this run; what it measured, None if none runs or it had no result in time."""
    running, result = config.output_dir / RUNNING, config.output_dir / RESULT
    if _text(running) != config.run_id and not result.exists():
        return None
    running.unlink(missing_ok=True)
    deadline = monotonic() + seconds
    while not result.exists() and monotonic() < deadline:
        sleep(POLL_SECONDS)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(_text(result))
        return cast("Steady | None", found["steady"]) if found["run_id"] == config.run_id else None
    return None


def _text(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8")
    return ""
