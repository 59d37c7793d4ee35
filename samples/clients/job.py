"""Parts that the producers here share: their arguments, the pace of their records, and the log of their outcomes."""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RECORD_BYTES = 200


@dataclass(frozen=True)
class Job:
    """One run of a producer: ``rate`` records a second, with ``acks``, until the file ``end`` exists."""

    bootstrap: str
    topic: str
    acks: str
    rate: float
    end: Path
    log: Path
    flush_seconds: float

    def due(self) -> Iterator[int]:
        """Yield the numbers of records, each when it is due. A late producer catches up."""
        begin = time.monotonic()
        for number in itertools.count():
            time.sleep(max(0.0, begin + number / self.rate - time.monotonic()))
            if self.end.exists():
                return
            yield number


class Log:
    """One line for each event: ``sent 17``, ``acked 17``, or ``failed 17 reason``. Threads may share it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", buffering=1, encoding="utf-8")
        self._lock = threading.Lock()

    def sent(self, number: int) -> None:
        self._write(f"sent {number}")

    def acked(self, number: int) -> None:
        self._write(f"acked {number}")

    def failed(self, number: int, reason: object) -> None:
        self._write(f"failed {number} {' '.join(str(reason).split())}")

    def _write(self, line: str) -> None:
        with self._lock:
            self._file.write(line + "\n")


def record(number: int) -> bytes:
    """Return the value of a record: its number, filled up to ``RECORD_BYTES``."""
    return str(number).encode().ljust(RECORD_BYTES, b".")


def number_of(value: bytes) -> int:
    """Return the number in a record's value."""
    return int(value.rstrip(b"."))


def from_command_line(arguments: list[str] | None = None) -> Job:
    """Read the job from the command line."""
    parser = argparse.ArgumentParser(description="Send numbered records, and log the outcome of each.")
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--acks", choices=["all", "1", "0"], default="all")
    parser.add_argument("--rate", type=float, default=200.0, help="records a second")
    parser.add_argument("--end", type=Path, required=True, help="send until this file exists")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--flush-seconds", type=float, default=60.0)
    return Job(**vars(parser.parse_args(sys.argv[1:] if arguments is None else arguments)))
