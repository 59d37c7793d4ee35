"""Plugin jars on a host: unpacked by root beside the releases, each content in its own directory.

A directory gets its name when it is complete, and is never changed after that: Kafka may run with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files.apply import fsync_directory, write_file

DIRECTORY = "plugins"  #: below the install directory, beside the releases
JAR = ".jar"
PARTIAL = ".partial-"
OURS = re.compile(r"(\.partial-)?.+-[0-9a-f]{12}")  #: names of `directory`, and of one that is being made
SUMS = "SHA256SUMS"  #: of the jars, in the format of sha256sum
CHUNK = 1 << 20
DIRECTORY_MODE, FILE_MODE = 0o755, 0o644


def directory(install_dir: str, name: str, sha256: str) -> str:
    """Return a plugin's directory on the host. Another content has another one, so a running JVM keeps its jars."""
    return f"{install_dir}/{DIRECTORY}/{name}-{sha256[:12]}"


def jars(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield name and content of each jar: of an archive (.tar.gz, .zip) those in it, in any folder, or the jar itself.

    Raises ValueError for another file, and for two jars of one name.
    """
    seen: set[str] = set()
    for name, file in _jars(path):
        if name in seen:
            raise ValueError(f"holds two files {name}")
        seen.add(name)
        with file:
            yield name, file
    if not seen:
        raise ValueError("The file holds no jar")


def _jars(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() and member.name.endswith(JAR) else None
                if file:
                    yield os.path.basename(member.name), file
    elif not zipfile.is_zipfile(path):
        raise ValueError("is neither a jar nor an archive (.tar.gz, .zip) with jars")
    else:
        with zipfile.ZipFile(path) as archive_or_jar:
            if is_jar(archive_or_jar.namelist()):
                yield f"plugin{JAR}", open(path, "rb")  # noqa: SIM115 - the caller closes it
                return
            for name in archive_or_jar.namelist():
                if name.endswith(JAR):
                    yield os.path.basename(name), archive_or_jar.open(name)


def is_jar(names: Iterable[str]) -> bool:
    """Check that a zip file is a jar, and no .zip with jars, by the names in it."""
    return any(name == "META-INF/MANIFEST.MF" or name.endswith(".class") for name in names)


def digest_of(file: IO[bytes]) -> str:
    """Return the digest of the rest of a file."""
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def missing(plugins: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of plugins that are not complete on this host; each has ``name`` and ``directory``."""
    return [each["name"] for each in plugins if not is_complete(each["directory"])]


def is_complete(place: str) -> bool:
    """Check that a plugin's directory holds the jars that it was made with, that they are root's, and no other file."""
    try:
        with open(f"{place}/{SUMS}", encoding="utf-8") as file:
            noted = {name: digest for digest, _, name in (line.rstrip("\n").partition("  ") for line in file)}
        found = {name: _digest(f"{place}/{name}") for name in os.listdir(place) if name != SUMS}
    except OSError:
        return False
    return found == noted and bool(noted)


def _digest(path: str) -> str:
    """Return the sha256 of a regular file with our mode; empty for anything else."""
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) != FILE_MODE or status.st_uid != os.geteuid():
        return ""
    with open(path, "rb") as file:
        return digest_of(file)


def verify(archive: str, wanted: str) -> None:
    """Compare a file's sha256. Raises RefusedError if it is another file."""
    with open(archive, "rb") as file:
        found = digest_of(file)
    if found != wanted:
        raise RefusedError([f"{archive} has the sha256 {found}, the inventory says {wanted}: nothing was installed"])


def install(archive: str, place: str) -> None:
    """Unpack the jars beside `place`, then rename. Raises RefusedError if the file holds none."""
    above, name = os.path.split(place)
    partial = f"{above}/{PARTIAL}{name}"
    shutil.rmtree(partial, ignore_errors=True)
    for path in (above, partial):
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, DIRECTORY_MODE)
        os.chmod(path, DIRECTORY_MODE)
    try:
        noted = dict(_unpack(archive, partial))
    except (ValueError, tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise RefusedError([f"{archive} {error}"]) from error
    sums = "".join(f"{digest}  {jar}\n" for jar, digest in sorted(noted.items()))
    write_file(f"{partial}/{SUMS}", sums.encode(), os.geteuid(), os.getegid(), FILE_MODE)
    shutil.rmtree(place, ignore_errors=True)  # a damaged one: a running JVM keeps its open files
    os.rename(partial, place)
    fsync_directory(above)


def _unpack(archive: str, partial: str) -> Iterator[tuple[str, str]]:
    for name, content in jars(archive):
        path, digest = f"{partial}/{name}", hashlib.sha256()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(handle, "wb") as file:
            while chunk := content.read(CHUNK):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fchmod(handle, FILE_MODE)
            os.fsync(handle)
        yield name, digest.hexdigest()


def prune(install_dir: str, units: Iterable[str]) -> None:
    """Remove plugins that no start needs: no text of `units` names their directory. Others' directories stay."""
    texts, above = list(units), f"{install_dir}/{DIRECTORY}"
    for name in sorted(os.listdir(above)) if os.path.isdir(above) else ():
        if OURS.fullmatch(name) and not any(f"{above}/{name}/" in text for text in texts):
            shutil.rmtree(f"{above}/{name}", ignore_errors=True)
