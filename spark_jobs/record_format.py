"""The bytes of one record, and how a run's records are numbered and placed.

A value is ASCII with fields of fixed width, so that a person can read it with any console consumer::

    kw1 <run id, 16> <stripe, 4> <sequence, 12> <event time in ms, 13> <crc32, 10> <payload> <sequence, 12>

The crc32 covers the key and the whole value but itself. The sequence is at both ends and the payload follows from
it, so that a damaged record is still identified. Keys carry a tag of the run for the same reason.

Sequences 0 … records-1 are split into stripes: contiguous ranges of numbers, each with its own partitions, over which
its numbers take turns. A stripe is written by one writer, one number after the other. So each partition has one right
order, and without a fault a record's offset minus its place in the partition is the same for all of them. A writer
fills a few partitions at a time, so that its batches are full, however many partitions there are. The partition is
chosen by the job and not by a partitioner: a record found elsewhere is misplaced beyond doubt.
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
STRIPE = Field(21, 4)
SEQUENCE = Field(26, 12)
EVENT_MS = Field(39, 13)
CHECKSUM = Field(53, 10)
PAYLOAD_START = 64
TAIL_LENGTH = 1 + SEQUENCE.length
MIN_PAYLOAD = 8
MIN_RECORD_BYTES = PAYLOAD_START + MIN_PAYLOAD + TAIL_LENGTH
TAG_LENGTH = 8
KEY_NUMBER_LENGTH = 6
KEY_LENGTH = TAG_LENGTH + 1 + STRIPE.length + 1 + KEY_NUMBER_LENGTH
DIGEST_LENGTH = 64

MAX_WRITERS = 10**STRIPE.length - 1
MAX_RECORDS = 10**SEQUENCE.length - 1
MAX_PARTITIONS = 10_000
KEYS_PER_PARTITION = 50
RECORDS_PER_KEY = 10
STRIPE_WIDTH = 12  #: partitions that one writer fills at a time, about


@dataclass(frozen=True)
class Workload:
    """One run's records: how many, how large, over how many partitions, from at most how many parallel writers."""

    run_id: str
    records: int
    record_bytes: int
    partitions: int
    writers: int

    @property
    def tasks(self) -> int:
        """Return the number of parallel writers: a partition has one of them, and each has a record at least."""
        return min(self.writers, self.partitions, self.records)

    @property
    def stripes(self) -> int:
        """Return a multiple of the tasks, so that each stripe is one task's."""
        wanted = -(-self.partitions // (self.tasks * STRIPE_WIDTH))
        return self.tasks * max(1, min(wanted, self.records // self.tasks))

    @property
    def filled_at_once(self) -> int:
        """Return the number of partitions to which all writers together write at a time, at most."""
        return self.tasks * max(len(self.partitions_of(stripe)) for stripe in range(self.stripes))

    @property
    def keys_per_partition(self) -> int:
        """Return the keys of a partition: about ten records for each."""
        return max(1, min(KEYS_PER_PARTITION, self.records // (self.partitions * RECORDS_PER_KEY)))

    @property
    def keys(self) -> int:
        """Return the number of distinct keys of all stripes together."""
        return sum(min(self._keys_of(stripe), len(self.range_of(stripe))) for stripe in range(self.stripes))

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

    def range_of(self, stripe: int) -> range:
        """Return the sequences of one stripe, split as Spark splits ``range``."""
        return range(stripe * self.records // self.stripes, (stripe + 1) * self.records // self.stripes)

    def partitions_of(self, stripe: int) -> range:
        """Return the partitions of one stripe: one at least."""
        return range(stripe * self.partitions // self.stripes, (stripe + 1) * self.partitions // self.stripes)

    def stripe_of(self, sequence: int) -> int:
        """Return the last stripe whose range begins at or before ``sequence``: the inverse of ``range_of``."""
        return ((sequence + 1) * self.stripes - 1) // self.records

    def writer_of(self, sequence: int) -> int:
        """Return the task that writes the record's stripe."""
        return ((sequence + 1) * self.tasks - 1) // self.records

    def partition_of(self, sequence: int) -> int:
        stripe = self.stripe_of(sequence)
        own = self.partitions_of(stripe)
        return own[(sequence - self.range_of(stripe).start) % len(own)]

    def key_of(self, sequence: int) -> bytes:
        stripe = self.stripe_of(sequence)
        number = (sequence - self.range_of(stripe).start) % self._keys_of(stripe)
        return f"{self.tag}-{stripe:04d}-{number:06d}".encode()

    def numbers_in(self, partition: int) -> range:
        """Return the run's numbers that belong to ``partition``, in their order."""
        stripe = ((partition + 1) * self.stripes - 1) // self.partitions
        own, numbers = self.partitions_of(stripe), self.range_of(stripe)
        return range(numbers.start + partition - own.start, numbers.stop, len(own))

    def expected_in(self, partition: int) -> int:
        """Return the number of the run's records that belong to ``partition``."""
        return len(self.numbers_in(partition))

    def _keys_of(self, stripe: int) -> int:
        """Return a multiple of the stripe's partitions, so that a key stays in one."""
        return self.keys_per_partition * len(self.partitions_of(stripe))


def own_id(run_id: str) -> str:
    """Return the mark of one run's records: the beginning of its id, then letters that no other run has.

    So that a run counts its own records alone, even if another one has the same id and topic at the same time.
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
        workload.stripe_of(sequence),
        sequence,
        event_ms,
    )
    tail = b" %s %012d" % (payload(workload.run_id, sequence, workload.payload_bytes), sequence)
    return key, head + b"%010d" % zlib.crc32(key + head + tail) + tail
