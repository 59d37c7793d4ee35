"""Polls one broker over a bare socket until its cluster is whole, and notes the first such moment.

Shares nothing with the code under test: no client library, none of the project's code. Metadata request and response
are written and read by hand (version 12, https://kafka.apache.org/43/protocol.html).
"""

from __future__ import annotations

import io
import socket
import struct
import threading
import time

REQUEST = struct.pack(">hhih5sb", 3, 12, 7, 5, b"probe", 0) + bytes([0, 0, 0, 0])  # all topics, no extras, no tags
STEP = 0.02


def varint(data: io.BytesIO) -> int:
    value, shift = 0, 0
    while (byte := data.read(1)[0]) & 0x80:
        value |= (byte & 0x7F) << shift
        shift += 7
    return value | byte << shift


def number(data: io.BytesIO, form: str) -> int:
    return int(struct.unpack(f">{form}", data.read(struct.calcsize(form)))[0])


def numbers(data: io.BytesIO) -> list[int]:
    return [number(data, "i") for _ in range(varint(data) - 1)]


def skip_text(data: io.BytesIO) -> None:
    data.read(max(0, varint(data) - 1))


def read_brokers(data: io.BytesIO) -> set[int]:
    found = set()
    for _ in range(varint(data) - 1):
        found.add(number(data, "i"))
        skip_text(data)
        number(data, "i")
        skip_text(data)
        varint(data)
    return found


def read_partition(data: io.BytesIO) -> bool:
    """Check whether a partition has a leader and every replica in sync."""
    number(data, "h"), number(data, "i")
    leader, _ = number(data, "i"), number(data, "i")
    replicas, in_sync, _ = numbers(data), numbers(data), numbers(data)
    varint(data)
    return leader >= 0 and set(replicas) == set(in_sync)


def is_whole(answer: bytes, brokers: set[int]) -> bool:
    """Check whether the answer lists exactly `brokers` and every partition is in full order."""
    data = io.BytesIO(answer)
    number(data, "i"), varint(data), number(data, "i")  # correlation, tags, throttle
    seen = read_brokers(data)
    skip_text(data)
    number(data, "i")
    good = seen == brokers
    for _ in range(varint(data) - 1):
        number(data, "h")
        skip_text(data)
        data.read(16 + 1)  # id, internal or not
        whole = [read_partition(data) for _ in range(varint(data) - 1)]  # read to the end, whatever the first one is
        good = good and all(whole)
        number(data, "i"), varint(data)
    return good


def exchange(port: int) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
        connection.sendall(struct.pack(">i", len(REQUEST)) + REQUEST)
        file = connection.makefile("rb")
        return file.read(struct.unpack(">i", file.read(4))[0])


class RawProbe(threading.Thread):
    """Started as a thread; ``moment`` is on the monotonic clock, None until the broker at `port` sees all."""

    def __init__(self, port: int, brokers: set[int], seconds: float = 120.0) -> None:
        super().__init__(daemon=True)
        self.port, self.brokers, self.moment = port, brokers, 0.0
        self._deadline = time.monotonic() + seconds

    def run(self) -> None:
        while not self.moment and time.monotonic() < self._deadline:
            try:
                if is_whole(exchange(self.port), self.brokers):
                    self.moment = time.monotonic()
            except (OSError, struct.error, IndexError):
                pass
            time.sleep(STEP)
