"""Workers that a dead run left on a host are found, awaited, and named; real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.run_lock import hold, lock, workers

from tests.unit.problems import values
from tests.wording_files import Wording

#: Names of this process alone: several checkouts may be tested at once.
DEAD, OURS = f"pc-{os.getpid()}-dead", f"pc-{os.getpid()}-ours"
Start = Callable[[str, str], "subprocess.Popen[bytes]"]
PATIENCE = 60.0  #: seconds for what must happen, on a machine as busy as may be


@pytest.fixture
def start() -> Iterator[Start]:
    made: list[subprocess.Popen[bytes]] = []

    def run(command: str, of: str) -> subprocess.Popen[bytes]:
        made.append(subprocess.Popen(["sh", "-c", command], env={**os.environ, lock.RUN_VARIABLE: of}))
        deadline = time.monotonic() + PATIENCE
        while (
            made[-1].poll() is None
            and workers.run_of(Path(f"/proc/{made[-1].pid}")) != of
            and time.monotonic() < deadline
        ):
            time.sleep(0.005)  # until the child has become what it is, or has ended
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()


def of_test(own_run: str, *processes: subprocess.Popen[bytes]) -> list[lock.Worker]:
    """The workers among this test's processes: other tests' are none of ours."""
    return [worker for worker in workers.workers(own_run) if worker.pid in {process.pid for process in processes}]


def test_a_dead_run_s_process_is_found_with_its_program(start: Start) -> None:
    process = start("exec sleep 60", DEAD)
    deadline = time.monotonic() + PATIENCE
    while [worker.name for worker in of_test(OURS, process)] != ["sleep"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert of_test(OURS, process) == [lock.Worker(process.pid, DEAD, "sleep")]


def test_what_a_dead_run_s_process_has_started_is_found_without_it(start: Start) -> None:
    process = start("sleep 120 & echo", DEAD)
    process.wait()
    left, deadline = list[lock.Worker](), time.monotonic() + PATIENCE
    while not left and time.monotonic() < deadline:
        left = [worker for worker in workers.workers(OURS) if worker.run == DEAD and worker.name == "sleep"]
    for worker in left:
        os.kill(worker.pid, signal.SIGKILL)
    assert len(left) == 1


def test_our_own_work_and_that_of_no_run_is_not_waited_for(start: Start) -> None:
    own, nobody = start("exec sleep 60", OURS), start("exec sleep 60", "")
    assert of_test(OURS, own, nobody) == []


def test_a_process_of_another_user_is_no_work_of_a_run(start: Start) -> None:
    process = start("exec sleep 60", DEAD)
    assert process.pid in {worker.pid for worker in workers.workers(OURS)}
    assert process.pid not in {worker.pid for worker in workers.workers(OURS, user=os.geteuid() + 1)}


def test_work_is_waited_for_until_it_ends(start: Start) -> None:
    began = time.monotonic()
    process = start("exec sleep 0.5", DEAD)
    assert workers.wait_for_others(OURS, PATIENCE, lambda run: of_test(run, process)) == []
    assert time.monotonic() - began >= 0.5
    assert process.wait(PATIENCE) == 0


def test_work_that_does_not_end_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch, wording: Wording) -> None:
    at_work = [lock.Worker(123, "pc-1-dead", "dpkg"), lock.Worker(124, "pc-1-dead", "java")]
    monkeypatch.setattr(workers, "wait_for_others", lambda *_: at_work)
    with pytest.raises(ValueError, match="dead run") as refused:
        hold.wait_for_leftovers({"record": {"run": OURS}, "timeout": 120})
    assert {"pc-1-dead", "120", "dpkg", "123", "java", "124"} <= values(str(refused.value))
    wording([str(refused.value)])
