"""The archive on the control machine: the expected checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.spec.inventory_rules.archive import CHECKSUMS

PART = 1024 * 1024


def local_path(archive: Any, resolve: Callable[[str], str]) -> Path | None:
    """Return the archive as a file of this machine; None for a URL and for a value that is no path."""
    is_path = isinstance(archive, str) and archive and "://" not in archive and "\0" not in archive
    return Path(resolve(archive)) if is_path else None


def digest(archive: Path, checksum: Any) -> str:
    """Return the digest of a file by the algorithm of `checksum`; empty without one, or without a file."""
    algorithm = str(checksum).strip().lower().partition(":")[0]
    if algorithm not in CHECKSUMS:
        return ""
    found = hashlib.new(algorithm)
    try:
        with archive.open("rb") as file:
            while part := file.read(PART):
                found.update(part)
    except OSError:
        return ""
    return found.hexdigest()
