"""Small archives in Kafka's layout, and broken ones."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from pathlib import Path

TOP = "kafka_2.13-9.9.1"
FILES = {
    "bin/kafka-topics.sh": b"#!/bin/sh\n",
    "config/server.properties": b"sample=1\n",
    "libs/kafka-clients-9.9.1.jar": b"clients" * 100,
    "libs/a-first.jar": b"first" * 100,
    "LICENSE": b"license\n",
}


def member(name: str, kind: bytes = tarfile.REGTYPE, linkname: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, linkname, size
    info.mode, info.uid, info.gid = (0o6755 if "/bin/" in name else 0o664), 4711, 4711
    return info


def make_archive(path: Path, files: dict[str, bytes] | None = None, extra: tuple[tarfile.TarInfo, ...] = ()) -> Path:
    """An archive of `files` (path below the top directory -> content), then members that have no content.

    The same files give the same bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in (FILES if files is None else files).items():
            archive.addfile(member(f"{TOP}/{name}", size=len(content)), io.BytesIO(content))
        for info in extra:
            archive.addfile(info)
    return path


def checksum(path: Path, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, path.read_bytes()).hexdigest()}"
