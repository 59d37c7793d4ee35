"""Liveness of the run that holds a lock: real processes, pids that were used again, processes only listed."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible.module_utils.kraft.node.run_lock import lock

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def action() -> ModuleType:
    """The control side's half under a name that is not the module's."""
    spec = importlib.util.spec_from_file_location("this_run_again", ROOT / "module_utils/kraft/control/run_owner.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def held_by(action: Any, process: subprocess.Popen[bytes]) -> lock.Record:
    """The record of a run whose main process this is; of its pulse see below."""
    record: lock.Record = action.asking(process.pid)
    return dataclasses.replace(record, pulse="")


def test_a_run_lives_until_its_process_ends(action: Any) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        held, ours = held_by(action, process), action.asking(os.getpid())
        assert action.is_alive(held)
        assert not lock.is_stale(held, ours, action.is_alive(held))
        process.kill()
    assert not action.is_alive(held)
    assert lock.is_stale(held, ours, action.is_alive(held))


@pytest.mark.parametrize("shown", [None, "", "7 (sleep) S 1"])
def test_a_run_that_proc_hides_or_shows_in_part_is_not_dead(
    action: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str | None
) -> None:
    """With ``hidepid``, the runs of other users have no entry."""
    with subprocess.Popen(["sleep", "60"]) as process:
        held, ours = held_by(action, process), action.asking(os.getpid())
        (tmp_path / "self").touch()
        if shown is not None:
            (tmp_path / str(process.pid)).mkdir()
            (tmp_path / str(process.pid) / "stat").write_text(shown)
        monkeypatch.setattr(action.started, "__defaults__", (tmp_path,))
        assert not lock.is_stale(held, ours, action.is_alive(held))
        process.kill()
    assert lock.is_stale(held, ours, action.is_alive(held))


def test_a_killed_process_that_no_one_has_waited_for_is_dead(action: Any) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        held = held_by(action, process)
        os.kill(process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert Path(f"/proc/{process.pid}").exists()
        assert not action.is_alive(held)


def test_a_stopped_run_lives(action: Any) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        held = held_by(action, process)
        process.send_signal(signal.SIGSTOP)
        assert action.is_alive(held)
        process.kill()


def test_another_process_that_got_the_same_pid_is_not_the_run(action: Any) -> None:
    with subprocess.Popen(["sleep", "60"]) as earlier:
        began = action.started(earlier.pid)
        earlier.kill()
    time.sleep(0.03)  # starts differ by hundredths of a second
    with subprocess.Popen(["sleep", "60"]) as later:
        reused = lock.Record("pc-1-a", "ann@pc", action.machine(), action.place(), f"{later.pid} {began}", "")
        assert not action.is_alive(reused)
        later.kill()


def test_two_runs_of_one_process_id_have_two_names(action: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = action.asking(os.getpid()).run
    assert action.asking(os.getpid()).run == first
    monkeypatch.setattr(action, "started", lambda _: "12345")
    assert action.asking(os.getpid()).run != first


def fork_worker(action: Any, pulse: Path, process: str) -> int:
    """A process of a run that waits for ever, as workers do whose connection died with their run."""
    pulse.parent.mkdir(parents=True, exist_ok=True)
    held, holds = os.pipe()
    worker = os.fork()
    if not worker:
        action.hold_pulse(pulse, process)
        os.write(holds, b"1")  # the file is open before it names its process, and before it is locked
        time.sleep(60)
        os._exit(0)
    os.close(holds)
    assert os.read(held, 1) == b"1"
    os.close(held)
    assert action.workers(str(pulse)) == [worker]
    return worker


DEAD_PROCESS = "999999999 1"


@pytest.fixture
def pulse(action: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of the file of another run of this user."""
    monkeypatch.setattr(action, "PULSE", tmp_path / "ansible-local-1" / "kraftwright-run")
    return tmp_path / "ansible-local-2" / "kraftwright-run"


def test_a_worker_that_outlives_its_run_is_ended(action: Any, pulse: Path) -> None:
    held = lock.Record("pc-1-a", "ann@pc", "", "", DEAD_PROCESS, "", str(pulse))
    worker = fork_worker(action, pulse, DEAD_PROCESS)
    assert action.workers(held.pulse) == [worker]
    assert action.is_alive(held, timeout=0)  # check mode ends nothing
    assert not action.is_alive(held, timeout=60)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("lie", ["another place", "another name", "another process", "a link", "a living run"])
def test_a_host_that_lies_about_a_run_ends_no_process(action: Any, pulse: Path, lie: str, tmp_path: Path) -> None:
    named = f"{os.getpid()} {action.started(os.getpid())}" if lie == "a living run" else DEAD_PROCESS
    real = {"another place": tmp_path / "x/y/kraftwright-run", "another name": pulse.with_name("letter")}.get(
        lie, pulse
    )
    worker = fork_worker(action, real, "7 7" if lie == "another process" else named)
    shown = real
    if lie == "a link":
        shown = tmp_path / "ansible-local-3" / "kraftwright-run"
        shown.parent.mkdir()
        shown.symlink_to(real)
    try:
        assert not action.is_alive(lock.Record("pc-1-a", "ann@pc", "", "", DEAD_PROCESS, "", str(shown)), timeout=0.3)
        assert os.waitpid(worker, os.WNOHANG) == (0, 0)
    finally:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


