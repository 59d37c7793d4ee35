"""Clients of the watched cluster: a producer, a group of readers, and their misbehaviour as a fault requests it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence

from confluent_kafka import Consumer, KafkaException, Producer
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic

RATE = 30  #: records a second
TRAFFIC, COMPACTED, NARROW, BURDEN, CROWDED = "traffic", "compacted", "narrow", "burden", "crowded"
#: Without partitions on every node, a fault would hit nothing.
PARTITIONS = 12
BURDENED = 3  #: node id of the broker that is kept busy
#: It is left with one of its two handlers. It recompresses records of letters: hard work, few bytes on its disk.
ONE_HANDLER = ConfigResource(ConfigResourceType.BROKER, str(BURDENED), configs={"num.io.threads": "1"})
HARD_TO_COMPRESS = {"compression.type": "gzip", "compression.gzip.level": "9", "min.insync.replicas": "1"}
WAIT = 0.2  #: seconds for an answer, so that a thread ends soon


class Worker:
    """A thread that repeats one step; errors are Kafka's answer to a fault, and no end."""

    def __init__(self, step: Callable[[], None], pause: float, close: Callable[[], object]) -> None:
        self._step, self._pause, self._close, self._over = step, pause, close, threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._over.wait(self._pause):
            try:
                self._step()
            except (KafkaException, BufferError):
                time.sleep(WAIT)
        self._close()

    def end(self) -> None:
        self._over.set()
        self._thread.join()


class Traffic:
    """`bootstrap`: addresses of the brokers."""

    def __init__(self, bootstrap: Sequence[str]) -> None:
        self._bootstrap = list(bootstrap)
        self._servers = ",".join(bootstrap)
        self._workers: dict[str, list[Worker]] = {}

    def start(self) -> None:
        """Create topics, the producer and the reader."""
        wanted = [
            NewTopic(TRAFFIC, PARTITIONS, 3),
            NewTopic(COMPACTED, 1, 3, topic_configs={"cleanup.policy": "compact"}),
        ]
        with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
            admin.create_topics(wanted, raise_errors=False)  # an earlier run may have made them
        self._workers["writing"] = [self._producing(TRAFFIC, b"record", 1 / RATE)]
        self.resume_reading()

    def stop(self) -> None:
        for workers in self._workers.values():
            for worker in workers:
                worker.end()
        self._workers.clear()

    def begin(self, verb: str) -> None:
        """Do what a fault requests."""
        if verb == "stop reading":
            self._end("reading")
        if verb == "write without keys":
            self._workers[verb] = [self._producing(COMPACTED, b"refused", 0.1)]
        if verb == "ask for every replica":
            topic = NewTopic(NARROW, 3, 3, topic_configs={"min.insync.replicas": "3"})
            with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
                admin.create_topics([topic])
        if verb == "keep the handler of one broker busy":
            self._burden(verb)
        if verb == "crowd two brokers":
            crowded = {number: [1, 2] for number in range(PARTITIONS)}
            with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
                admin.create_topics([NewTopic(CROWDED, replica_assignments=crowded)])
            self._workers[verb] = [self._producing(CROWDED, b"record" * 1000, 1 / RATE)]

    def _burden(self, verb: str) -> None:
        topic = NewTopic(BURDEN, replica_assignments={0: [BURDENED]}, topic_configs=HARD_TO_COMPRESS)
        with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
            admin.create_topics([topic])
            admin.alter_configs([ONE_HANDLER])
        value = bytes(random.Random(1).choices(b"acgt", k=900_000))  # noqa: S311 - no secret
        self._workers[verb] = [self._producing(BURDEN, value, 0) for _ in range(2)]

    def undo(self, verb: str) -> None:
        if verb == "stop reading":
            self.resume_reading()
        self._end(verb)
        if verb == "ask for every replica":
            with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
                admin.delete_topics([NARROW])
        if verb == "keep the handler of one broker busy":
            with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
                admin.reset_configs([ONE_HANDLER])
                admin.delete_topics([BURDEN])
        if verb == "crowd two brokers":
            with KafkaAdminClient(bootstrap_servers=self._bootstrap) as admin:
                admin.delete_topics([CROWDED])

    def resume_reading(self) -> None:
        consumer = Consumer(
            {"bootstrap.servers": self._servers, "group.id": "readers", "auto.offset.reset": "earliest", "log_level": 0}
        )
        consumer.subscribe([TRAFFIC])
        self._workers["reading"] = [Worker(lambda: _read(consumer), 0, consumer.close)]

    def _producing(self, topic: str, value: bytes, pause: float) -> Worker:
        given = {"bootstrap.servers": self._servers, "acks": "all", "linger.ms": 5}
        limits = {"message.timeout.ms": 20000, "queue.buffering.max.kbytes": 8192, "log_level": 0}
        producer = Producer({**given, **limits})

        def step() -> None:
            producer.poll(0)  # first: if the queue is full, this makes room
            producer.produce(topic, value)

        return Worker(step, pause, lambda: producer.flush(WAIT))

    def _end(self, name: str) -> None:
        for worker in self._workers.pop(name, []):
            worker.end()


def _read(consumer: Consumer) -> None:
    consumer.poll(WAIT)
