"""The native client reads many partitions at once, on librdkafka's own stand-in for brokers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from spark_jobs.errors import UnreachableError
from spark_jobs.proof import native_records
from spark_jobs.proof.config import Address
from spark_jobs.proof.native_records import Content, NativeRecords, batches, record

Sent = tuple[bytes | None, bytes | None, list[tuple[str, bytes | None]], int]
RECORDS: list[Sent] = [
    (b"k", b"v", [("h", b"1"), ("h", None)], 1_700_000_000_000),
    (None, None, [], 1_795_769_259_198_000_000),
    (b"", b"", [("", b"")], 7),
    (b"k", b"v2", [], 8),
]


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "replaced", "linger.ms": 0, "log_level": 0})
    for topic in ("a", "b"):
        for number in (0, 1):
            for key, value, headers, timestamp in RECORDS:
                given: list[tuple[str, str | bytes | None]] = list(headers)
                producer.produce(topic, value, key, number, timestamp=timestamp, headers=given)
    assert producer.flush(60) == 0
    (broker,) = producer.list_topics(timeout=60).brokers.values()
    yield Address(f"{broker.host}:{broker.port}")
    producer.flush(0)


def test_records_of_several_partitions_are_read_up_to_their_ends(address: Address) -> None:
    spans = {("a", 0): (0, 4), ("a", 1): (1, 3), ("b", 1): (0, 4), ("b", 0): (2, 2)}
    found = NativeRecords(address, frozenset({"b"})).read(spans)
    assert {place: [one.offset for one in rows] for place, rows in found.items()} == {
        ("a", 0): [0, 1, 2, 3],
        ("a", 1): [1, 2],
        ("b", 1): [0, 1, 2, 3],
        ("b", 0): [],
    }
    assert found["a", 0] == [record(n, Content(*one), False, True) for n, one in enumerate(RECORDS)]
    assert found["b", 1] == [record(n, Content(*one), False, False) for n, one in enumerate(RECORDS)]


def test_offsets_are_read_without_records(address: Address) -> None:
    native, spans = NativeRecords(address), {("a", 0): (1, 3), ("a", 1): (0, 0)}
    assert native.offsets(spans) == {("a", 0): [1, 2], ("a", 1): []}


def test_a_log_that_ends_earlier_than_before_is_not_read_to_its_end(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less would be compared than was there. Markers of transactions count: a broker's end is behind them."""
    monkeypatch.setattr(native_records, "SILENT_SECONDS", 0.5)
    with pytest.raises(UnreachableError, match=r"no answer from .*: partition 0 of a is not read"):
        NativeRecords(address).read({("a", 0): (0, 900), ("b", 0): (0, 4)})


def test_batches_hold_no_more_offsets_than_given() -> None:
    spans = {("a", number): (0, 40) for number in range(5)} | {("a", 9): (0, 500)}
    assert [len(part) for part in batches(spans, 100)] == [2, 2, 1, 1]
