"""A process that shows a planted secret is seen: new processes at once, old ones soon."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
import secret_watch
from secret_watch import AGAIN, MARK, STEP, YOUNG, Looks


def process(proc: Path, pid: int, line: str = "sleep 1", environment: str = "HOME=/") -> None:
    (proc / str(pid)).mkdir(exist_ok=True)
    (proc / str(pid) / "cmdline").write_text(line.replace(" ", "\0"))
    (proc / str(pid) / "environ").write_text(environment)


def test_a_new_process_is_seen_at_once_and_told_once(tmp_path: Path) -> None:
    process(tmp_path, 7)
    looks = Looks(tmp_path)
    assert looks.showing(100.0) == []
    process(tmp_path, 8, f"kafka-acls --password {MARK}1", f"PASSWORD={MARK}2")
    shown = looks.showing(100.0 + STEP)
    assert [line.split(":")[0] for line in shown] == ["8/cmdline", "8/environ"]
    assert f"--password {MARK}1" in shown[0]
    assert looks.showing(100.0 + 2 * STEP) == []


def test_a_new_process_is_seen_when_it_starts_another_program(tmp_path: Path) -> None:
    process(tmp_path, 7)
    looks = Looks(tmp_path)
    looks.showing(100.0)
    process(tmp_path, 7, f"java -Dpassword={MARK}1")
    assert looks.showing(100.0 + YOUNG / 2)


def test_an_old_process_is_seen_soon_and_costs_little_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process(tmp_path, 7)
    looks = Looks(tmp_path)
    looks.showing(100.0)
    process(tmp_path, 7, f"java -Dpassword={MARK}1")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
        assert looks.showing(100.0 + YOUNG + STEP) == []
    assert looks.showing(100.0 + AGAIN)


@pytest.mark.parametrize(("run", "seen"), [("/mine", True), ("/another", False)])
def test_a_process_of_another_run_is_left_to_that_one(tmp_path: Path, run: str, seen: bool) -> None:
    process(tmp_path, 7, f"kcat -X password={MARK}1", f"HOME=/\0KRAFTWRIGHT_SECRETS_FOUND={run}")
    assert bool(Looks(tmp_path, "/mine").showing(100.0)) is seen


def test_a_number_that_another_process_has_now_is_new_again(tmp_path: Path) -> None:
    process(tmp_path, 7)
    looks = Looks(tmp_path)
    looks.showing(100.0)
    (tmp_path / "7").rename(tmp_path / "gone")
    looks.showing(101.5)
    process(tmp_path, 7, f"kcat -X password={MARK}1")
    assert looks.showing(101.5 + STEP)


def test_real_processes_are_seen_by_one_watch_alone_until_that_one_ends(tmp_path: Path) -> None:
    found = tmp_path / "shown"
    with subprocess.Popen(["sleep", "60"]) as watched:
        watch = [sys.executable, secret_watch.__file__, "watch", str(found), str(watched.pid)]
        watches = [subprocess.Popen(watch) for _ in range(2)]
        try:
            shower = subprocess.Popen(
                ["sleep", "60"], env={"PASSWORD": f"{MARK}1", "KRAFTWRIGHT_SECRETS_FOUND": str(found)}
            )
            deadline = time.monotonic() + 50
            while not (found.exists() and found.read_text()):
                assert time.monotonic() < deadline
                time.sleep(STEP)
            shower.kill()
            shower.wait()
        finally:
            watched.kill()
            watched.wait()
        assert [each.wait(60) for each in watches] == [0, 0]
    assert [line.split(":")[0] for line in found.read_text().splitlines()] == [f"{shower.pid}/environ"]


def test_a_line_of_the_journal_is_found_in_any_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = f"MESSAGE=ansible-kafka_node: Invoked\nFILES=[{{'content': 'x={MARK}1'}}]\n"
    (tmp_path / "journalctl").write_text(f'#!/bin/sh\nprintf %s "{lines}"\n')
    (tmp_path / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert secret_watch.journal_with() == [f"FILES=[{{'content': 'x={MARK}1'}}]\n".encode()]
