"""A client's view of the brokers while an operation goes on: the brokers, and the number of partitions each leads."""

from __future__ import annotations

import threading
from collections import Counter

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from spark_jobs.probe.events import EventLog
from spark_jobs.probe.producing import connection
from spark_jobs.probe.settings import ProbeSettings

EVERY_SECONDS = 0.2
PATIENCE_SECONDS = 1.0
SOURCE = "watcher"


class Watching:
    """Queries any broker for the topic's metadata, five times a second, and notes the changes."""

    def __init__(self, settings: ProbeSettings, log: EventLog) -> None:
        self._settings, self._log = settings, log
        self._admin = AdminClient(connection(settings, log, SOURCE))
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        last: dict[str, object] = {}
        while not self._ended.wait(EVERY_SECONDS):
            seen = self._look()
            if seen and seen != last:
                self._log.view(SOURCE, seen)
                last = seen

    def _look(self) -> dict[str, object]:
        """Return ``{brokers: [id], led: {id: partitions}}``; empty if no broker answered."""
        try:
            metadata = self._admin.list_topics(self._settings.topic, timeout=PATIENCE_SECONDS)
        except KafkaException:
            return {}
        partitions = metadata.topics[self._settings.topic].partitions.values()
        led = Counter(entry.leader for entry in partitions)
        return {"brokers": sorted(metadata.brokers), "led": {str(node): count for node, count in sorted(led.items())}}
