"""One job at a time writes to a directory of reports, and no verdict of an older one looks like its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from spark_jobs import native_smoke_command, one_run, submit
from spark_jobs.errors import EXIT_USAGE, UsageError
from spark_jobs.lessons.run import REPORTS as LESSONS
from spark_jobs.proof import command
from spark_jobs.report_check import schema_errors
from tests.unit.proof.test_proof_ends import proof
from tests.unit.spark.test_commands import written

Main = Callable[[list[str]], int]
JOB = """
import subprocess, sys, time
from pathlib import Path
from spark_jobs import one_run
directory, child = Path(sys.argv[1]), sys.argv[2]
with one_run.alone(directory):
    if child:
        env, descriptors = one_run.for_child(directory)
        made = subprocess.Popen([sys.executable, "-c", child], env=env, pass_fds=descriptors, start_new_session=True)
        one_run.note_child(directory, made.pid)
    print("ready", flush=True)
    time.sleep(60)
"""
CHILD = "import time; time.sleep(60)"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a job at work in the directory; with a child that holds its lock, too."""
    jobs: list[subprocess.Popen[str]] = []

    def start(run: str = "", child: str = "") -> subprocess.Popen[str]:
        line = [sys.executable, "-c", JOB, str(tmp_path), child]
        job = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env={**os.environ, one_run.RUN_VARIABLE: run})
        assert job.stdout
        assert job.stdout.readline() == "ready\n"
        jobs.append(job)
        return job

    yield start
    for job in jobs:
        job.kill()
        job.wait()
        assert job.stdout
        job.stdout.close()
    for pid, began in one_run._noted(tmp_path / one_run.LOCK).get("processes", ()):
        if began and began == one_run.began(pid):
            with suppress(ProcessLookupError):  # it has ended, and is not waited for
                os.killpg(pid, signal.SIGKILL)


def freed(directory: Path) -> bool:
    deadline = time.monotonic() + 60
    while one_run.is_held(directory / one_run.LOCK) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not one_run.is_held(directory / one_run.LOCK)


def test_a_second_job_is_refused_with_the_first_ones_process_and_leaves_its_report(
    tmp_path: Path, started: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    job = started()
    (tmp_path / "report.json").write_text("of the first job")
    for main, config in (
        (command.main, proof(tmp_path)),
        (native_smoke_command.main, written(tmp_path, output_dir=str(tmp_path))),
        (submit.main, written(tmp_path, output_dir=str(tmp_path))),
        (command.main, str(tmp_path / "report.json")),  # a configuration that is none
    ):
        assert main(["--config", config]) == EXIT_USAGE
        shown = capsys.readouterr().err
        assert f"another job (process {job.pid}) is at work in {tmp_path}" in shown or "report.json" in config
    assert (tmp_path / "report.json").read_text() == "of the first job"


def test_a_job_that_was_killed_blocks_none(tmp_path: Path, started: Any) -> None:
    started().kill()
    assert freed(tmp_path)
    with one_run.alone(tmp_path):
        assert one_run.is_held(tmp_path / one_run.LOCK)
    assert not one_run.is_held(tmp_path / one_run.LOCK)


def test_a_child_works_under_its_parents_lock_and_holds_it_as_long_as_it_lives(
    tmp_path: Path, started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started("dead", CHILD)
    monkeypatch.setenv(one_run.INHERITED, str(tmp_path / one_run.LOCK))
    with one_run.alone(tmp_path):
        pass
    monkeypatch.delenv(one_run.INHERITED)
    job.kill()
    job.wait()
    with pytest.raises(UsageError, match="another job"), one_run.alone(tmp_path):
        pass
    one_run.end(tmp_path, "dead")
    assert freed(tmp_path)


def test_only_the_job_of_a_dead_run_is_ended(tmp_path: Path, started: Any) -> None:
    job = started("dead")
    one_run.end(tmp_path, "another", 0.5)
    assert job.poll() is None
    one_run.end(tmp_path, "dead")
    assert job.wait(60) == -signal.SIGTERM


def test_a_directory_that_cannot_be_made_is_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert native_smoke_command.main(["--config", written(tmp_path, output_dir=f"{tmp_path}/file/x")]) == EXIT_USAGE
    assert "cannot be written: File exists. Give another one" in capsys.readouterr().err


def test_a_report_that_cannot_be_replaced_is_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.html").mkdir()
    assert command.main(["--config", proof(tmp_path)]) == EXIT_USAGE
    assert "page.html cannot be replaced: Is a directory. Remove it" in capsys.readouterr().err


MAINS: dict[str, Main] = {"proof": command.main, "native": native_smoke_command.main, "submit": submit.main}


def broken(kind: str, directory: Path) -> list[str]:
    """Arguments of a job that cannot begin; its configuration names the directory."""
    content: dict[str, Any] = {"run_id": "new", "output_dir": str(directory)}
    text = {"not JSON": json.dumps(content)[:-1] + ",}", "not UTF-8": json.dumps(content)[:-1] + ', "x": "\xe9"}'}
    path = directory / "config.json"
    path.write_bytes(text.get(kind, json.dumps(content)).encode("latin-1"))
    more = {"unknown argument": ["--unknown"], "bad argument": ["--conf", "x"]}
    return ["--config", str(path), *more.get(kind, [])]


@pytest.mark.parametrize("job", sorted(MAINS))
@pytest.mark.parametrize("kind", ["not JSON", "not UTF-8", "names missing", "unknown argument", "bad argument"])
def test_a_job_that_cannot_begin_sets_older_reports_aside(
    job: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in one_run.REPORTS:
        (tmp_path / name).write_text("proven")
    assert MAINS[job](broken(kind, tmp_path)) == EXIT_USAGE
    assert f"is now {tmp_path}/older_report.json." in capsys.readouterr().err
    assert [name for name in one_run.REPORTS if (tmp_path / name).exists()] == []
    assert (tmp_path / "older_page.html").read_text() == "proven"


def test_a_configuration_that_names_no_directory_touches_none(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("proven")
    (tmp_path / "config.json").write_text('{"run_id": "output_dir"}')
    for arguments in (
        [],
        ["--config"],
        ["--config", str(tmp_path / "absent")],
        ["--config", f"{tmp_path}/config.json"],
    ):
        assert command.main(arguments) == EXIT_USAGE
    assert (tmp_path / "report.json").exists()


def test_a_file_with_secrets_that_is_none_sets_older_reports_aside(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"\xff\xfe")
    config = Path(proof(tmp_path))
    content = json.loads(config.read_text())
    content["target"]["client_file"] = str(tmp_path / "secret")
    config.write_text(json.dumps(content))
    (tmp_path / "report.json").write_text("proven")
    assert command.main(["--config", str(config)]) == EXIT_USAGE
    assert not (tmp_path / "report.json").exists()


def test_without_java_the_report_is_of_this_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    for name in one_run.REPORTS:
        (tmp_path / name).write_text("proven")
    assert submit.main(["--config", written(tmp_path, output_dir=str(tmp_path), run_id="new")]) == EXIT_USAGE
    left = json.loads((tmp_path / "report.json").read_text())
    assert schema_errors(left) == []
    assert (left["run_id"], left["verdict"]["outcome"]) == ("new", "undecided")
    assert not (tmp_path / "page.html").exists()


def test_the_lessons_name_their_reports() -> None:
    assert LESSONS == ("lessons.json", "lessons.html")
