"""Paths that are given to make reach the commands unchanged, whatever is in them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def words(verb: str, program: str, *given: str) -> list[str]:
    """Return the arguments of `program` in the recipe of `verb`, whose needs are taken as met."""
    dry = ["make", "--no-print-directory", "-n", "-o", "archive", "-o", "lab", verb, *given]
    line = subprocess.run(dry, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    printed = line.replace(program, "printf '%s\\n'")
    return subprocess.run(
        ["bash", "-ec", printed], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.parametrize("path", ["/my files/kafka_2.13-4.3.1.tgz", "/größe/kafka_2.13-4.3.1.tgz", "kafka.tgz"])
def test_an_archive_of_any_path_reaches_the_playbook(path: str) -> None:
    given = words("demo", ".venv/bin/ansible-playbook", f"KAFKA_ARCHIVE={path}", "KAFKA_ARCHIVE_CHECKSUM=sha256:0")
    assert json.loads(given[given.index("-e") + 1]) == {"kafka_archive": str(ROOT / path)}
    assert given[-1] == "kafka_archive_checksum=sha256:0"


def test_an_archive_of_java_of_any_path_reaches_the_bundle() -> None:
    given = words("bundle", ".venv/bin/python", "JAVA=/my files/jdk.tar.gz")
    assert given[-2:] == ["--java", "/my files/jdk.tar.gz"]


def test_a_bundle_for_copies_has_their_release_too() -> None:
    given = words("bundle", ".venv/bin/python", "MIRROR=1", "-o", "archive-mirror")
    assert given[-2:] == ["--also", "4.3.1"]


@pytest.mark.parametrize("brought", [True, False])
def test_caches_are_removed_but_for_what_a_bundle_has_brought(tmp_path: Path, brought: bool) -> None:
    (tmp_path / ".cache" / ("wheels" if brought else "bundle/wheels")).mkdir(parents=True)
    (tmp_path / ".kraftwright").mkdir()
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    subprocess.run(["make", "-f", str(ROOT / "Makefile"), "clean"], cwd=tmp_path, check=True)
    assert (tmp_path / ".cache").exists() is brought
    assert (tmp_path / ".kraftwright").exists()
