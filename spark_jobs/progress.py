"""One line for each thing done, with the seconds since the beginning: on standard output, and in ``progress.log``."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic

from spark_jobs import private_file

FILE = "progress.log"
SESSION_UP = "is up on"  #: in the line about the master
CHECKPOINT = "checkpoint-"  #: how the folder of a stream begins that is read in the same directory


@dataclass
class Progress:
    """``report`` writes a line; ``progress.log`` in ``directory`` lets people follow a run that Ansible started."""

    directory: Path
    started: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    _began: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    def begin(self) -> None:
        """Empty ``progress.log``: its content is of one run."""
        private_file.write(self.directory / FILE, "")

    def report(self, text: str) -> None:
        line = f"{self.seconds:6.1f} s  {text}\n"
        sys.stdout.write(line)
        sys.stdout.flush()
        with (self.directory / FILE).open("a") as file:
            file.write(line)


def steps(directory: Path) -> str:
    """Return the steps so far, one a line; empty if there was none."""
    try:
        return (directory / FILE).read_text(errors="replace")
    except OSError:
        return ""


def last_line(directory: Path) -> str:
    """Return the last step, without its seconds; empty if there was none."""
    lines = steps(directory).splitlines()
    return lines[-1].partition(" s  ")[2] if lines else ""
