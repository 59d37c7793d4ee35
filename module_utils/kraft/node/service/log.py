"""Last output of a node: from the journal of its unit or, without one, from the end of its log file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.service.diagnosis import last_start
from ansible.module_utils.kraft.node.service.unit_state import Run

LINES = 400
BYTES = 256 * 1024
#: Kafka's messages (INFO, so in its file only) about each log and segment that it loads or recovers after a crash.
LOADING = re.compile(r"\[LogLoader partition=|Completed load of Log\(")


def last_lines(run: Run, unit: str, log_file: str = "") -> tuple[str, ...]:
    """Return the lines of the last start (see `diagnosis.last_start`); none without journal and file."""
    return last_start(journal(run, unit)) or last_start(tail(log_file))


def journal(run: Run, unit: str) -> Sequence[str]:
    command = ["journalctl", "--quiet", "--no-pager", f"--lines={LINES}", "--output=cat", f"--unit={unit}.service"]
    try:
        rc, out, _ = run(command)
    except OSError:
        return ()
    return out.splitlines() if rc == 0 else ()


def tail(path: str) -> Sequence[str]:
    """Return the last lines of a file, as many as fit in BYTES; none if it cannot be read."""
    try:
        return guarded.tail(path, BYTES)[0].splitlines()
    except OSError:
        return ()


def loading(path: str) -> str:
    """Return the last message about logs that the node loads or recovers; as long as it changes, the node advances."""
    return next((line for line in reversed(tail(path)) if LOADING.search(line)), "")
