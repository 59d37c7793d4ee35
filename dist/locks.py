"""Locks: artifacts with version and sha256. One line each, ``group:artifact:version sha256``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, order=True)
class Artifact:
    """A jar by its Maven coordinates; ``sha256`` in lower-case hex."""

    group: str
    name: str
    version: str
    sha256: str = ""

    @property
    def jar(self) -> str:
        """Return the file name of the jar, as in Apache's archive."""
        return f"{self.name}-{self.version}.jar"

    @property
    def coordinates(self) -> str:
        """Return ``group:artifact:version``."""
        return f"{self.group}:{self.name}:{self.version}"


class LockError(Exception):
    """A lock is malformed, or an artifact is not the one that was locked."""


def path(name: str) -> Path:
    """Return the path of the lock called `name`, such as ``kafka-4.3.1``."""
    return HERE / f"{name}.lock"


def read(name: str) -> tuple[Artifact, ...]:
    """Return the artifacts of a lock. Raises LockError if there is none or a line is malformed."""
    try:
        lines = path(name).read_text().splitlines()
    except FileNotFoundError:
        known = ", ".join(sorted(p.stem for p in HERE.glob("*.lock")))
        raise LockError(f"there is no lock {name!r}; there are {known}. `python -m dist lock` makes one") from None
    return tuple(parse(line) for line in lines if line and not line.startswith("#"))


def parse(line: str) -> Artifact:
    """Parse one line of a lock."""
    try:
        coordinates, sha256 = line.split()
        group, name, version = coordinates.split(":")
    except ValueError:
        raise LockError(f"not `group:artifact:version sha256`: {line!r}") from None
    if len(sha256) != hashlib.sha256().digest_size * 2:
        raise LockError(f"not a sha256: {line!r}")
    return Artifact(group, name, version, sha256)


def text(artifacts: tuple[Artifact, ...]) -> str:
    """Return a lock's content, sorted."""
    return "".join(f"{a.coordinates} {a.sha256}\n" for a in sorted(artifacts))


def sha256(file: Path) -> str:
    """Return the digest of a file, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def wrong(artifacts: tuple[Artifact, ...], directory: Path) -> list[Artifact]:
    """Return those that are missing in `directory` or differ from the locked bytes."""
    return [a for a in artifacts if not (directory / a.jar).is_file() or sha256(directory / a.jar) != a.sha256]
