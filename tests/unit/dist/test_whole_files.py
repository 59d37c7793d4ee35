"""A file is whole or not there, and one run at a time makes something in the cache."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dist import __main__ as dist
from dist import archive, whole

ROOT = Path(__file__).resolve().parents[3]
KILLED = """
import sys
from pathlib import Path
from dist.whole import alone, whole
target = Path(sys.argv[1])
with alone(target.parent), whole(target) as partial:
    partial.write_text("half")
    print("half", flush=True)
    sys.stdin.read()
"""


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} - {whole.LOCK}


def interrupted(target: Path) -> None:
    """A run that is killed while it writes `target`."""
    command = [sys.executable, "-c", KILLED, str(target)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout
        assert run.stdout.readline() == b"half\n"
        os.kill(run.pid, signal.SIGKILL)


def test_a_killed_run_leaves_no_half_file_and_the_next_takes_its_remains_away(tmp_path: Path) -> None:
    target = tmp_path / "made.tgz"
    interrupted(target)
    assert not target.exists()
    assert len(names(tmp_path)) == 1
    with whole.alone(tmp_path):
        archive.tar_gz(target, {"a": b"a"})
    assert names(tmp_path) == {"made.tgz"}


@pytest.mark.parametrize("write", [archive.tar_gz, archive.zip_file])
def test_a_failure_leaves_the_file_that_was_there_and_nothing_beside_it(
    tmp_path: Path, write: Callable[..., None]
) -> None:
    target = tmp_path / "made"
    target.write_text("whole")
    with pytest.raises(TypeError):
        write(target, {"a": b"a", "b": None})
    assert target.read_text() == "whole"
    assert names(tmp_path) == {"made"}


def test_a_second_run_waits_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dist, "CACHE", tmp_path)
    script = "import sys; from pathlib import Path; from dist import __main__ as d; d.CACHE = Path(sys.argv[1]); d.main(['client'])"
    with whole.alone(tmp_path):
        run = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE)
        assert run.stderr
        assert b"another run makes something" in run.stderr.readline()
        assert run.poll() is None
        assert names(tmp_path) == set()
    with run:
        assert run.wait(60) == 0
    assert names(tmp_path / "client") == {"kafka_python.zip"}


def test_a_checksum_waits_for_no_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dist, "CACHE", tmp_path)
    (tmp_path / "given.tgz").write_bytes(b"given")
    with (tmp_path / whole.LOCK).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        assert dist.main(["checksum", str(tmp_path / "given.tgz")]) == 0
        assert time.monotonic() - begun < 60  # the other one never ends


def test_a_cache_that_cannot_be_written_needs_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with whole.alone(tmp_path):
        pass
    assert names(tmp_path) == set()
