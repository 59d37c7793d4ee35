"""Kafka's wire types at their edges, and batches of records as another writer would make them."""

from __future__ import annotations

import base64
import struct

import pytest
from ansible.module_utils.kraft.node.storage.record_batches import Reader, batches, records
from ansible.module_utils.kraft.node.storage.voters import voters

from tests.unit.node.storage.wire import batch, record, varint, zigzag

DIRECTORY = bytes(range(16))
NAMED = base64.urlsafe_b64encode(DIRECTORY).decode().rstrip("=")
VOTERS_KEY = struct.pack(">hh", 0, 6)


def voter(node_id: int, *hosts: str) -> bytes:
    def text(word: str) -> bytes:
        return varint(len(word) + 1) + word.encode()

    ends = b"".join(text("CONTROLLER") + text(host) + struct.pack(">H", 9093) + b"\0" for host in hosts)
    return struct.pack(">i", node_id) + DIRECTORY + varint(len(hosts) + 1) + ends + b"\0\0\0\1" + b"\0" + b"\0"


def voters_value(*entries: bytes) -> bytes:
    return struct.pack(">h", 0) + varint(len(entries) + 1) + b"".join(entries) + b"\0"


@pytest.mark.parametrize(
    ("data", "value"),
    [(b"\x00", 0), (b"\x7f", 127), (b"\x80\x01", 128), (b"\x80\x80\x01", 16384), (b"\xff\xff\x03", 65535)],
)
def test_an_unsigned_varint_is_read_seven_bits_at_a_time(data: bytes, value: int) -> None:
    assert Reader(data).unsigned() == value
    assert varint(value) == data


@pytest.mark.parametrize("value", [0, -1, 1, -2, 63, -64, 64, -65, 300, -300])
def test_a_signed_varint_keeps_its_sign(value: int) -> None:
    assert Reader(zigzag(value)).signed() == value


def test_nothing_is_taken_beyond_the_end_and_nothing_backwards() -> None:
    reader = Reader(b"abc")
    assert (reader.take(2), reader.take(0), reader.take(1), reader.take(0)) == (b"ab", b"", b"c", b"")
    for count in (1, -1):
        with pytest.raises(ValueError, match="the data ends too early"):
            reader.take(count)
    half = Reader(b"abc")
    half.take(2)
    with pytest.raises(ValueError, match="the data ends too early"):
        half.take(2)


def test_tags_are_passed_over() -> None:
    reader = Reader(b"\x02\x00\x01A\x05\x02BC" + b"rest")
    reader.skip_tags()
    assert reader.take(4) == b"rest"


def test_a_null_key_and_a_null_value_are_nothing() -> None:
    data = batch(record(None, b"value"), record(b"key", None), record(b"", b""))
    assert list(records(data)) == [(b"", b"value"), (b"key", b""), (b"", b"")]


def test_batches_follow_each_other() -> None:
    assert [key for key, _ in records(batch(record(b"a", b"")) + batch(record(b"b", b""), record(b"c", b"")))] == [
        b"a",
        b"b",
        b"c",
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (batch(record(b"a", b""), magic=1), "a batch of version 1"),
        (batch(record(b"a", b""))[:-1], "a batch ends too early"),
        (batch(), "a batch ends too early"),
        (batch(record(b"a", b""), shorter=40), "a batch ends too early"),
    ],
)
def test_a_batch_that_is_none_is_an_error(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        list(batches(data))


def test_a_batch_has_its_offsets_and_says_whose_records_it_holds() -> None:
    data = batch(record(b"a", b""), record(b"b", b""), first=7) + batch(record(b"c", b""), first=9, attributes=0x20)
    assert [(one.first, one.end, one.is_control) for one in batches(data)] == [(7, 9, False), (9, 10, True)]


def test_compressed_records_are_an_error() -> None:
    with pytest.raises(ValueError, match="compressed"):
        list(records(batch(record(b"a", b""), attributes=1)))


def test_voters_are_ordered_by_number_and_named_by_their_first_endpoint() -> None:
    value = voters_value(voter(10, "k10", "other"), voter(9, "k9"), voter(100, "k100"))
    expected = tuple(f"{one}@k{one}:9093:{NAMED}" for one in (9, 10, 100))
    assert voters(batch(record(VOTERS_KEY, value))) == expected


def test_the_last_record_of_voters_counts_and_others_do_not() -> None:
    old, new = voters_value(voter(1, "k1")), voters_value(voter(2, "k2"))
    snapshot = batch(
        record(VOTERS_KEY, old),
        record(VOTERS_KEY, new),
        record(struct.pack(">hh", 6, 0), b""),
        record(b"long key", b""),
    )
    assert voters(snapshot) == (f"2@k2:9093:{NAMED}",)
