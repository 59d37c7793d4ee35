"""The bytes of one record of the probe: its run, its partition, and its number there.

ASCII with fields of fixed width, so that a person can read it with any console consumer::

    kp1 <run id, 16> <partition, 5> <sequence, 12> <padding>

Every partition has a separate sequence, from 0 and without a gap, so its records have one right order.
"""

from __future__ import annotations

MAGIC = "kp1"
RUN_ID_LENGTH = 16
PARTITION_LENGTH = 5
SEQUENCE_LENGTH = 12
HEAD_LENGTH = len(MAGIC) + RUN_ID_LENGTH + PARTITION_LENGTH + SEQUENCE_LENGTH + 3
MAX_PARTITIONS = 10**PARTITION_LENGTH - 1
PADDING = b" probed by kraftwright"


def prefix(run_id: str) -> bytes:
    """Return the beginning of every record of a run."""
    return f"{MAGIC} {run_id:{RUN_ID_LENGTH}} ".encode()


def encode(run_id: str, partition: int, sequence: int, length: int) -> bytes:
    """Return a record's value, ``length`` bytes or as many as its head needs."""
    head = prefix(run_id) + f"{partition:0{PARTITION_LENGTH}d} {sequence:0{SEQUENCE_LENGTH}d}".encode()
    return head + padding(length)


def padding(length: int) -> bytes:
    """Return the end of every value that is ``length`` bytes long."""
    rest = max(0, length - HEAD_LENGTH)
    return (PADDING * (rest // len(PADDING) + 1))[:rest]


def decode(run_id: str, value: bytes | None) -> tuple[int, int] | None:
    """Parse partition and sequence of a value; null for other runs' values."""
    if value is None or not value.startswith(prefix(run_id)):
        return None
    partition, _, sequence = value[len(prefix(run_id)) : HEAD_LENGTH].partition(b" ")
    return (int(partition), int(sequence)) if partition.isdigit() and sequence.isdigit() else None
