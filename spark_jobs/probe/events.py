"""Events of the probe, as Parquet files that are closed every few seconds.

A part is written under another name and renamed when it is whole, so a probe that is killed loses the seconds since the
last part and never leaves half a file. ``at_us`` counts microseconds since 1970 by the monotonic clock, which is set
once at the beginning: intervals stay true if the machine's clock is set.

    send     handed to the client (attempted, when it did not take it)     partition, sequence
    ack      acknowledged by all in-sync replicas                          partition, sequence, offset
    failed   given up by the client                                        partition, sequence, detail: the error
    receipt  seen by a consumer                                            partition, sequence, offset
    retry    a request that failed and was tried again by the client       partition or none, detail: the error
    epoch    a producer began again under another epoch (see producing)    detail: the client's words
    trouble  what the client reports of its connections                    detail: the error
    late     the probe itself was not given the processor in time          detail: by how many microseconds
    view     the brokers that a client sees, and the leaders               detail: JSON, whenever it changes
"""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow
from pyarrow import parquet

SEND, ACK, FAILED, RECEIPT = "send", "ack", "failed", "receipt"
RETRY, TROUBLE, LATE, VIEW = "retry", "trouble", "late", "view"
EPOCH = "epoch"
SCHEMA = pyarrow.schema(
    [
        ("kind", pyarrow.string()),
        ("at_us", pyarrow.int64()),
        ("source", pyarrow.string()),
        ("partition", pyarrow.int32()),
        ("sequence", pyarrow.int64()),
        ("offset", pyarrow.int64()),
        ("detail", pyarrow.string()),
    ]
)
SPARK_SCHEMA = "kind string, at_us long, source string, partition int, sequence long, offset long, detail string"


class Event(NamedTuple):
    """One line of the log; ``source`` is the client that saw it (``producer-0``)."""

    kind: str
    at_us: int
    source: str
    partition: int | None = None
    sequence: int | None = None
    offset: int | None = None
    detail: str | None = None


class Clock:
    """Microseconds since 1970 that never jump."""

    def __init__(self) -> None:
        self._offset = time.time_ns() - time.monotonic_ns()

    def now_us(self) -> int:
        return (time.monotonic_ns() + self._offset) // 1000


class EventLog:
    """Events of all threads; ``close_part`` writes what has come since the last one."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._clock = clock
        self._waiting: deque[Event] = deque()
        self._parts = 0
        self.written = 0  #: events in closed parts

    def add(self, kind: str, source: str, *record: int | None, detail: str | None = None) -> None:
        """Note an event of this moment; ``record``: partition, sequence and offset, as far as it has them.

        Callable from any thread; never waits for the disk.
        """
        partition, sequence, offset = (*record, None, None, None)[:3]
        self._waiting.append(Event(kind, self._clock.now_us(), source, partition, sequence, offset, detail))

    def view(self, source: str, seen: Mapping[str, object]) -> None:
        self.add(VIEW, source, detail=json.dumps(seen, sort_keys=True))

    def close_part(self) -> None:
        """Write one more file with all waiting events; none without any."""
        events = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if events:
            self._parts += 1
            write_part(self._directory / f"part-{self._parts:06d}.parquet", events)
            self.written += len(events)


def write_part(path: Path, events: list[Event]) -> None:
    """Write events as one Parquet file that is there whole or not at all."""
    columns = [pyarrow.array(values, field.type) for values, field in zip(zip(*events), SCHEMA)]
    unfinished = path.with_name(f".{path.name}.unfinished")  # Spark reads no name with a leading dot
    parquet.write_table(pyarrow.Table.from_arrays(columns, schema=SCHEMA), unfinished)
    os.replace(unfinished, path)
