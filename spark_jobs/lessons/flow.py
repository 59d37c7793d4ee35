"""Records that flow through one partition during an experiment, with the moment of each acknowledgement and read."""

from __future__ import annotations

import threading
import time

from spark_jobs.lessons.lab import Lab

RATE = 50.0
FLUSH_SECONDS = 60.0


class Flow:
    """Writes ``RATE`` records a second with ``acks=all``, and reads them. Moments are of ``time.monotonic``."""

    def __init__(self, lab: Lab, topic: str) -> None:
        self.topic = topic
        self.reads: list[float] = []
        self._writer, self._consumer = lab.writer(topic, "all"), lab.reader(topic)
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=one, daemon=True) for one in (self._write, self._read)]

    @property
    def acks(self) -> list[float]:
        return sorted(self._writer.acked.values())

    @property
    def acked(self) -> set[int]:
        return set(self._writer.acked)

    def start(self, seconds: float = 30.0) -> None:
        """Start, and wait until records are read. Raises TimeoutError."""
        for thread in self._threads:
            thread.start()
        deadline = time.monotonic() + seconds
        while not self.reads:
            if time.monotonic() > deadline:
                raise TimeoutError(f"topic {self.topic}: no record came back in {seconds:.0f} s")
            time.sleep(0.05)

    def stop(self) -> None:
        """End, and wait for the outcome of what was sent."""
        self._ended.set()
        for thread in self._threads:
            thread.join()
        self._writer.producer.flush(FLUSH_SECONDS)
        self._consumer.close()

    def _write(self) -> None:
        number, begin = 0, time.monotonic()
        while not self._ended.is_set():
            self._writer.send([number])
            number += 1
            while (left := begin + number / RATE - time.monotonic()) > 0:
                self._writer.producer.poll(min(left, 0.01))

    def _read(self) -> None:
        while not self._ended.is_set():
            message = self._consumer.poll(0.1)
            if message is not None and not message.error():
                self.reads.append(time.monotonic())
