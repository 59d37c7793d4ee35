"""The tools' common script with a java that only prints its arguments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "dist/files/kafka-run-class.sh"
JAVA = '#!/bin/sh\nfor word in "$@"; do echo "$word"; done\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for path, text in {"bin/kafka-run-class.sh": SCRIPT.read_text(), "jvm/bin/java": JAVA}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
        (tmp_path / path).chmod(0o755)
    return tmp_path


def words(home: Path, **environment: str) -> list[str]:
    """Return java's arguments of ``kafka-run-class.sh --tool a.Tool --list "two words"``."""
    command = [str(home / "bin/kafka-run-class.sh"), "--tool", "a.Tool", "--list", "two words"]
    given = {"PATH": os.environ["PATH"], "JAVA_HOME": str(home / "jvm"), **environment}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_an_unpacked_archive_uses_every_jar(home: Path) -> None:
    assert words(home)[-5:] == ["-cp", f"{home}/libs/*", "a.Tool", "--list", "two words"]


def test_a_node_uses_the_class_path_that_appcds_archive_demands(home: Path) -> None:
    (home / "classpath.options").write_text("")
    found = words(home)
    assert found[-4:] == [f"@{home}/classpath.options", "a.Tool", "--list", "two words"]
    assert "-cp" not in found
    assert found[:2] == ["-Xlog:disable", "-Xlog:all=warning:stderr"], "before what the caller may want of the log"


def test_a_class_path_of_the_callers_goes_first(home: Path) -> None:
    (home / "classpath.options").write_text("")
    assert words(home, CLASSPATH="/mine.jar")[-5:-3] == ["-cp", f"/mine.jar:{home}/libs/*"]
