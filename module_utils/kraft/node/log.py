"""What a node wrote last: from the journal of its unit or, where there is none, from the end of its log file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ansible.module_utils.kraft.node.diagnosis import last_start
from ansible.module_utils.kraft.node.service import Run

LINES = 400
BYTES = 256 * 1024


def last_lines(run: Run, unit: str, log_file: str = "") -> tuple[str, ...]:
    """The lines of the last start (see `diagnosis.last_start`); none when there is neither journal nor file."""
    return last_start(journal(run, unit)) or last_start(tail(log_file))


def journal(run: Run, unit: str) -> Sequence[str]:
    command = ["journalctl", "--quiet", "--no-pager", f"--lines={LINES}", "--output=cat", f"--unit={unit}.service"]
    try:
        rc, out, _ = run(command)
    except OSError:
        return ()
    return out.splitlines() if rc == 0 else ()


def tail(path: str) -> Sequence[str]:
    """The last lines of a file, as many as fit in BYTES; none when it cannot be read."""
    try:
        with open(path, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - BYTES))
            return log.read().decode(errors="replace").splitlines()
    except OSError:
        return ()
