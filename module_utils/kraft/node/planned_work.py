"""A marker that work on this node is planned, for alerts: a metric for node_exporter, whose value is its end.

Whoever stops or restarts the node leaves it, and whoever finds the node healthy ends it by a 0. It does not come
and go: while the host reboots nobody publishes, and its last value must count. After a killed run it counts for
nothing once its end has come. Without the collector nobody reads it, and there is none.
"""

from __future__ import annotations

import os
import tempfile
import time

from ansible.module_utils.kraft.node.collector import DIRECTORY

NAME = "kafka_planned_work_deadline_seconds"
FILE = "planned_work.prom"
#: Seconds from the stop of a node in which it should be healthy again, with a reboot of its host in between.
#: Record `kafka:planned_work` looks back so long.
LASTS = 1800


def begin(directory: str = DIRECTORY, now: float | None = None) -> None:
    """Leave the marker, or move its end."""
    _write(directory, int((time.time() if now is None else now) + LASTS))


def end(directory: str = DIRECTORY) -> None:
    """Work is over, or none was planned."""
    _write(directory, 0)


def _write(directory: str, deadline: int) -> None:
    """By rename, since it is read at any time; nothing where no collector is.

    The directory is of a user without rights: a name that nobody can foresee keeps root from following a link of his.
    """
    if not os.path.isdir(directory):
        return
    handle, path = tempfile.mkstemp(dir=directory)
    with open(handle, "w", encoding="utf-8") as file:
        file.write(f"# HELP {NAME} Until when work on this node is planned; 0: none.\n")
        file.write(f"# TYPE {NAME} gauge\n{NAME} {deadline}\n")
        os.fchmod(file.fileno(), 0o644)
    os.replace(path, os.path.join(directory, FILE))
