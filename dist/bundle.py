"""The checkout with all its downloads, in one archive: for machines without access to a registry."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import tomllib

from dist import checkout, kafka, locks, whole

#: Source of Python packages for scripts/bootstrap before a registry; the file `python` there names the Python version.
WHEELS = ".cache/wheels"
#: Result of `make archive` in .cache. If it is there and as locked, nothing is fetched.
PACKED = ("client/*", "metrics/*.jar", "spark/jars/*.jar")
#: The same for each release of Kafka.
PACKED_RELEASE = (
    "kafka/kafka_{scala}-{version}.tgz",
    "kafka/kafka_{scala}-{version}.tgz.sha256",
    "kafka/.kafka_{scala}-{version}.recipe",
)
PINNED = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)
#: Names of wheels and source archives by PEP 427 and PEP 625.
PACKAGE = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*?)(?:-.+\.whl|\.tar\.gz|\.zip)$")


def build(root: Path, cache: Path, versions: Sequence[str], java: Path | None) -> Path:
    """Write the bundle below `cache`; return its path. `versions`: of Kafka; `java`: an archive of Java to include."""
    if java and not java.is_file():
        raise locks.LockError(f"there is no archive of Java {java}; JAVA is the path of one, such as a JDK's .tar.gz")
    checkout.tracked(root)  # before minutes of fetching
    found = members(root, cache, packages(root, cache / "bundle/wheels"), versions, java)
    name = f"kraftwright-{tomllib.loads((root / 'pyproject.toml').read_text())['project']['version']}"
    target = cache / "bundle" / f"{name}.tar"
    with whole.whole(target) as partial, tarfile.open(partial, "w") as archive:
        for path, source in sorted(found.items()):
            archive.add(source, f"{name}/{path}", recursive=False, filter=_nobodys)
    return target


def members(
    root: Path, cache: Path, wheels: Path, versions: Sequence[str], java: Path | None = None
) -> dict[str, Path]:
    """Return path in the bundle -> file. Raises LockError for locked packages and files that the bundle would lack."""
    there = {pin_of(path.name) for path in wheels.iterdir()}
    if missing := [f"{name}=={version}" for name, version in sorted(pins(root) - there)]:
        raise locks.LockError(f"locked, but not in {wheels}: {', '.join(missing)}")
    packed = {f"{WHEELS}/{path.name}": path for path in wheels.iterdir()}
    releases = [each.format(scala=kafka.SCALA, version=one) for one in versions for each in PACKED_RELEASE]
    for named in (*releases, *PACKED):
        matched = sorted(cache.glob(named))
        if not matched:
            raise locks.LockError(f"there is no {cache / named}; run `make archive`")
        packed |= {f".cache/{path.relative_to(cache)}": path for path in matched}
    if java:
        packed[f".cache/java/{java.name}"] = java
    return {**{path: root / path for path in checkout.tracked(root)}, **packed}


def packages(root: Path, directory: Path) -> Path:
    """Return the directory with exactly the locked Python packages, for the Python and the machine that run this."""
    directory.mkdir(parents=True, exist_ok=True)
    named = [part for lock in python_locks(root) for part in ("--requirement", str(lock))]
    options = ["--quiet", "--no-deps", "--require-hashes", "--dest", str(directory)]
    sys.stderr.write(f"dist: fetching Python packages by pip into {directory}\n")
    command = [sys.executable, "-m", "pip", "download", *options, *named]
    if subprocess.run(command, check=False).returncode:  # noqa: S603 - a list, no shell
        raise locks.LockError("pip could not bring the packages of requirements/*.lock; it says why above")
    for path in directory.iterdir():
        if pin_of(path.name) not in pins(root):
            path.unlink()  # of an older lock
    made_for = " ".join((*platform.python_version_tuple()[:2], platform.machine()))
    whole.write(directory / "python", f"{made_for}\n")
    return directory


def python_locks(root: Path) -> list[Path]:
    """Return the locks that scripts/bootstrap installs from."""
    return sorted((root / "requirements").glob("*.lock"))


def pins(root: Path) -> set[tuple[str, str]]:
    """Return name and version of each locked package."""
    found = (pin for lock in python_locks(root) for pin in PINNED.findall(lock.read_text()))
    return {(_normal(name), version) for name, version in found}


def pin_of(file: str) -> tuple[str, str]:
    """Parse name and version from the file name of a wheel or a source archive; empty for another file."""
    named = PACKAGE.match(file)
    return (_normal(named["name"]), named["version"]) if named else ("", "")


def _normal(name: str) -> str:
    """Normalise a package's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the owner's account from an entry."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
