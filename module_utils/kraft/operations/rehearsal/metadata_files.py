"""Files of the metadata log that a node can start from: the newest complete snapshot, and all segments after it.

Records of topics are in other directories. ``quorum-state`` is left out: it has the vote of another process.
"""

from __future__ import annotations

import base64
import os
import struct
import zlib
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.errors import RefusedError, UnreachableError
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.storage.record_batches import BATCH_HEADER, batches
from ansible.module_utils.kraft.node.storage.scram import SEGMENT, SNAPSHOT, offset

LOG = "__cluster_metadata-0"
#: Small files that Kafka would otherwise have to derive.
BESIDE = ("leader-epoch-checkpoint", "partition.metadata")
MOST_BYTES = 128 << 20  #: of the whole copy
ATTEMPTS = 3  #: Kafka may delete old files while they are read


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """Return the files to copy, of those in the directory of the log. Raises RefusedError without a segment."""
    present = sorted(names)
    snapshot = max(filter(SNAPSHOT.fullmatch, present), default="")
    at = offset(snapshot) if snapshot else 0
    segments = [one for one in present if SEGMENT.fullmatch(one)]
    needed = [one for one, after in zip(segments, [*segments[1:], ""]) if not after or offset(after) > at]
    if not needed or offset(needed[0]) > at:
        raise RefusedError([f"{LOG} has no records from offset {at} on -> copy it from another controller"])
    return (*((snapshot,) if snapshot else ()), *needed, *(one for one in BESIDE if one in present))


def read(metadata_dir: str, most: int = MOST_BYTES) -> dict[str, bytes]:
    """Return name -> content of the files to copy. Changes nothing. Raises RefusedError above `most` bytes."""
    for _ in range(ATTEMPTS):
        try:
            return _read(metadata_dir, most)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise RefusedError([f"{metadata_dir}/{LOG}: {error.strerror}: {error.filename}"]) from error
    raise UnreachableError(f"the files of {metadata_dir}/{LOG} changed during {ATTEMPTS} attempts to read them")


def _read(metadata_dir: str, most: int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with guarded.directory(metadata_dir, LOG) as log:
        for name in chosen(os.listdir(log)):
            found[name] = guarded.content(name, log, most)
            if sum(map(len, found.values())) > most:
                raise RefusedError([f"{metadata_dir}/{LOG}: the copy has more than {most >> 20} MB"])
    return found


def packed(content: bytes) -> str:
    """Return a file as it travels to the control machine."""
    return base64.b64encode(zlib.compress(content)).decode()


def unpacked(text: str, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file that a host sent. Raises ValueError if it is none, or above `most` bytes."""
    reader = zlib.decompressobj()
    try:
        content = reader.decompress(base64.b64decode(text, validate=True), most + 1)
    except (zlib.error, TypeError) as error:
        raise ValueError(f"a file that the host sent cannot be unpacked: {error}") from error
    if len(content) > most:
        raise ValueError(f"a file that the host sent has more than the {most:,} bytes that are left")
    return content


def received(files: Mapping[str, str], most: int = MOST_BYTES) -> dict[str, bytes]:
    """Return name -> content of the files that a host sent. Raises ValueError for another name, or above `most` bytes.

    The limit is that of all files together: many small answers must not fill the memory of this machine.
    """
    found: dict[str, bytes] = {}
    left = most
    for name, text in files.items():
        if not (SEGMENT.fullmatch(name) or SNAPSHOT.fullmatch(name) or name in BESIDE):
            raise ValueError(f"{name!r}, which the host sent, is no file of {LOG}")
        found[name] = unpacked(text, left)
        left -= len(found[name])
    return found


def segments(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return name -> content of each segment of the copy, the last one up to its last whole batch."""
    found = {name: files[name] for name in sorted(filter(SEGMENT.fullmatch, files))}
    last = max(found)
    size = 0
    try:
        for batch in batches(found[last]):
            size += BATCH_HEADER.size + len(batch.body)
    except (ValueError, struct.error):  # half written: Kafka cuts it off when it starts
        pass
    return {**found, last: found[last][:size]}


def end_offset(files: Mapping[str, bytes]) -> int:
    """Return the offset after the last whole batch of the copy."""
    last = max(filter(SEGMENT.fullmatch, files))
    end = offset(last)
    try:
        for batch in batches(files[last]):
            end = batch.end
    except (ValueError, struct.error):  # half written
        return end
    return end
