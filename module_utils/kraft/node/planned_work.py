"""Marker of planned work on this node, for alerts: a metric for node_exporter, whose value is its end.

A stop or restart of the node writes it, and the health check of a healthy node writes 0. It is never removed: while the
host reboots nothing is published, and its last value must count. After a killed run it counts until its end. Without
the collector it is not written.
"""

from __future__ import annotations

import os
import tempfile
import time

from ansible.module_utils.kraft.node.other_services.collector_service import DIRECTORY

NAME = "kafka_planned_work_deadline_seconds"
FILE = "planned_work.prom"
#: Seconds from the stop of a node in which it should be healthy again, with a reboot of its host in between. Record
#: `kafka:planned_work` looks back by the same time.
LASTS = 1800


def begin(directory: str = DIRECTORY, now: float | None = None) -> None:
    """Write the marker, or move its end."""
    _write(directory, int((time.time() if now is None else now) + LASTS))


def end(directory: str = DIRECTORY) -> None:
    """End the marker: work is over, or none was planned."""
    _write(directory, 0)


def _write(directory: str, deadline: int) -> None:
    """Write by rename, since it is read at any time; do nothing without a collector.

    The directory is of a user without rights: an unpredictable name keeps root from following a link of that user.
    """
    if not os.path.isdir(directory):
        return
    handle, path = tempfile.mkstemp(dir=directory)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(f"# HELP {NAME} End of the planned work on this node; 0: none.\n")
        file.write(f"# TYPE {NAME} gauge\n{NAME} {deadline}\n")
        os.fchmod(file.fileno(), 0o644)
    os.replace(path, os.path.join(directory, FILE))
