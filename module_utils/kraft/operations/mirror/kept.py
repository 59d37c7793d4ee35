"""MirrorMaker's records in its own topics of the target: its progress, and tasks that have failed.

Source of names and formats: Kafka Connect's ``KafkaOffsetBackingStore`` and ``KafkaStatusBackingStore``.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.node.other_services.mirror_log import cause
from ansible.module_utils.kraft.operations.mirror.side import SECONDS, Partition, Side, good

FETCH_BYTES = 4 * 1024 * 1024
READ_COMMITTED = 1
COPIER = "MirrorSourceConnector"
FAILED, RUNNING = "FAILED", "RUNNING"
Record = tuple[bytes, bytes]
Split = Callable[[bytes], Iterable[Any]]


def batches(data: bytes) -> Iterator[Any]:
    """Parse Kafka's batches of records. Needs kafka-python to be importable (``library.load``)."""
    held = importlib.import_module("kafka.record.memory_records").MemoryRecords(data)
    while (batch := held.next_batch()) is not None:
        yield batch


def offsets_topic(source: str) -> str:
    return f"mm2-offsets.{source}.internal"


def status_topic(source: str) -> str:
    return f"mm2-status.{source}.internal"


def copied(records: Iterable[Record]) -> dict[Partition, int]:
    """Return the source's (topic, partition) -> next offset to copy; the last record of a key counts."""
    found: dict[Partition, int | None] = {}
    for key, value in records:
        connector, where = json.loads(key)
        if connector == COPIER:
            found[where["topic"], where["partition"]] = json.loads(value)["offset"] + 1 if value else None
    return {where: offset for where, offset in found.items() if offset is not None}


def states(records: Iterable[Record]) -> dict[str, Mapping[str, Any]]:
    """Return task or connector -> its last report."""
    last = {key.decode(): json.loads(value) if value else {} for key, value in records}
    kinds = ("status-task-", "status-connector-")
    return {key.split("-", 2)[2]: one for key, one in last.items() if key.startswith(kinds)}


def failed(records: Iterable[Record]) -> dict[str, str]:
    """Return failed task or connector -> reason and host, in one line."""
    return {
        name: f"{cause(one.get('trace') or '')} (on {one.get('worker_id') or 'an unknown host'})"
        for name, one in states(records).items()
        if one.get("state") == FAILED
    }


def works(records: Iterable[Record]) -> bool:
    """Check whether a copying task was reported as running."""
    return any(name.startswith(f"{COPIER}-") and one.get("state") == RUNNING for name, one in states(records).items())


def position(source: str, where: Partition, end: int) -> Record:
    """Return the record that makes a mirror begin at `end` of a partition, letter by letter as Connect writes it."""
    key = [COPIER, {"cluster": source, "partition": where[1], "topic": where[0]}]
    return _json(key), _json({"offset": end - 1})


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


class Kept:
    """Reads a whole topic of MirrorMaker's, which is small: only the last record of each key is kept."""

    def __init__(self, side: Side, split: Split = batches) -> None:
        self._side, self._split = side, split

    def records(self, topic: str) -> list[Record]:
        """Return key and value of every committed record, in order; none if the topic does not exist."""
        if topic not in self._side.topics:
            return []
        ends, leaders = self._side.ends([topic]), self._side.partitions([topic])
        return [
            one
            for where, (start, end) in sorted(ends.items())
            for one in self._partition(where, self._side.brokers[leaders[where]], start, end)
        ]

    def _partition(self, where: Partition, address: str, start: int, end: int) -> Iterator[Record]:
        client = self._side.client
        while start < end:
            one = fetch(client, address, where, start)
            aborted = Aborted(one["aborted_transactions"] or ())
            before = start
            for batch in self._split(one["records"] or b""):
                start = max(start, batch.next_offset)
                if not aborted.has(batch) and not batch.is_control_batch:
                    yield from ((each.key, each.value or b"") for each in batch if each.offset >= before)
            if start == before:
                return  # what is left is of a transaction that is still open


def holds_records(one: Mapping[str, Any], offset: int, split: Split = batches) -> bool:
    """Check whether a fetch from `offset` on has a visible record; compressed records need not be unpacked."""
    aborted = Aborted(one["aborted_transactions"] or ())
    return any(
        not aborted.has(batch) and not batch.is_control_batch and batch.next_offset > offset
        for batch in split(one["records"] or b"")
    )


def follows(client: Client, address: str, where: Partition, offset: int, split: Split = batches) -> bool:
    """Check whether a visible record follows. Aborted records in front of it may fill more than one fetch."""
    while True:
        one = fetch(client, address, where, offset)
        if holds_records(one, offset, split):
            return True
        read = max((batch.next_offset for batch in split(one["records"] or b"")), default=offset)
        if read <= offset:
            return False
        offset = read


class Aborted:
    """Batches of a fetch that are of aborted transactions. Source: Kafka's ``CompletedFetch``."""

    def __init__(self, transactions: Iterable[Mapping[str, Any]]) -> None:
        self._coming = sorted((one["first_offset"], one["producer_id"]) for one in transactions)
        self._open: set[int] = set()

    def has(self, batch: Any) -> bool:
        """Check a batch; call it for each batch in order."""
        while self._coming and self._coming[0][0] <= batch.base_offset:
            self._open.add(self._coming.pop(0)[1])
        if batch.is_control_batch and any(one.abort for one in batch):
            self._open.discard(batch.producer_id)
        return bool(batch.is_transactional and batch.producer_id in self._open)


def fetch(client: Client, address: str, where: Partition, offset: int) -> Mapping[str, Any]:
    """Fetch the leader's records of a partition from `offset` on, decided transactions only."""
    kind, part = "FetchRequest", "FetchTopic"
    asked = client.struct(
        kind, f"{part}.FetchPartition", partition=where[1], fetch_offset=offset, partition_max_bytes=FETCH_BYTES
    )
    request = client.request(
        kind,
        replica_id=-1,
        max_wait_ms=100,
        min_bytes=1,
        max_bytes=FETCH_BYTES,
        isolation_level=READ_COMMITTED,
        topics=[client.struct(kind, part, topic=where[0], partitions=[asked])],
        max_version=12,
    )
    (answer,) = client.send_all([Question(address, request)], SECONDS, raw=True)
    (one,) = (each for topic in good(answer)["responses"] for each in topic["partitions"])
    error = client.error(f"{where[0]}-{where[1]}", one["error_code"], None)
    if error:
        raise error
    return dict(one)
