"""The bytes of one record, and how a run's records are numbered and placed.

A value is ASCII with fields of fixed width, so that a person can read it with any console consumer::

    kw1 <run id, 16> <writer, 4> <sequence, 12> <event time in ms, 13> <crc32, 10> <payload> <sequence, 12>

The crc32 covers the key and the whole value but itself. The sequence is at both ends and the payload follows from
it, so that a damaged record is still identified. Keys carry a tag of the run for the same reason.

Sequences 0 … records-1 are split into one contiguous range for each writer; a key belongs to one writer, so its records
have one right order. Sequence ``s`` goes to partition ``s % partitions``, chosen by the job and not by a partitioner:
every partition gets its share, and a record found elsewhere is misplaced beyond doubt.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from dataclasses import dataclass

MAGIC = b"kw1 "
RUN_ID_PATTERN = r"[A-Za-z0-9_.-]{1,16}"


@dataclass(frozen=True)
class Field:
    """A slice of the value: 0-based start and length in bytes."""

    start: int
    length: int

    @property
    def end(self) -> int:
        return self.start + self.length


RUN_ID = Field(4, 16)
WRITER = Field(21, 4)
SEQUENCE = Field(26, 12)
EVENT_MS = Field(39, 13)
CHECKSUM = Field(53, 10)
PAYLOAD_START = 64
TAIL_LENGTH = 1 + SEQUENCE.length
MIN_PAYLOAD = 8
MIN_RECORD_BYTES = PAYLOAD_START + MIN_PAYLOAD + TAIL_LENGTH
TAG_LENGTH = 8
KEY_NUMBER_LENGTH = 6
KEY_LENGTH = TAG_LENGTH + 1 + WRITER.length + 1 + KEY_NUMBER_LENGTH
DIGEST_LENGTH = 64

MAX_WRITERS = 10**WRITER.length - 1
MAX_RECORDS = 10**SEQUENCE.length - 1
MAX_PARTITIONS = 10_000
KEYS_PER_PARTITION = 50
RECORDS_PER_KEY = 10


@dataclass(frozen=True)
class Workload:
    """One run's records: how many, how large, over how many partitions, from how many parallel writers."""

    run_id: str
    records: int
    record_bytes: int
    partitions: int
    writers: int

    @property
    def keys_per_writer(self) -> int:
        """Return a multiple of the partitions (so a key stays in one), with about ten records for each key."""
        wanted = self.records // (self.writers * self.partitions * RECORDS_PER_KEY)
        return self.partitions * max(1, min(KEYS_PER_PARTITION, wanted))

    @property
    def keys(self) -> int:
        """Return the number of distinct keys of all writers together."""
        return sum(min(self.keys_per_writer, len(self.range_of(writer))) for writer in range(self.writers))

    @property
    def padded_run_id(self) -> bytes:
        return self.run_id.encode().ljust(RUN_ID.length)

    @property
    def tag(self) -> str:
        """Return eight hex digits that stand for the run in its keys."""
        return f"{zlib.crc32(self.run_id.encode()):08x}"

    @property
    def payload_bytes(self) -> int:
        return self.record_bytes - PAYLOAD_START - TAIL_LENGTH

    def range_of(self, writer: int) -> range:
        """Return the sequences of one writer, split as Spark splits ``range``."""
        return range(writer * self.records // self.writers, (writer + 1) * self.records // self.writers)

    def writer_of(self, sequence: int) -> int:
        """Return the last writer whose range begins at or before ``sequence``: the inverse of ``range_of``."""
        return ((sequence + 1) * self.writers - 1) // self.records

    def partition_of(self, sequence: int) -> int:
        return sequence % self.partitions

    def key_of(self, sequence: int) -> bytes:
        number = sequence % self.keys_per_writer
        return f"{self.tag}-{self.writer_of(sequence):04d}-{number:06d}".encode()

    def expected_in(self, partition: int) -> int:
        """Return the number of the run's records that belong to ``partition``."""
        return len(range(partition, self.records, self.partitions))


def own_id(run_id: str) -> str:
    """Return the mark of one run's records: the beginning of its id, then letters that no other run has.

    So that a run counts its own records alone, also where another one has the same id and topic at the same time.
    """
    return f"{run_id[: RUN_ID.length - 9]}.{secrets.token_hex(4)}"


def payload(run_id: str, sequence: int, length: int) -> bytes:
    """Return the hex sha256 of run id and sequence, repeated up to ``length`` bytes."""
    digest = hashlib.sha256(f"{run_id} {sequence}".encode()).hexdigest()
    return (digest * (length // DIGEST_LENGTH + 1))[:length].encode()


def encode(workload: Workload, sequence: int, event_ms: int) -> tuple[bytes, bytes]:
    """Return key and value of one record, as ``records.generate`` makes them; for the native client and for tests."""
    key = workload.key_of(sequence)
    head = b"%s%s %04d %012d %013d " % (
        MAGIC,
        workload.padded_run_id,
        workload.writer_of(sequence),
        sequence,
        event_ms,
    )
    tail = b" %s %012d" % (payload(workload.run_id, sequence, workload.payload_bytes), sequence)
    return key, head + b"%010d" % zlib.crc32(key + head + tail) + tail
