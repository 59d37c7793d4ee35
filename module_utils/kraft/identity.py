"""Cluster ids and directory ids: 16 bytes as 22 characters of base64url, given or derived, never made up by a node."""

from __future__ import annotations

import base64
import hashlib

LENGTH = 22
#: Kafka keeps the first hundred directory ids for itself (org.apache.kafka.common.DirectoryId.RESERVED).
RESERVED_DIRECTORY_IDS = 100
#: Cluster ids of documentation and examples, the last two of them our own: a copied id is shared with strangers.
WELL_KNOWN_CLUSTER_IDS = frozenset(
    {
        "MkU3OEVBNTcwNTJENDM2Qk",
        "MkU3OEVBNTcwNTJENDM2Qg",
        "4L6g3nShT-eMCtK--X86sw",
        "5L6g3nShT-eMCtK--X86sw",
        "q1Sh-9_ISia_zwGINzRvyQ",
        "ZXhhbXBsZS1jaGFuZ2UtbQ",
        "ZXhhbXBsZS1lYzItY2hhbg",
    }
)


def decode(text: str) -> bytes | None:
    """Decode the 16 bytes of `text`; None if it is not 22 characters of base64url."""
    if len(text) != LENGTH or foreign_characters(text):
        return None
    return base64.urlsafe_b64decode(text + "==")


def encode(raw: bytes) -> str:
    """Encode 16 bytes as Kafka does."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def is_reserved(raw: bytes) -> bool:
    """Check for an id with a special meaning in Kafka (unassigned, lost, migrating, the metadata topic ...)."""
    return int.from_bytes(raw, "big") < RESERVED_DIRECTORY_IDS


def id_problem(text: str) -> str:
    """Return the fault of a cluster id, as a clause; empty if there is none."""
    if len(text) != LENGTH:
        return f"The id has {len(text)} characters, not the {LENGTH} that 16 bytes make in base64url"
    foreign = foreign_characters(text)
    if foreign:
        return f"The id contains {' '.join(map(repr, foreign))}, which base64url does not have"
    return "The id is reserved by Kafka" if is_reserved(base64.urlsafe_b64decode(text + "==")) else ""


def directory_id_problem(text: str) -> str:
    """Return the fault of a directory id: Kafka reads it as 16 bytes and must write back the very same text."""
    problem = id_problem(text)
    written = encode(decode(text) or b"")
    if problem or written == text:
        return problem
    return f"Kafka writes this id as {written} (the last character stands for more than 16 bytes)"


def foreign_characters(text: str) -> list[str]:
    """Return the characters that base64url does not have, each once."""
    return sorted({each for each in text if not (each.isascii() and (each.isalnum() or each in "-_"))})


def directory_id(cluster_id: str, node_id: int) -> str:
    """Return the id of the directory with a controller's metadata log: the same for the same node in every run.

    base64url of the first 16 bytes of sha256("kraftwright directory:<cluster id>:<node id>"). While it starts with "-"
    (which tools take for an option), or is one that Kafka reserves, it is drawn again with a counter appended.
    """
    return _drawn(f"kraftwright directory:{cluster_id}:{node_id}")


def directory_id_after(known: str) -> str:
    """Return another directory id for the node that had `known` until its disk was lost; the same in every run."""
    return _drawn(f"kraftwright directory after:{known}")


def _drawn(text: str) -> str:
    counter = 0
    while True:
        raw = hashlib.sha256((f"{text}:{counter}" if counter else text).encode()).digest()[:16]
        drawn = encode(raw)
        if not drawn.startswith("-") and not is_reserved(raw):
            return drawn
        counter += 1
