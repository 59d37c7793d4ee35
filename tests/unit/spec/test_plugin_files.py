"""Plugins on the control machine: digest and classes, read once, and a reason if that is impossible."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.spec.inventory import plugin_files


class Loader:
    def __init__(self, base: Path) -> None:
        self.base = base

    def path_dwim(self, path: str) -> str:
        return str(self.base / path)


def jar(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return made.getvalue()


def release(path: Path) -> Path:
    """An archive of Kafka as Apache lays it out."""
    with tarfile.open(path, "w:gz") as archive:
        for name, data in (
            ("kafka/libs/kafka-clients-4.4.0.jar", jar("org/apache/kafka/common/A.class", "module-info.class")),
            ("kafka/libs/baked.jar", jar("org/baked/In.class", "META-INF/MANIFEST.MF")),
            ("kafka/bin/kafka-topics.sh", b"#!/bin/sh"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_a_plugin_has_its_digest_and_the_classes_of_all_its_jars(tmp_path: Path) -> None:
    path = tmp_path / "auth.jar"
    path.write_bytes(jar("org/example/Auth.class", "org/example/Auth$Inner.class", "README"))
    given = {"kafka_plugins": [{"name": "auth", "source": "auth.jar", "sha256": ""}]}
    (found,) = plugin_files.find(given, Loader(tmp_path)).values()
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.classes == {"org.example.Auth", "org.example.Auth$Inner"}
    assert not found.fault


@pytest.mark.parametrize("source", ["nowhere.jar", "https://example.org/a.jar", "page.jar", "cut.tgz", "."])
def test_a_file_that_cannot_be_used_has_a_fault(tmp_path: Path, source: str) -> None:
    (tmp_path / "page.jar").write_text("<html>")
    whole = release(tmp_path / "whole.tgz").read_bytes()
    (tmp_path / "cut.tgz").write_bytes(whole[: len(whole) // 2])
    given = {"kafka_plugins": [{"source": source}]}
    assert plugin_files.find(given, Loader(tmp_path))[source].fault


@pytest.mark.parametrize("given", [None, "a.jar", {"source": "a.jar"}, [{"source": 1}, "a.jar", {}]])
def test_a_variable_of_another_form_is_passed_over(tmp_path: Path, given: Any) -> None:
    assert plugin_files.find({"kafka_plugins": given}, Loader(tmp_path)) == {}


def test_the_archive_has_the_classes_of_every_jar_in_it(tmp_path: Path) -> None:
    found = plugin_files.archive_classes(release(tmp_path / "kafka.tgz"))
    assert found is not None
    assert {"org.apache.kafka.common.A", "org.baked.In"} <= found


def test_an_archive_that_is_not_here_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "page.tgz").write_text("<html>")
    paths = [None, tmp_path / "nowhere.tgz", tmp_path / "page.tgz"]
    assert [plugin_files.archive_classes(path) for path in paths] == [None, None, None]
