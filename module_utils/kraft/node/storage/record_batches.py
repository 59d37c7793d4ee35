"""Records of Kafka's logs and snapshots, in their format on disk.

Source: Kafka's record batch format, version 2 (https://kafka.apache.org/43/documentation.html#messageformat).
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator

BATCH_HEADER = struct.Struct(">qiibIhiqqqhii")  # base offset ... record count
FIRST, LENGTH, MAGIC, ATTRIBUTES, LAST_DELTA, RECORD_COUNT = 0, 1, 3, 5, 6, 12
LENGTH_STARTS_AFTER = 12  # base offset and the length itself
COMPRESSED, CONTROL = 0b111, 0b10_0000  # bits of the attributes


class Reader:
    """Reader of Kafka's wire types, from the front of `data`. Raises ValueError or struct.error at its end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        if count < 0 or self._at + count > len(self._data):
            raise ValueError("the data ends too early")
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, form: str) -> int:
        layout = struct.Struct(f">{form}")
        return int(layout.unpack(self.take(layout.size))[0])

    def unsigned(self) -> int:
        """Read an unsigned varint."""
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
            shift += 7

    def signed(self) -> int:
        """Read a zigzag varint."""
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def compact(self) -> bytes:
        """Read compact bytes, which are not null."""
        return self.take(self.unsigned() - 1)

    def string(self) -> str:
        """Read a compact string, which is not null."""
        return self.compact().decode()

    def skip_tags(self) -> None:
        for _ in range(self.unsigned()):
            self.unsigned()
            self.take(self.unsigned())


@dataclasses.dataclass(frozen=True)
class Batch:
    """Batch with the offsets from ``first`` to before ``end``; ``body`` holds its records, after the header."""

    first: int
    end: int
    attributes: int
    count: int
    body: bytes

    @property
    def is_control(self) -> bool:
        """Check for a control batch, of Raft or of transactions."""
        return bool(self.attributes & CONTROL)

    def records(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield key and value of each; empty for null. Raises ValueError if they are compressed, or end too early."""
        if self.attributes & COMPRESSED:
            raise ValueError("a batch is compressed")
        reader = Reader(self.body)
        for _ in range(self.count):
            record = Reader(reader.take(reader.signed()))
            record.number("b"), record.signed(), record.signed()  # attributes, timestamp and offset deltas
            key = record.take(max(0, record.signed()))
            yield key, record.take(max(0, record.signed()))


def batches(data: bytes) -> Iterator[Batch]:
    """Yield each batch in order. Raises ValueError or struct.error if one is invalid, or ends too early."""
    at = 0
    while at < len(data):
        header = BATCH_HEADER.unpack_from(data, at)
        if header[MAGIC] != 2:  # noqa: PLR2004 - the only version that Kafka 4 writes
            raise ValueError(f"a batch of version {header[MAGIC]}")
        start, end = at + BATCH_HEADER.size, at + LENGTH_STARTS_AFTER + header[LENGTH]
        if end > len(data) or end <= start:
            raise ValueError("a batch ends too early")
        first = header[FIRST]
        yield Batch(first, first + header[LAST_DELTA] + 1, header[ATTRIBUTES], header[RECORD_COUNT], data[start:end])
        at = end


def records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield key and value of each record of all batches."""
    for batch in batches(data):
        yield from batch.records()
