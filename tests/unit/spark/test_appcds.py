from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from spark_jobs import appcds


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A connector of one jar, and no archive yet."""
    monkeypatch.setattr(appcds, "ARCHIVES", tmp_path / "appcds")
    jar = tmp_path / "spark-sql-kafka-0-10_2.13-4.2.0.jar"
    jar.write_bytes(b"classes")
    return [jar]


def made(path: Path, content: bytes = b"archive") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def test_without_an_archive_java_is_told_of_none(jars: list[Path]) -> None:
    assert appcds.options(os.environ, jars) == ""


def test_java_is_told_of_the_archive_and_goes_on_without_what_does_not_fit(jars: list[Path]) -> None:
    path = made(appcds.archive(os.environ, jars))
    words = appcds.options(os.environ, jars)
    assert f'"-XX:SharedArchiveFile={path}"' in words
    assert "-Xshare:auto -XX:+VerifySharedSpaces" in words
    done = subprocess.run(
        ["java", *words.replace('"', "").split(), "-version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("change", ["content", "another jar", "another Java"])
def test_other_jars_or_another_java_want_another_archive(jars: list[Path], tmp_path: Path, change: str) -> None:
    before, environment = appcds.archive(os.environ, jars), dict(os.environ)
    if change == "content":
        jars[0].write_bytes(b"other classes")
    elif change == "another jar":
        jars.append(tmp_path / "more.jar")
    else:
        environment["JAVA_HOME"] = str(tmp_path / "java")
    assert appcds.archive(environment, jars) != before


def test_an_archive_that_is_there_is_not_made_again_and_older_ones_go(
    jars: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def trained(_: object, __: object, path: Path) -> subprocess.CompletedProcess[str]:
        path.write_bytes(b"new")
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setattr(appcds, "_trained", trained)
    older = made(appcds.ARCHIVES / "0123.jsa")
    path = appcds.make(os.environ, jars)
    assert path.read_bytes() == b"new"
    assert list(appcds.ARCHIVES.iterdir()) == [path] != [older]
    monkeypatch.setattr(appcds, "_trained", None)
    assert appcds.make(os.environ, jars) == path


def test_a_training_that_fails_leaves_no_half_and_says_why(jars: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(_: object, __: object, path: Path) -> subprocess.CompletedProcess[str]:
        path.write_bytes(b"half")
        return subprocess.CompletedProcess([], 1, "", "line\nno memory")

    monkeypatch.setattr(appcds, "_trained", trained)
    with pytest.raises(OSError, match="no memory"):
        appcds.make(os.environ, jars)
    assert list(appcds.ARCHIVES.iterdir()) == []
