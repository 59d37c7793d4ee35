"""The archive of Spark's jars: in its root, whole, and in HDFS under its name only when it is whole."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from spark_jobs import yarn_archive
from spark_jobs.errors import EXIT_PROVEN, EXIT_USAGE


def test_jars_are_in_the_root_of_the_archive(tmp_path: Path) -> None:
    jar = tmp_path / "deep/spark-core.jar"
    jar.parent.mkdir()
    jar.write_bytes(b"bytes")
    yarn_archive.pack([jar], tmp_path / "spark.zip")
    with zipfile.ZipFile(tmp_path / "spark.zip") as made:
        assert {one.filename: made.read(one) for one in made.infolist()} == {"spark-core.jar": b"bytes"}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Commands of Hadoop's shell; the archive is not there yet."""
    found: list[tuple[str, ...]] = []

    def shell(*arguments: str) -> bool:
        found.append(arguments)
        return arguments[0] != "-test"

    monkeypatch.setattr(yarn_archive, "_shell", shell)
    monkeypatch.setattr(yarn_archive, "pack", lambda *_: None)
    return found


def test_the_name_is_given_when_the_archive_is_whole(
    said: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert yarn_archive.main(["hdfs:///apps/"]) == EXIT_PROVEN
    assert [one[0] for one in said] == ["-test", "-mkdir", "-put", "-mv"]
    target = said[-1][-1]
    assert said[2][-1] == said[3][1] != target
    assert capsys.readouterr().out == f"spark.yarn.archive={target}\n"


def test_a_hadoop_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(yarn_archive, "_shell", lambda *_: False)
    monkeypatch.setattr(yarn_archive, "pack", lambda *_: None)
    assert yarn_archive.main(["hdfs:///apps"]) == EXIT_USAGE
    assert "hdfs dfs -mkdir -p hdfs:///apps failed" in capsys.readouterr().err
