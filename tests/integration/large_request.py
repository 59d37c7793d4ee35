"""Requests that make a broker allocate many times their own size, written by hand, for brokers on loopback.

One declares millions of tagged fields in its header (KIP-482), which is read before a login; the other an array of
millions of elements. Kafka 4.4.0, 4.3.2 and 4.2.2 read at most 10,000 tagged fields and 1,000,000 elements.
"""

from __future__ import annotations

import contextlib
import socket
import struct

from tests.integration.patience import until

API_VERSIONS, OFFSET_FETCH = 18, 9
SMALL = struct.pack(">hhih", API_VERSIONS, 0, 1, -1)  #: ApiVersions 0, which each broker answers


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def with_tagged_fields(count: int) -> bytes:
    """ApiVersions 3 with `count` unknown tagged fields of no length in its header: two bytes each."""
    return struct.pack(">hhih", API_VERSIONS, 3, 1, -1) + varint(count) + bytes(2 * count) + b"\x01\x01\x00"


def with_array(count: int) -> bytes:
    """OffsetFetch 8 of one group with `count` topics without a name and partitions: three bytes each."""
    header = struct.pack(">hhihb", OFFSET_FETCH, 8, 1, -1, 0)
    return header + b"\x02\x01" + varint(count + 1) + b"\x01\x01\x00" * count + bytes(3)


def send(port: int, request: bytes, seconds: float = 30) -> bytes:
    """The first bytes of the broker's answer; none if it ends the connection, or does not answer in time."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        return connection.recv(64)
    return b""


def answers(port: int, seconds: float) -> bool:
    """Check whether the broker answers a small request in time."""
    return bool(until(lambda: send(port, SMALL, 20), seconds=seconds, pause=0.2))
