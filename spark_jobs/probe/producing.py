"""The sending half: idempotent producers at a bounded rate, each of them for some of the partitions.

A producer of librdkafka whose requests overtake each other on their way from one leader to the next takes a new epoch
and sends unacknowledged records again. Those that a broker already had are there twice then, since brokers recognise
copies only within an epoch. The log records the event, so that the account can distinguish such copies from others.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.client_config import librdkafka
from confluent_kafka import KafkaError, KafkaException, Message, Producer

from spark_jobs.native import secured
from spark_jobs.probe.events import ACK, EPOCH, FAILED, LATE, RETRY, SEND, TROUBLE, EventLog
from spark_jobs.probe.records import encode
from spark_jobs.probe.settings import ProbeSettings
from spark_jobs.probe.window import Window

# Options of an ordinary careful producer; the rest is librdkafka's default. 120 s are Java's delivery.timeout.ms.
OPTIONS = {"acks": "all", "enable.idempotence": True, "linger.ms": 5, "delivery.timeout.ms": 120_000}
# A thread of librdkafka without a connection looks once a second whether its broker leads something again. A new
# record would wake it, but those wait in the window. So each producer is connected to brokers that lead nothing, too.
CONNECTED = {"enable.sparse.connections": False}
# librdkafka retries by itself and logs it only here.
OBSERVED = {"debug": "msg,eos", "log_level": 7}
RETRIED = re.compile(r"\[(\d+)\]: MessageSet with \d+ message.*encountered error: (.*?) \(actions ([\w,]*)\)")
BROKEN = re.compile(r"^FAIL .*: Disconnected")
GIVEN_UP = "Permanent"
NEW_EPOCH = re.compile(r"Beginning partition drain .* epoch bump .*")
RECONNECT_MS = 1000  # Java's reconnect.backoff.max.ms; librdkafka would wait up to 10 s for a broker that restarts
POLL_SECONDS = 0.1
LATE_US = 50_000
MOST_BEHIND = 0.1  # seconds: what could not be sent in time is left out rather than sent in a burst


class Retries(logging.Handler):
    """librdkafka's words about requests that it repeats, and about new epochs, as events."""

    def __init__(self, log: EventLog, source: str) -> None:
        super().__init__()
        self._log, self._source = log, source

    def emit(self, record: logging.LogRecord) -> None:
        if began := NEW_EPOCH.search(record.getMessage()):
            self._log.add(EPOCH, self._source, detail=began[0])
        found = RETRIED.search(record.getMessage())
        if found and GIVEN_UP not in found[3]:
            self._log.add(RETRY, self._source, int(found[1]), detail=found[2])
        elif BROKEN.search(record.getMessage()):
            self._log.add(TROUBLE, self._source, detail="Disconnected")


def connection(settings: ProbeSettings, log: EventLog, source: str) -> dict[str, Any]:
    """Return the options of any client of the probe."""

    def trouble(error: KafkaError) -> None:
        log.add(TROUBLE, source, detail=error.name())

    return {
        **librdkafka(secured(settings.bootstrap_servers, settings.client_options)),
        "client.id": f"{settings.topic}-{source}",
        "reconnect.backoff.max.ms": RECONNECT_MS,
        "error_cb": trouble,
    }


def producer(settings: ProbeSettings, log: EventLog, source: str) -> Producer:
    """Return a producer whose retries and errors go to the log."""
    logger = logging.Logger(source)
    logger.addHandler(Retries(log, source))
    return Producer({**connection(settings, log, source), **OPTIONS, **CONNECTED, **OBSERVED}, logger=logger)


class Sending:
    """Sends until ``stop``; ``acked`` holds the highest acknowledged offset of each partition."""

    def __init__(self, settings: ProbeSettings, log: EventLog) -> None:
        self._settings, self._log = settings, log
        names = [f"producer-{number}" for number in range(min(settings.producers, settings.partitions))]
        self._producers = {name: producer(settings, log, name) for name in names}
        self._names = names
        self._window = Window(settings.partitions)
        self._stopping, self._ended = threading.Event(), threading.Event()
        # An error that ends the process, such as a full disk, must also end the threads, which would go on for ever.
        self._threads = [
            threading.Thread(target=self._poll, args=(one,), daemon=True) for one in self._producers.values()
        ]
        self._sender = threading.Thread(target=self._send, daemon=True)
        self.acked: dict[int, int] = {}

    def start(self) -> None:
        for thread in (*self._threads, self._sender):
            thread.start()

    def stop(self, seconds: float) -> int:
        """Send no more, wait for what is under way; how many records were still without an answer."""
        self._stopping.set()
        self._sender.join()
        deadline = time.monotonic() + seconds
        waiting = self._window.emptied(max(0.1, deadline - time.monotonic()))
        left = sum(one.flush(max(0.1, deadline - time.monotonic())) for one in self._producers.values())
        self._ended.set()
        for thread in self._threads:
            thread.join()
        return left + waiting

    def _poll(self, one: Producer) -> None:
        """Serve the callbacks at once: their time is the acknowledgement's."""
        while not self._ended.is_set():
            one.poll(POLL_SECONDS)

    def _send(self) -> None:
        step, sequences = 1 / self._settings.rate, [0] * self._settings.partitions
        due, number, late = time.monotonic(), 0, 0
        while not self._stopping.is_set():
            partition = number % self._settings.partitions
            self._send_one(partition, sequences[partition])
            sequences[partition] += 1
            number += 1
            due = max(due + step, time.monotonic() - MOST_BEHIND)
            self._stopping.wait(max(0.0, due - time.monotonic()))
            late, was_late = int((time.monotonic() - due) * 1e6), late
            if late > LATE_US >= was_late and not self._stopping.is_set():  # the first of an episode is the worst
                self._log.add(LATE, "sender", detail=str(late))

    def _send_one(self, partition: int, sequence: int) -> None:
        name = self._names[partition % len(self._names)]
        value = encode(self._settings.run_id, partition, sequence, self._settings.record_bytes)
        answered = self._answer(name, partition, sequence)

        def send() -> bool:
            try:
                self._producers[name].produce(self._settings.topic, value, partition=partition, on_delivery=answered)
            except BufferError:
                self._log.add(FAILED, name, partition, sequence, detail="_QUEUE_FULL")
                return False
            except KafkaException as error:  # after a fatal error one may take nothing more; the others go on
                self._log.add(FAILED, name, partition, sequence, detail=error.args[0].name())
                return False
            return True

        self._log.add(SEND, name, partition, sequence)
        if not self._window.add(partition, send):
            self._log.add(FAILED, name, partition, sequence, detail="_QUEUE_FULL")

    def _answer(self, name: str, partition: int, sequence: int) -> Callable[[KafkaError | None, Message], None]:
        def answered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                offset = message.offset()
                self._log.add(ACK, name, partition, sequence, offset)
                self.acked[partition] = max(offset if offset is not None else -1, self.acked.get(partition, -1))
            else:
                self._log.add(FAILED, name, partition, sequence, detail=error.name())
            self._window.answered(partition)

        return answered
