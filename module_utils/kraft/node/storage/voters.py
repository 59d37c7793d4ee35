"""Voters that a format wrote into the first snapshot of the metadata log.

Source: the schema VotersRecord.json of raft (a control record of type 6, flexible, version 0).
"""

from __future__ import annotations

import base64
import struct

from ansible.module_utils.kraft.node.storage.record_batches import Reader, records

VOTERS = 6
CONTROL_KEY = struct.Struct(">hh")


def voter(reader: Reader) -> str:
    """Read one voter as ``id@host:port:directory id``, by its first endpoint."""
    node_id = reader.number("i")
    directory_id = base64.urlsafe_b64encode(reader.take(16)).decode().rstrip("=")
    endpoints = []
    for _ in range(reader.unsigned() - 1):
        reader.string()
        endpoints.append(f"{reader.string()}:{reader.number('H')}")
        reader.skip_tags()
    reader.take(4)  # the range of kraft.version
    reader.skip_tags()
    reader.skip_tags()
    return f"{node_id}@{endpoints[0]}:{directory_id}"


def voters(snapshot: bytes) -> tuple[str, ...] | None:
    """Return the voters in a snapshot's last record of them, by id; none without such a record.

    None if it cannot be read: the voters are unknown.
    """
    found: tuple[str, ...] = ()
    try:
        for key, value in records(snapshot):
            if len(key) == CONTROL_KEY.size and CONTROL_KEY.unpack(key)[1] == VOTERS:
                reader = Reader(value)
                reader.number("h")
                found = tuple(voter(reader) for _ in range(reader.unsigned() - 1))
    except (ValueError, IndexError, struct.error):
        return None
    return tuple(sorted(found, key=lambda entry: int(entry.partition("@")[0])))
