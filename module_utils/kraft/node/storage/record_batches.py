"""Records of Kafka's logs and snapshots, as they lie on disk.

Source: Kafka's record batch format, version 2 (https://kafka.apache.org/43/documentation.html#messageformat).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

BATCH_HEADER = struct.Struct(">qiibIhiqqqhii")  # base offset ... record count
MAGIC, RECORD_COUNT, LENGTH = 3, 12, 1
LENGTH_STARTS_AFTER = 12  # base offset and the length itself


class Reader:
    """Kafka's wire types, read from the front of `data`. Raises ValueError or struct.error at its end."""

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
        """An unsigned varint."""
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value
            shift += 7

    def signed(self) -> int:
        """A zigzag varint."""
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def string(self) -> str:
        """A compact string."""
        return self.take(self.unsigned() - 1).decode()

    def skip_tags(self) -> None:
        for _ in range(self.unsigned()):
            self.unsigned()
            self.take(self.unsigned())


def batches(data: bytes) -> Iterator[tuple[int, Reader]]:
    """(number of records, their reader) of each batch."""
    while data:
        header = BATCH_HEADER.unpack_from(data)
        if header[MAGIC] != 2:  # noqa: PLR2004 - the only version that Kafka 4 writes
            raise ValueError(f"a batch of version {header[MAGIC]}")
        end = LENGTH_STARTS_AFTER + header[LENGTH]
        if end > len(data) or end <= BATCH_HEADER.size:
            raise ValueError("a batch ends too early")
        yield header[RECORD_COUNT], Reader(data[BATCH_HEADER.size : end])
        data = data[end:]


def records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Key and value of each record; of a null one, nothing."""
    for count, batch in batches(data):
        for _ in range(count):
            record = Reader(batch.take(batch.signed()))
            record.number("b"), record.signed(), record.signed()  # attributes, timestamp and offset deltas
            key = record.take(max(0, record.signed()))
            yield key, record.take(max(0, record.signed()))
