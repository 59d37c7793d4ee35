"""The probe's process: sends, receives and watches until it has to stop, then leaves a whole log behind."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

from spark_jobs.probe.consuming import Receiving
from spark_jobs.probe.events import Clock, EventLog
from spark_jobs.probe.producing import Sending
from spark_jobs.probe.settings import ProbeSettings
from spark_jobs.probe.watching import Watching

EVENTS = "events"
READY = "ready"
END = "end.json"
STEP = 0.05


def run(settings: ProbeSettings, directory: Path) -> None:
    """Work until SIGTERM or SIGINT, or for ``longest_seconds``.

    The file ``ready`` appears when every partition has acknowledged a record, ``end.json`` when the log is whole.
    """
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    log = EventLog(directory / EVENTS, Clock())
    sending, receiving, watching = Sending(settings, log), Receiving(settings, log), Watching(settings, log)
    for part in (watching, receiving, sending):
        part.start()
    _work(settings, directory, log, sending, stopping)
    left = sending.stop(settings.drain_seconds)
    drained = receiving.stop(sending.acked, settings.drain_seconds)
    watching.stop()
    log.close_part()
    machine = {"load": round(os.getloadavg()[0], 1), "cores": os.cpu_count()}
    ended = {"unanswered": left, "drained": drained, "asked": stopping.is_set(), "events": log.written, **machine}
    _leave(directory / END, json.dumps(ended))


def _work(settings: ProbeSettings, directory: Path, log: EventLog, sending: Sending, stopping: threading.Event) -> None:
    """Close parts and report when the probe is ready; the work itself is done by the threads."""
    now = time.monotonic()
    end, part_due, ready = now + settings.longest_seconds, now + settings.part_seconds, False
    while not stopping.wait(STEP) and time.monotonic() < end:
        if not ready and len(sending.acked) == settings.partitions:
            ready = True
            _leave(directory / READY, "")
        if time.monotonic() >= part_due:
            log.close_part()
            part_due = time.monotonic() + settings.part_seconds


def _leave(path: Path, text: str) -> None:
    """Leave a file that is there whole or not at all."""
    unfinished = path.with_name(f".{path.name}")
    unfinished.write_text(text)
    os.replace(unfinished, path)
