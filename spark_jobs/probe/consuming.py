"""The receiving half: a consumer group that reads everything, as an application would."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError

from spark_jobs.probe.events import RECEIPT, TROUBLE, EventLog
from spark_jobs.probe.producing import connection
from spark_jobs.probe.records import decode
from spark_jobs.probe.settings import ProbeSettings

OPTIONS = {
    "auto.offset.reset": "earliest",
    "enable.auto.commit": True,
    "auto.commit.interval.ms": 1000,
    "isolation.level": "read_committed",
    "partition.assignment.strategy": "cooperative-sticky",
}
AT_ONCE = 100
POLL_SECONDS = 0.1
STEP = 0.05
CLOSE_SECONDS = 10.0  # a consumer whose group's coordinator is gone would wait for it for ever


class Receiving:
    """Receives until ``stop``; ``seen`` holds the highest offset that came of each partition."""

    def __init__(self, settings: ProbeSettings, log: EventLog) -> None:
        self._settings, self._log = settings, log
        names = [f"consumer-{number}" for number in range(min(settings.consumers, settings.partitions))]
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._receive, args=(name,), daemon=True) for name in names]
        self.seen: dict[int, int] = {}

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self, acked: Mapping[int, int], seconds: float) -> bool:
        """Read on up to the last acknowledged record of each partition, then end; whether it came so far.

        A consumer that cannot leave its group is left alone with that: the process may end without it.
        """
        deadline = time.monotonic() + seconds
        while not (drained := self._has(acked)) and time.monotonic() < deadline:
            time.sleep(STEP)
        self._ended.set()
        deadline = time.monotonic() + CLOSE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return drained

    def _has(self, acked: Mapping[int, int]) -> bool:
        return all(self.seen.get(partition, -1) >= offset for partition, offset in acked.items())

    def _receive(self, name: str) -> None:
        settings, log = self._settings, self._log
        consumer = Consumer({**connection(settings, log, name), **OPTIONS, "group.id": settings.topic})
        consumer.subscribe([settings.topic])
        while not self._ended.is_set():
            for message in consumer.consume(AT_ONCE, POLL_SECONDS):
                error = message.error()
                if error is not None:
                    self._note(name, error)
                    continue
                self._take(name, message.partition(), message.offset(), message.value())
        consumer.close()

    def _take(self, name: str, partition: int | None, offset: int | None, value: bytes | None) -> None:
        record = decode(self._settings.run_id, value)
        if record is None or partition is None or offset is None:
            return
        self._log.add(RECEIPT, name, record[0], record[1], offset)
        self.seen[partition] = max(offset, self.seen.get(partition, -1))

    def _note(self, name: str, error: KafkaError) -> None:
        self._log.add(TROUBLE, name, detail=error.name())
