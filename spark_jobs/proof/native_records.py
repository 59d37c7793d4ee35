"""Reads small partitions with the native client, many at once: committed records, as numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from time import monotonic
from typing import Any, NamedTuple, cast

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Consumer, KafkaError, KafkaException, Message, TopicPartition

from spark_jobs.errors import UnreachableError
from spark_jobs.native import Complaints, native_options
from spark_jobs.proof.config import Address
from spark_jobs.proof.held import Held

Place = tuple[str, int]
BATCH = 10_000
SILENT_SECONDS = 30.0
POLL_SECONDS = 0.05
NULL = b"\0"  # what is there begins with another byte
#: The end of a partition; and that the login may not use the group, which is not used.
HARMLESS = (KafkaError._PARTITION_EOF, KafkaError.GROUP_AUTHORIZATION_FAILED)
OPTIONS = {
    "group.id": "kraftwright-proof",  # never used: nothing is committed
    "enable.auto.commit": False,
    "enable.partition.eof": True,
    "isolation.level": "read_committed",
    "auto.offset.reset": "earliest",
    "fetch.wait.max.ms": 20,
}


def number(content: bytes | None) -> int:
    """Return 64 bits of a hash, like Spark's numbers; null is not empty."""
    given = NULL if content is None else b"\1" + content
    return int.from_bytes(blake2b(given, digest_size=8).digest(), "big", signed=True)


class Content(NamedTuple):
    """Content of a record."""

    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]]
    timestamp: int


def record(offset: int, content: Content, stamped: bool, with_timestamp: bool) -> Held:
    """Convert a record to numbers. ``whole`` leaves the timestamp out if it is not compared."""
    key, value, headers = number(content.key), number(content.value), number(repr(list(content.headers)).encode())
    whole = number(struct.pack(">4q", key, value, headers, content.timestamp if with_timestamp else 0))
    given = None if content.value is None else value
    return Held(offset, whole, key, given, headers, content.timestamp, content.key is None, stamped)


def held(message: Message, with_timestamp: bool) -> Held:
    """Convert a record of the native client."""
    kind, timestamp = message.timestamp()
    headers = cast("list[tuple[str, bytes | None]]", message.headers() or [])
    content = Content(message.key(), message.value(), headers, timestamp)
    return record(message.offset() or 0, content, kind == TIMESTAMP_LOG_APPEND_TIME, with_timestamp)


@dataclass
class _Reading:
    """Records so far of the partitions that are read together."""

    spans: Mapping[Place, tuple[int, int]]
    append_time: frozenset[str] = frozenset()
    only_offsets: bool = False
    offsets: dict[Place, list[int]] = field(default_factory=dict)
    found: dict[Place, list[Held]] = field(default_factory=dict)
    waiting: set[Place] = field(default_factory=set)

    def take(self, message: Message) -> None:
        place = (message.topic() or "", message.partition() or 0)
        error = message.error()
        if error is not None:
            if error.code() not in HARMLESS:
                raise KafkaException(error)
            if place in self.waiting and (message.offset() or 0) >= self.spans[place][1]:
                self.waiting.discard(place)  # a new leader gives an older end until the others have caught up
            return
        start, end = self.spans[place]
        offset = message.offset() or 0
        if place in self.waiting and start <= offset < end:
            if self.only_offsets:
                self.offsets.setdefault(place, []).append(offset)
            else:
                self.found[place].append(held(message, place[0] not in self.append_time))
        if offset + 1 >= end:
            self.waiting.discard(place)


@dataclass(frozen=True)
class NativeRecords:
    """One cluster. ``append_time``: topics whose timestamps are not compared."""

    address: Address
    append_time: frozenset[str] = frozenset()

    def read(self, spans: Mapping[Place, tuple[int, int]]) -> dict[Place, list[Held]]:
        """Read topic and partition -> records from the first offset up to the second. UnreachableError if silent."""
        reading = _Reading(spans, self.append_time, found={place: [] for place in spans})
        self._read(reading, OPTIONS)
        return reading.found

    def offsets(self, spans: Mapping[Place, tuple[int, int]]) -> dict[Place, list[int]]:
        """Return by topic and partition the offsets of all records, those of aborted transactions among them."""
        reading = _Reading(spans, only_offsets=True)
        self._read(reading, {**OPTIONS, "isolation.level": "read_uncommitted"})
        return {place: reading.offsets.get(place, []) for place in spans}

    def _read(self, reading: _Reading, asked: Mapping[str, Any]) -> None:
        reading.waiting = {place for place, (start, end) in reading.spans.items() if start < end}
        if not reading.waiting:
            return
        complaints = Complaints()
        servers, options = self.address.bootstrap_servers, self.address.client_options
        consumer = Consumer(native_options(servers, options, complaints, **asked))
        try:
            consumer.assign([TopicPartition(*place, reading.spans[place][0]) for place in reading.waiting])
            self._until_all_is_read(consumer, reading, complaints)
        except KafkaException as error:
            raise UnreachableError(f"no answer from {servers}: {error.args[0].str()}; {complaints}") from None
        finally:
            consumer.close()

    def _until_all_is_read(self, consumer: Consumer, reading: _Reading, complaints: Complaints) -> None:
        heard = monotonic()
        while reading.waiting:
            before = set(reading.waiting)
            messages = consumer.consume(BATCH, POLL_SECONDS)
            for message in messages:
                reading.take(message)
            if messages:
                heard = monotonic()
            elif monotonic() - heard > SILENT_SECONDS:
                servers, (topic, number) = self.address.bootstrap_servers, min(reading.waiting)
                left = f"partition {number} of {topic} is not read to its end"
                raise UnreachableError(f"no answer from {servers} within {SILENT_SECONDS:.0f} s: {left}; {complaints}")
            if done := before - reading.waiting:
                consumer.pause([TopicPartition(*place) for place in done])


def batches(spans: Mapping[Place, tuple[int, int]], most: int) -> list[dict[Place, tuple[int, int]]]:
    """Return parts of at most ``most`` offsets together, or of one partition."""
    parts: list[dict[Place, tuple[int, int]]] = [{}]
    size = 0
    for place, (start, end) in spans.items():
        if parts[-1] and size + end - start > most:
            parts.append({})
            size = 0
        parts[-1][place] = (start, end)
        size += end - start
    return parts
