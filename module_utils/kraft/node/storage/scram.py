"""SCRAM credentials in a node's metadata log: with these a password is compared without a login.

Each node has all of the log, a broker too. Sources: RFC 5802 (Hi, StoredKey, ServerKey), Kafka's ``ScramFormatter`` and
``MetadataRecordSerde``, and the schemas UserScramCredentialRecord, RemoveUserScramCredentialRecord,
BeginTransactionRecord and AbortTransactionRecord of its metadata (all flexible, version 0).
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.storage.record_batches import Batch, Reader, batches

#: Kafka's number of a mechanism -> its digest.
DIGESTS = {1: "sha256", 2: "sha512"}
SNAPSHOT = re.compile(r"\d{20}-\d{10}\.checkpoint")
SEGMENT = re.compile(r"\d{20}\.log")
OFFSET_DIGITS = 20
#: Limit of a snapshot, an index, or the part of a segment after an offset. Above it, only a login can decide.
PART_BYTES = 256 << 20
INDEX_ENTRY = struct.Struct(">ii")
FRAME_VERSION, CREDENTIAL, REMOVAL, BEGIN, END, ABORT = 1, 11, 22, 23, 24, 25
#: First bytes of a record of one of these kinds: no key, length of its value, frame, kind. A batch without it has none.
BEGINNING = re.compile(rb"\x01[\x80-\xff]{0,4}[\x00-\x7f]\x01[\x0b\x16\x17\x18\x19]")
KINDS = (CREDENTIAL, REMOVAL, BEGIN, END, ABORT)

User = tuple[str, int]  #: name, and Kafka's number of a mechanism


@dataclasses.dataclass(frozen=True)
class Stored:
    """Stored form of one user's password."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    def is_of(self, password: str, mechanism: int) -> bool:
        """Check that it was made from `password`."""
        digest = DIGESTS[mechanism]
        made = salted(password, mechanism, self.salt, self.iterations)
        client_key = hmac.digest(made, b"Client Key", digest)
        lets_in = hmac.compare_digest(hashlib.new(digest, client_key).digest(), self.stored_key)
        return lets_in and hmac.compare_digest(hmac.digest(made, b"Server Key", digest), self.server_key)


def salted(password: str, mechanism: int, salt: bytes, iterations: int) -> bytes:
    """Return RFC 5802's SaltedPassword."""
    return hashlib.pbkdf2_hmac(DIGESTS[mechanism], password.encode(), salt, iterations)


def credentials(log: Path, known: int) -> dict[User, Stored]:
    """Return all credentials before the offset `known`, from the metadata log in the directory `log` of a running node.

    Raises OSError, ValueError, IndexError or struct.error if the log ends before or has a gap: the result is unknown.
    """
    found: dict[User, Stored] = {}
    before: dict[User, Stored] | None = None  # while a transaction is open, as its records do not count yet
    for batch in committed(log, known):
        for kind, reader in metadata(batch):
            if kind == BEGIN:
                before = dict(found)
            elif kind == ABORT:
                found, before = before or {}, None
            elif kind == END:
                before = None
            else:
                take(found, kind, reader)
    return found if before is None else before


def committed(log: Path, known: int) -> Iterator[Batch]:
    """Yield the batches of the last snapshot and those after it, up to `known`."""
    names = os.listdir(log)
    snapshot = max(filter(SNAPSHOT.fullmatch, names), default="")
    at = 0
    if snapshot:
        yield from batches(guarded.read(str(log.parent), f"{log.name}/{snapshot}", PART_BYTES))
        at = offset(snapshot)
    segments = sorted(filter(SEGMENT.fullmatch, names))
    for name, following in zip(segments, [*segments[1:], ""]):
        if following and offset(following) <= at:
            continue
        for batch in batches(from_offset(log / name, at)) if at < known else ():
            if batch.end <= at:
                continue
            if batch.first != at:
                raise ValueError(f"{log}: has nothing from {at} to {batch.first}")
            yield batch
            at = batch.end
            if at >= known:  # the rest may be half written
                return
    if at < known:
        raise ValueError(f"{log}: ends at {at}, before {known}")


def offset(name: str) -> int:
    """Return the offset in the name of a log's file."""
    return int(name[:OFFSET_DIGITS])


def from_offset(segment: Path, at: int) -> bytes:
    """Return `segment` from a batch before or at the offset `at`: a segment may hold weeks.

    An entry of Kafka's index has the last offset of a batch, counted from the segment's first, and its position.
    """
    index, base, position = segment.with_suffix(".index"), offset(segment.name), 0
    with guarded.directory(str(segment.parent.parent), segment.parent.name) as log:
        entries = guarded.content(index.name, log, PART_BYTES)
        for last, begins in INDEX_ENTRY.iter_unpack(entries[: len(entries) // INDEX_ENTRY.size * INDEX_ENTRY.size]):
            if last == 0 or base + last >= at:  # Kafka fills an index that it writes to with zeros
                break
            position = begins
        return guarded.content(segment.name, log, PART_BYTES, begin=position)


def metadata(batch: Batch) -> Iterator[tuple[int, Reader]]:
    """Yield kind and content of the records of `batch` that are about credentials or transactions."""
    if batch.is_control or not BEGINNING.search(batch.body):
        return
    for _, value in batch.records():
        reader = Reader(value)
        if reader.unsigned() != FRAME_VERSION:
            raise ValueError("a record in another frame")
        kind, version = reader.unsigned(), reader.unsigned()
        if kind in KINDS:
            if version != 0:
                raise ValueError(f"a record of kind {kind} in version {version}")
            yield kind, reader


def take(found: dict[User, Stored], kind: int, reader: Reader) -> None:
    """Apply a record of a credential to `found`."""
    user = reader.string(), reader.number("b")
    if kind == CREDENTIAL:
        salt, stored_key, server_key = reader.compact(), reader.compact(), reader.compact()
        found[user] = Stored(salt, stored_key, server_key, reader.number("i"))
    else:
        found.pop(user, None)
