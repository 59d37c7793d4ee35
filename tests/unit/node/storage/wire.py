"""Kafka's wire types and batches, written as another writer would."""

from __future__ import annotations

from ansible.module_utils.kraft.node.storage.record_batches import BATCH_HEADER


def varint(value: int) -> bytes:
    """An unsigned varint."""
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def zigzag(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def record(key: bytes | None, value: bytes | None) -> bytes:
    parts = [zigzag(-1) if part is None else zigzag(len(part)) + part for part in (key, value)]
    body = b"\0" + zigzag(0) + zigzag(0) + b"".join(parts) + zigzag(0)
    return zigzag(len(body)) + body


def batch(*bodies: bytes, first: int = 0, attributes: int = 0, magic: int = 2, shorter: int = 0) -> bytes:
    body, last = b"".join(bodies), max(0, len(bodies) - 1)
    length = BATCH_HEADER.size - 12 + len(body) - shorter
    return BATCH_HEADER.pack(first, length, 0, magic, 0, attributes, last, 0, 0, 0, 0, 0, len(bodies)) + body
