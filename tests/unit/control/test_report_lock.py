"""One run at a time writes a directory of reports; a dead one is followed, and its job is ended."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ansible.module_utils.kraft.control import report_lock, run_owner
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.run_lock import lock

from plugins.action import kafka_report
from spark_jobs import one_run

OURS = run_owner.asking(os.getpid())


@pytest.fixture
def other(tmp_path: Path) -> Iterator[tuple[lock.Record, subprocess.Popen[bytes]]]:
    """Another run at work in the directory, and its main process."""
    with subprocess.Popen(["sleep", "60"]) as process:
        record = replace(run_owner.asking(process.pid), pulse="")
        assert report_lock.take(tmp_path, record, run_owner.is_alive) is None
        yield record, process
        process.kill()


def test_a_run_takes_its_directory_as_often_as_it_likes(tmp_path: Path) -> None:
    for _ in range(2):
        assert report_lock.take(tmp_path, OURS, run_owner.is_alive) is None
    assert (tmp_path / report_lock.FILE).stat().st_mode & 0o777 == 0o640


def test_a_second_run_is_refused_with_the_first_one_and_the_way_out(
    tmp_path: Path, other: tuple[lock.Record, subprocess.Popen[bytes]]
) -> None:
    record, process = other
    with pytest.raises(RefusedError) as refused:
        report_lock.take(tmp_path, OURS, run_owner.is_alive)
    assert f"{record.who}, process {process.pid}, since {record.since} -> wait for it" in str(refused.value)
    assert f"remove {tmp_path / report_lock.FILE}" in str(refused.value)
    assert json.loads((tmp_path / report_lock.FILE).read_text())["run"] == record.run


def test_a_killed_run_blocks_none(tmp_path: Path, other: tuple[lock.Record, subprocess.Popen[bytes]]) -> None:
    record, process = other
    process.kill()
    process.wait()
    assert report_lock.take(tmp_path, OURS, run_owner.is_alive) == record
    assert report_lock.take(tmp_path, OURS, run_owner.is_alive) is None


def test_a_run_of_another_machine_may_be_alive(tmp_path: Path) -> None:
    report_lock.take(tmp_path, replace(OURS, run="x", machine="another", place="another boot"), run_owner.is_alive)
    with pytest.raises(RefusedError):
        report_lock.take(tmp_path, OURS, run_owner.is_alive)


def test_a_directory_is_given_back_by_the_run_that_has_it(tmp_path: Path) -> None:
    elsewhere = replace(OURS, run="x", machine="another", place="another boot")
    report_lock.give_back(tmp_path, OURS.run)
    assert not list(tmp_path.iterdir())
    report_lock.take(tmp_path, OURS, run_owner.is_alive)
    report_lock.give_back(tmp_path, "x")
    with pytest.raises(RefusedError):
        report_lock.take(tmp_path, elsewhere, lambda _: True)
    report_lock.give_back(tmp_path, OURS.run)
    assert report_lock.take(tmp_path, elsewhere, run_owner.is_alive) is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}"])
def test_a_file_that_names_no_run_is_taken(content: str, tmp_path: Path) -> None:
    (tmp_path / report_lock.FILE).write_text(content)
    assert report_lock.take(tmp_path, OURS, run_owner.is_alive) is None


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="cannot be written: No such file"):
        report_lock.take(tmp_path / "absent", OURS, run_owner.is_alive)


def test_the_job_of_a_dead_run_is_ended(
    tmp_path: Path, other: tuple[lock.Record, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    record, process = other
    ended: list[tuple[Path, str]] = []
    monkeypatch.setattr(one_run, "end", lambda *given: ended.append(given))
    with pytest.raises(RefusedError):
        kafka_report.take(tmp_path)
    process.kill()
    process.wait()
    kafka_report.take(tmp_path)
    assert ended == [(tmp_path, record.run)]
