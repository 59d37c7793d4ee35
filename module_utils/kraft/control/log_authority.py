"""The authority of a receiver of logs, as a file of this machine, as far as it can be used. Only reads."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cryptography import x509


def fault(path: str, now: datetime.datetime) -> str:
    """Why a file cannot be given to the nodes, as a clause; empty where it can."""
    if not path.startswith("/"):
        return "is no absolute path"
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if b"PRIVATE KEY" in content:
        return "holds a private key, and every node gets a copy"
    try:
        found = x509.load_pem_x509_certificates(content)
    except ValueError:
        return "holds no certificate"
    ended = [each.not_valid_after_utc for each in found if each.not_valid_after_utc < now]
    return f"holds a certificate that ended on {ended[0]:%Y-%m-%d}" if ended else ""


def faults(given: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Path -> fault, of the files that are named by the contributions of each host, as they are given."""
    now = datetime.datetime.now(datetime.timezone.utc)
    found = {path: fault(path, now) for path in sorted({path for each in given for path in _paths(each)})}
    return {path: each for path, each in found.items() if each}


def _paths(contributions: Mapping[str, Any]) -> Iterator[str]:
    for each in contributions.values():
        logs = each.get("logs") if isinstance(each, Mapping) else None
        path = logs.get("authority") if isinstance(logs, Mapping) else None
        if isinstance(path, str) and path:
            yield path
