"""Path of a waiting archive on a host; every molecule scenario shows that it gets there."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.control.ssh_transfer import directory_for, transferred_file

FORK = multiprocessing.get_context("fork")  #: as Ansible's workers begin
TASK_VARS = {"inventory_hostname": "kraft1"}
PATIENCE = 20.0


class Host:
    """A connection that notes what it is asked in a file; `during` is done while the archive is on its way."""

    transport = "ssh"

    def __init__(self, notes: Path, during: Any = lambda: None) -> None:
        self._notes, self._during = notes, during

    def exec_command(self, command: str, sudoable: bool) -> tuple[int, bytes, bytes]:
        assert not sudoable
        self.note("remove" if command.startswith("rm ") else "make")
        return 0, b"/home/ops/.kraftwright-kraft1\n", b""

    def put_file(self, local: str, there: str) -> None:
        self._during()
        self.note(f"put {local} {there}")

    def note(self, what: str) -> None:
        with self._notes.open("a") as notes:
            notes.write(f"{what}\n")


def transfer(host: Host) -> None:
    with transferred_file(SimpleNamespace(_connection=host), Path("kafka.tgz"), TASK_VARS) as archive:  # type: ignore[arg-type]
        host.note(f"ask {archive}")


def work_without_a_run(host: Host) -> None:
    """Act as a worker whose run was killed while it transfers."""
    run = FORK.parent_process()

    def outlive() -> None:
        deadline = time.monotonic() + PATIENCE
        while run and os.getppid() == run.pid and time.monotonic() < deadline:
            time.sleep(0.01)

    host._during = outlive
    try:
        transfer(host)
    except AnsibleError as error:
        host.note(f"ended: {error.message}")


def run_that_is_killed(host: Host) -> None:
    worker = FORK.Process(target=work_without_a_run, args=(host,))
    worker.start()
    os._exit(9)


@pytest.mark.parametrize(
    ("host", "directory"),
    [("kraft1", ".kraftwright-kraft1"), ("10.0.0.1", ".kraftwright-10.0.0.1"), ("a b;rm/..", ".kraftwright-a_b_rm_..")],
)
def test_each_host_has_a_directory_whose_name_a_shell_takes_as_it_is(host: str, directory: str) -> None:
    assert directory_for(host) == directory


def test_the_archive_is_gone_from_the_host_once_it_was_used(tmp_path: Path) -> None:
    transfer(Host(tmp_path / "notes"))
    put, archive = "put kafka.tgz /home/ops/.kraftwright-kraft1/kafka.tgz", "/home/ops/.kraftwright-kraft1/kafka.tgz"
    assert (tmp_path / "notes").read_text().splitlines() == ["make", put, f"ask {archive}", "remove"]


def test_the_archive_is_gone_where_it_could_not_be_used(tmp_path: Path) -> None:
    def cut() -> None:
        raise AnsibleError("connection lost")

    with pytest.raises(AnsibleError, match="connection lost"):
        transfer(Host(tmp_path / "notes", cut))
    assert (tmp_path / "notes").read_text().splitlines() == ["make", "remove"]


def test_a_worker_whose_run_was_killed_neither_asks_nor_removes_anything(tmp_path: Path) -> None:
    """The next run may transfer the same archive by then."""
    notes = tmp_path / "notes"
    run = FORK.Process(target=run_that_is_killed, args=(Host(notes),))
    run.start()
    run.join(PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while "ended" not in (notes.read_text() if notes.exists() else "") and time.monotonic() < deadline:
        time.sleep(0.02)
    said = notes.read_text().splitlines()
    assert [line.split()[0] for line in said] == ["make", "put", "ended:"]
    assert "the run was killed" in said[-1]