def test_a_named_pipe_in_place_of_the_file_is_not_waited_for(action: Any, pulse: Path) -> None:
    pulse.parent.mkdir()
    os.mkfifo(pulse)
    assert not action.has_pulse(lock.Record("pc-1-a", "ann@pc", "", "", DEAD_PROCESS, "", str(pulse)))


def test_workers_of_a_run_that_lives_are_let_alone(action: Any, pulse: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as main:
        held = dataclasses.replace(held_by(action, main), pulse=str(pulse))
        worker = fork_worker(action, pulse, held.process)
        assert action.is_alive(held)
        assert os.waitpid(worker, os.WNOHANG) == (0, 0)
        main.kill()
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


def test_a_pulse_is_inherited_by_workers_and_not_by_programs_that_they_start(action: Any, pulse: Path) -> None:
    pulse.parent.mkdir()
    descriptor = action.hold_pulse(pulse, DEAD_PROCESS)
    held = lock.Record("pc-1-a", "ann@pc", "", "", DEAD_PROCESS, "", str(pulse))
    with subprocess.Popen(["sleep", "60"], close_fds=False) as program:
        assert action.has_pulse(held)
        os.close(descriptor)
        assert not action.has_pulse(held)
        program.kill()


@pytest.mark.parametrize("process", ["", "7", "x 1", "999999999 1"])
def test_a_record_without_a_usable_process_names_nothing_alive(action: Any, process: str) -> None:
    assert not action.is_alive(lock.Record("pc-1-a", "ann@pc", "", "", process, ""))


def test_where_there_is_no_proc_the_start_is_what_ps_says(action: Any, tmp_path: Path) -> None:
    said = action.started(os.getpid(), tmp_path)
    assert said == action.started(os.getpid(), tmp_path)
    assert len(said.split()) == 5
    assert action.started(999999999, tmp_path) == ""


ORPHAN = """
import importlib.util, os, signal, sys, time
import ansible.module_utils
ansible.module_utils.__path__.append(sys.argv[2])
spec = importlib.util.spec_from_file_location("this_run_again", sys.argv[1])
action = importlib.util.module_from_spec(spec)
spec.loader.exec_module(action)
main = os.getpid()
if os.fork():
    time.sleep(30)
    sys.exit()
print(action.main_process() == main, flush=True)
os.kill(main, signal.SIGKILL)
while os.getppid() == main:
    time.sleep(0.01)
try:
    print(action.main_process(), flush=True)
except action.AnsibleAction as error:
    print(error, flush=True)
"""


def test_a_worker_that_has_outlived_its_run_takes_no_lock() -> None:
    paths = [str(ROOT / each) for each in ("module_utils/kraft/control/run_owner.py", "module_utils")]
    with subprocess.Popen([sys.executable, "-c", ORPHAN, *paths], stdout=subprocess.PIPE, text=True) as main:
        assert main.stdout
        lines = main.stdout.read().splitlines()
    assert lines[0] == "True"
    assert lines[1].startswith("the run has ended"), lines


class LockedHost:
    """A host's lock, which the runs of `late` take one after the other, each between two requests."""

    def __init__(self, held: str, late: list[str]) -> None:
        self.held, self.late, self.asked = held, late, 0

    def execute(self, more: dict[str, str]) -> dict[str, Any]:
        held, self.asked = lock.Record(self.held, "ann@pc", "", "", "", ""), self.asked + 1
        ours = lock.Record("ours", "", "", "", "", "")
        granted = lock.obstacle(ours, [held], more.get("break_run", "")) is None
        if not granted and self.late:
            self.held = self.late.pop(0)
        return {"granted": granted, "holder": held.as_dict()}


def test_a_dead_run_that_takes_the_lock_after_we_asked_is_broken_too(action: Any) -> None:
    host = LockedHost("dead-1", ["dead-2", "dead-3"])
    assert action.past_dead_runs(host.execute, lambda holder: holder.run.startswith("dead"))["granted"]
    assert host.asked == 4


def test_a_run_that_lives_ends_the_taking_over(action: Any) -> None:
    host = LockedHost("dead-1", ["living"])
    result = action.past_dead_runs(host.execute, lambda holder: holder.run.startswith("dead"))
    assert (result["granted"], result["holder"]["run"]) == (False, "living")


def test_a_lock_that_cannot_be_broken_is_asked_for_once_more_at_most(action: Any) -> None:
    asked: list[dict[str, str]] = []

    def execute(more: dict[str, str]) -> dict[str, Any]:
        asked.append(more)
        return {"granted": False, "holder": {"run": "dead-1"}}

    assert not action.past_dead_runs(execute, lambda _: True)["granted"]
    assert asked == [{}, {"break_run": "dead-1"}]


def test_a_host_that_names_dead_runs_without_end_is_left(action: Any) -> None:
    host = LockedHost("dead-0", [f"dead-{number}" for number in range(1, 1000)])
    assert not action.past_dead_runs(host.execute, lambda _: True)["granted"]
    assert host.asked == action.MOST_BROKEN + 1


def test_a_host_that_gives_no_answer_is_asked_once(action: Any) -> None:
    assert action.past_dead_runs(lambda _: {"failed": True, "msg": "no sudo"}, lambda _: True)["failed"]
