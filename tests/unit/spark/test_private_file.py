"""Reports are their owner's and group's alone, even if an earlier version left them open."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jobs import private_file
from spark_jobs.page.__main__ import main as render
from spark_jobs.progress import Progress


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_directory_is_closed_and_one_that_is_there_is_left_alone(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    assert mode(private_file.directory(tmp_path / "a" / "b")) == 0o750
    assert mode(private_file.directory(there)) == 0o755


def test_a_file_that_was_open_to_all_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("an older and longer one")
    path.chmod(0o644)
    private_file.write(path, "new")
    assert (mode(path), path.read_text()) == (0o640, "new")


def test_what_other_processes_make_is_closed_too(tmp_path: Path) -> None:
    with private_file.closed_to_others():
        subprocess.run([sys.executable, "-c", f"open({str(tmp_path / 'made')!r}, 'w')"], check=True)
    assert mode(tmp_path / "made") == 0o640


def test_a_page_and_the_log_of_a_run_are_closed(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("{}")
    assert render([str(tmp_path / "report.json"), str(tmp_path / "page.html")]) == 0
    Progress(tmp_path).begin()
    assert {mode(tmp_path / name) for name in ("page.html", "progress.log")} == {0o640}


def test_a_name_of_another_machine_stays_in_its_directory(tmp_path: Path) -> None:
    assert private_file.below(tmp_path, "logs/server.log") == tmp_path / "logs/server.log"
    for name in ("/etc/passwd", "../status.html", "logs/../../x"):
        with pytest.raises(ValueError, match="leads out"):
            private_file.below(tmp_path, name)
