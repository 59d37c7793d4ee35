"""The AppCDS archive with a real Java: a damaged, missing or foreign one costs time, and never the start."""

from __future__ import annotations

import gzip
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.release import appcds_archive_io
from ansible.module_utils.kraft.node.release.manifest import (
    APPCDS_ARCHIVE,
    CLASSPATH,
    FileRecord,
    Manifest,
    classpath_options,
)

JAVA = "/usr/bin/java"


def run(*words: str) -> tuple[int, str, str]:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def starts(release: Path, *options: str) -> bool:
    return run(JAVA, *options, f"@{release / CLASSPATH}", "-version")[0] == 0


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of one jar, with an AppCDS archive that a real JVM made the way the unit does."""
    directory = tmp_path_factory.mktemp("release")
    (directory / "libs").mkdir()
    with zipfile.ZipFile(directory / "libs/one.jar", "w") as jar:
        jar.writestr("file", "content")
    manifest = Manifest("9.9.1", {}, {"libs/one.jar": FileRecord((directory / "libs/one.jar").stat().st_size, "")})
    (directory / "MANIFEST").write_text(manifest.text())
    (directory / CLASSPATH).write_text(classpath_options(str(directory), manifest.files))
    packed = directory / "list.gz"
    packed.write_bytes(gzip.compress(b"java/lang/Object\njava/lang/String\n"))
    work = appcds_archive_io.prepare(str(directory), JAVA, "key", str(packed))
    assert run("/bin/sh", "-c", f"cd {work}/made && sh ../make.sh && SERVICE_RESULT=success sh ../finish.sh")[0] == 0
    return directory


def test_what_was_made_is_taken(release: Path) -> None:
    assert (release / CLASSPATH).read_text().startswith("-XX:SharedArchiveFile=")
    assert starts(release, "-Xshare:on")


def flipped(path: Path) -> None:
    """One byte of the archived classes is another."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def another_build(path: Path) -> None:
    """The header names the JVM's version and build."""
    path.write_bytes(path.read_bytes().replace(b"OpenJDK 64-Bit", b"OpenJDK 99-Bit"))


@pytest.mark.parametrize("spoil", [flipped, halved, another_build, Path.unlink])
def test_what_is_spoiled_is_not_taken_and_stops_no_start(release: Path, spoil: Callable[[Path], None]) -> None:
    path = release / APPCDS_ARCHIVE
    whole = path.read_bytes()
    try:
        path.chmod(0o644)
        spoil(path)
        assert not starts(release, "-Xshare:on")
        assert starts(release)
    finally:
        path.unlink(missing_ok=True)
        path.write_bytes(whole)
