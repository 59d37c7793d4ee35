"""Credentials in a metadata log; the integration tests of resources show that Kafka writes it so."""

from __future__ import annotations

import base64
import dataclasses
import struct
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.storage.scram import Stored, credentials, from_offset

from tests.unit.node.storage.wire import batch, record, varint

FORM = 2  # SCRAM-SHA-512
SALT = b"salt-of-this-test"
OTHER = record(None, b"\x01\x02\x00some topic")
BEGIN, END, ABORT = (record(None, b"\x01" + bytes([kind]) + b"\x00\x00") for kind in (23, 24, 25))

#: The stored and the server key of "pencil" as Kafka's ScramFormatter makes them; salt and password are RFC 7677's.
KEYS = {
    1: ("WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=", "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="),
    2: (
        "6AAub3065EYRmyFpM2RNwqK+eGnrkYuEWbXn19LsEmBqzu8QaCXNc1FwpnX9NhH2hK/60dzj9DoO5DvVkOHbvg==",
        "jZHbYjC1aHh0/hKbxyBuGFjDrgjgKTT1esA7awWiKcRZ0o/0b1yWEebBeSVkkCFewf91nLDfKF24mvD5nmE6rA==",
    ),
}


def part(data: bytes) -> bytes:
    return varint(len(data) + 1) + data


def credential(name: str, stored_key: bytes = b"stored", mechanism: int = FORM, version: int = 0) -> bytes:
    keys = part(SALT) + part(stored_key) + part(b"server")
    body = part(name.encode()) + bytes([mechanism]) + keys + struct.pack(">i", 4096) + b"\x00"
    return record(None, bytes([1, 11, version]) + body)


def removal(name: str, mechanism: int = FORM) -> bytes:
    return record(None, b"\x01\x16\x00" + part(name.encode()) + bytes([mechanism]) + b"\x00")


def stored(key: bytes = b"stored") -> Stored:
    return Stored(SALT, key, b"server", 4096)


class Log:
    """A directory with the files of a metadata log; records get their offsets as they are written."""

    def __init__(self, path: Path) -> None:
        self.path, self.end = path, 0
        self.segment = path / f"{0:020}.log"
        self.roll()

    def roll(self) -> None:
        self.segment = self.path / f"{self.end:020}.log"
        self.segment.touch()
        self.segment.with_suffix(".index").touch()

    def write(self, *bodies: bytes, indexed: bool = False, attributes: int = 0) -> None:
        begins, base = self.segment.stat().st_size, int(self.segment.stem)
        with self.segment.open("ab") as file:
            file.write(batch(*bodies, first=self.end, attributes=attributes))
        self.end += len(bodies)
        if indexed:
            with self.segment.with_suffix(".index").open("ab") as file:
                file.write(struct.pack(">ii", self.end - 1 - base, begins))

    def snapshot(self, *bodies: bytes) -> None:
        (self.path / f"{self.end:020}-{1:010}.checkpoint").write_bytes(batch(*bodies))

    def credentials(self) -> dict[str, Stored]:
        return {name: one for (name, mechanism), one in credentials(self.path, self.end).items() if mechanism == FORM}


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_the_last_record_of_a_user_counts(log: Log) -> None:
    log.write(OTHER, credential("a"), credential("b"))
    log.write(OTHER)
    log.write(credential("a", b"newer"), removal("b"), removal("never"))
    assert log.credentials() == {"a": stored(b"newer")}


def test_mechanisms_of_a_user_are_apart(log: Log) -> None:
    log.write(credential("a"), credential("a", b"other", mechanism=1), removal("a", mechanism=1))
    assert log.credentials() == {"a": stored()}


def test_what_is_after_the_watermark_does_not_count(log: Log) -> None:
    log.write(credential("a"))
    known = log.end
    log.write(removal("a"))
    with log.segment.open("ab") as file:
        file.write(b"half a batch")
    assert credentials(log.path, known) == {("a", FORM): stored()}


def test_a_snapshot_is_where_reading_begins(log: Log) -> None:
    log.write(credential("a"), credential("b"))
    log.snapshot(credential("b"), credential("c"))
    log.write(removal("c"))
    assert log.credentials() == {"b": stored()}


def test_a_snapshot_may_be_newer_than_what_is_known(log: Log) -> None:
    log.write(OTHER, OTHER, OTHER)
    log.snapshot(credential("a"))
    assert credentials(log.path, 1) == {("a", FORM): stored()}


def test_segments_before_the_snapshot_are_not_read(log: Log) -> None:
    log.write(OTHER)
    first = log.segment
    log.roll()
    log.snapshot(credential("a"))
    first.write_bytes(b"damaged")
    log.write(credential("b"))
    log.roll()
    log.write(removal("a"))
    assert log.credentials() == {"b": stored()}


@pytest.mark.parametrize(
    ("records", "names"),
    [
        ((BEGIN, credential("a"), END), {"a", "before"}),
        ((BEGIN, credential("a"), removal("before"), ABORT), {"before"}),
        ((BEGIN, credential("a"), removal("before")), {"before"}),
        ((BEGIN, ABORT, credential("a")), {"a", "before"}),
    ],
)
def test_an_open_or_aborted_transaction_does_not_count(log: Log, records: tuple[bytes, ...], names: set[str]) -> None:
    log.write(credential("before"))
    for each in records:
        log.write(each)
    assert set(log.credentials()) == names


def test_records_of_raft_are_passed_over(log: Log) -> None:
    log.write(credential("a"), attributes=0x20)
    assert log.credentials() == {}


@pytest.mark.parametrize("known", [2, 3])
def test_nothing_follows_from_a_log_that_ends_before(log: Log, known: int) -> None:
    log.write(credential("a"))
    with pytest.raises(ValueError, match="ends at 1"):
        credentials(log.path, known)


def test_nothing_follows_from_a_log_with_a_gap(log: Log) -> None:
    log.write(OTHER)
    log.end += 1
    log.write(credential("a"))
    with pytest.raises(ValueError, match="nothing from 1 to 2"):
        log.credentials()


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        (credential("a", version=1), "version 1"),
        (record(None, b"\x02" + b"\x0b\x00"), "another frame"),
    ],
)
def test_nothing_follows_from_a_form_that_is_not_known(log: Log, damaged: bytes, reason: str) -> None:
    log.write(credential("before"), damaged)
    with pytest.raises(ValueError, match=reason):
        log.credentials()


@pytest.mark.parametrize(("at", "batches"), [(0, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 2), (100, 2)])
def test_reading_begins_at_a_batch_before_the_offset(log: Log, at: int, batches: int) -> None:
    for _ in range(3):
        log.write(OTHER, OTHER, indexed=True)
    size = log.segment.stat().st_size // 3
    with log.segment.with_suffix(".index").open("ab") as file:
        file.write(bytes(800))  # as Kafka has it while it writes
    assert log.segment.stat().st_size - len(from_offset(log.segment, at)) == batches * size


@pytest.mark.parametrize("mechanism", [1, 2])
def test_a_password_is_that_of_what_was_made_from_it(mechanism: int) -> None:
    salt, (stored_key, server_key) = (
        base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ=="),
        map(base64.b64decode, KEYS[mechanism]),
    )
    one = Stored(salt, stored_key, server_key, 4096)
    assert one.is_of("pencil", mechanism)
    assert not one.is_of("pencil ", mechanism)
    changes: list[dict[str, Any]] = [{name: b"another"} for name in ("stored_key", "server_key", "salt")]
    for change in (*changes, {"iterations": 4097}):
        assert not dataclasses.replace(one, **change).is_of("pencil", mechanism)
