"""Java on a machine, from small file trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.machine import java


def never(_: Any) -> tuple[int, str, str]:
    raise AssertionError("started")


def make_java(root: Path, release: str) -> str:
    program = root / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    if release:
        (root / "release").write_text(release)
    return str(root)


def test_java_tells_its_version_without_being_started(tmp_path: Path) -> None:
    home = make_java(tmp_path / "jdk", 'IMPLEMENTOR="Debian"\nJAVA_VERSION="17.0.15"\n')
    found = java.java(home, never)
    assert found == {"home": home, "path": f"{home}/bin/java", "version": "17.0.15", "major": 17}


@pytest.mark.parametrize(("said", "major"), [("21.0.2", 21), ("1.8.0_402", 8), ("25-ea", 25)])
def test_java_without_a_release_file_is_asked(tmp_path: Path, said: str, major: int) -> None:
    home = make_java(tmp_path / "jdk", "")
    found = java.java(home, lambda _: (0, "", f'openjdk version "{said}" 2024-01-16\n'))
    assert found is not None
    assert found["major"] == major


def test_java_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert java.java(str(tmp_path / "nowhere"), never) is None


def test_installed_javas_are_found_newest_first(tmp_path: Path) -> None:
    for name, version in (("old", "1.8.0_402"), ("new", "21.0.2")):
        make_java(tmp_path / "usr/lib/jvm" / name, f'JAVA_VERSION="{version}"\n')
    (tmp_path / "usr/lib/jvm/default").symlink_to("new")
    assert [(each["home"][-3:], each["major"]) for each in java.javas(tmp_path)] == [("new", 21), ("old", 8)]
