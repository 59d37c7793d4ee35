"""The collector: looks at its broker at intervals, and leaves a file for the textfile collector of node_exporter.

``settings``: a file with ``client`` (as of the modules, the broker's own address first), ``directory`` of the text,
``interval`` in seconds, and ``metrics`` (name -> type and help): what is not named there is not published.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.monitoring.collection import Collection
from ansible.module_utils.kraft.monitoring.exposition import Sample, text

NAME = "kafka.prom"


class Collector:
    """Keeps its connections from one look to the next; a failure ends them, so that a new certificate is read."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._collection = Collection()
        self._client: Client | None = None
        self._said = ""

    def once(self) -> None:
        """One look, and its file. Without an answer the file says only that somebody looked."""
        began = time.monotonic()
        try:
            self._client = self._client or Client(self._settings["client"])
            samples, failed = self._collection.look(self._client, self._client.addresses[0])
        except (KraftError, OSError) as error:
            samples, failed = [], [str(error)]
        if failed:
            self._forget()
        self._say("; ".join(failed[:3]) or "every question is answered")
        own = {"unanswered": len(failed), "duration_seconds": round(time.monotonic() - began, 4)}
        own["timestamp_seconds"] = round(time.time(), 3)
        samples += [Sample(f"kafka_collector_{name}", value) for name, value in own.items()]
        write(os.path.join(self._settings["directory"], NAME), text(samples, self._settings["metrics"]))

    def _forget(self) -> None:
        if self._client:
            with contextlib.suppress(OSError):
                self._client.close()
        self._client = None

    def _say(self, state: str) -> None:
        """Once, until it changes: the journal is for people."""
        if state != self._said:
            sys.stderr.write(f"{state}\n")
            sys.stderr.flush()
        self._said = state


def write(path: str, content: str) -> None:
    """Whole or not at all: a reader finds the old text or the new one."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(content)
    os.chmod(partial, 0o644)
    os.replace(partial, path)


def main(path: str) -> None:
    """Looks at the same moments whatever a look costs, for ever."""
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    collector = Collector(settings)
    while True:
        began = time.monotonic()
        collector.once()
        time.sleep(max(0.0, settings["interval"] - (time.monotonic() - began)))
