"""A Kafka archive that the operator provides: its checksum."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

from dist import locks

ALGORITHMS = ("sha512", "sha256")
COMPUTED = """WARNING: {archive} has no .sha512 or .sha256 file beside it, so its digest was computed from itself.
WARNING: It proves nothing about where the archive comes from. Put Apache's .sha512 file beside it, or compare by hand.
"""


def checksum(archive: Path) -> str:
    """Return ``sha512:…`` or ``sha256:…`` from a file beside the archive, as Apache publishes one, else computed.

    Raises LockError if there is no archive, or if the file beside it holds no such checksum.
    """
    if not archive.is_file():
        raise locks.LockError(f"there is no archive {archive}; KAFKA_ARCHIVE is the path of Apache's kafka_2.13-….tgz")
    for algorithm in ALGORITHMS:
        beside = Path(f"{archive}.{algorithm}")
        if beside.is_file():
            return f"{algorithm}:{published(beside, archive.name, algorithm)}"
    sys.stderr.write(COMPUTED.format(archive=archive))
    return f"sha256:{locks.sha256(archive)}"


def published(file: Path, name: str, algorithm: str) -> str:
    """Parse the checksum in `file`: ``hex  name``, or Apache's ``name: AAAA BBBB …`` over several lines."""
    digits = "".join(re.findall(r"\b[0-9A-Fa-f]+\b", file.read_text().replace(name, " "))).lower()
    if len(digits) != hashlib.new(algorithm).digest_size * 2:
        raise locks.LockError(f"{file} holds no {algorithm} of {name}; fetch it again, or remove it")
    return digits
