"""One run at a time; a dead one does not bar the next."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.run_lock import hold, lock

from tests.unit.problems import named
from tests.wording_files import Wording

HERE = "boot-1 pid:[1]"
OURS = lock.Record("pc-1-a", "ann@pc", "machine-1 pc", HERE, "1 100", "2026-01-01T10:00:00Z")
THEIRS = lock.Record("pc-2-b", "bob@other", "machine-2 other", "boot-2 pid:[1]", "2 90", "2026-01-01T09:00:00Z")
OUR_OTHER = dataclasses.replace(OURS, run="pc-3-c", process="3 80")


def acquire_or_release(
    path: Path, record: lock.Record, state: str = "held", break_run: str = "", check: bool = False
) -> dict[str, Any]:
    params = {"path": str(path), "record": record.as_dict(), "state": state, "break_run": break_run}
    return hold.acquire_or_release(params, check)


@pytest.mark.parametrize(
    ("held", "takes_over", "expected"),
    [(None, "", True), (OURS, "", True), (THEIRS, "", False), (THEIRS, THEIRS.run, True), (THEIRS, "another", False)],
)
def test_a_lock_is_granted_when_it_is_free_ours_or_named(
    held: lock.Record | None, takes_over: str, expected: bool
) -> None:
    assert lock.granted(OURS, held, takes_over) is expected


@pytest.mark.parametrize(
    ("changes", "alive", "stale"),
    [
        pytest.param({}, False, True, id="its process is gone"),
        pytest.param({}, True, False, id="it lives"),
        pytest.param({"machine": "machine-1 renamed"}, False, True, id="the machine was renamed since"),
        pytest.param({"machine": "machine-1 renamed"}, True, False, id="renamed, and it lives"),
        pytest.param({"place": "boot-0 pid:[1]"}, True, True, id="the machine was booted anew, the pid is another's"),
        pytest.param({"place": "boot-1 pid:[2]"}, False, False, id="another container on this machine"),
        pytest.param({"place": "boot-2 pid:[1]", "machine": "machine-1 clone"}, False, False, id="a cloned machine"),
        pytest.param({"place": "boot-2 pid:[1]", "machine": "machine-2 pc"}, False, False, id="another machine"),
        pytest.param({"place": ""}, False, False, id="written by an older version"),
    ],
)
def test_only_a_run_that_is_known_to_be_dead_is_stale(changes: dict[str, str], alive: bool, stale: bool) -> None:
    assert lock.is_stale(dataclasses.replace(OUR_OTHER, **changes), OURS, alive) is stale


@pytest.mark.parametrize(
    ("machine", "alive", "stale"), [("mac", False, True), ("mac", True, False), ("x", False, False)]
)
def test_without_a_proc_file_system_the_machine_s_id_decides(machine: str, alive: bool, stale: bool) -> None:
    ours = dataclasses.replace(OURS, machine="mac", place="")
    assert lock.is_stale(dataclasses.replace(OUR_OTHER, machine=machine, place=""), ours, alive) is stale


def test_the_refusal_says_who_since_when_and_how_to_clear_it(wording: Wording) -> None:
    said = lock.refusal("kafka1", THEIRS)
    assert named([said]) == [["kafka1", "bob@other", "2", "2026-01-01T09:00:00Z", "kafka_break_lock=pc-2-b"]]
    wording([said])


def test_the_second_run_is_refused_until_the_first_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert acquire_or_release(path, OURS)["granted"]
    assert acquire_or_release(path, THEIRS) == {"changed": False, "granted": False, "holder": OURS.as_dict()}
    acquire_or_release(path, THEIRS, state="released")
    assert path.exists()
    acquire_or_release(path, OURS, state="released")
    assert acquire_or_release(path, THEIRS)["granted"]


def test_check_mode_takes_nothing(tmp_path: Path) -> None:
    assert acquire_or_release(tmp_path / "lock", OURS, check=True)["granted"]
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("torn", ["", "{", "[]", json.dumps({"who": "x"})])
def test_a_record_that_a_crash_tore_holds_nothing(tmp_path: Path, torn: str) -> None:
    (tmp_path / "lock").write_text(torn)
    assert acquire_or_release(tmp_path / "lock", OURS)["granted"]


def test_a_record_of_an_older_version_holds(tmp_path: Path) -> None:
    older = {key: value for key, value in THEIRS.as_dict().items() if key != "place"}
    (tmp_path / "lock").write_text(json.dumps(older))
    assert not acquire_or_release(tmp_path / "lock", OURS)["granted"]


def test_a_lock_that_cannot_be_read_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(IsADirectoryError):
        acquire_or_release(tmp_path / "lock", OURS)


def test_no_other_user_can_open_the_guard(tmp_path: Path) -> None:
    guard = tmp_path / "lock.guard"
    guard.touch(mode=0o644)
    acquire_or_release(tmp_path / "lock", OURS)
    assert stat.S_IMODE(guard.stat().st_mode) == 0o600


def test_a_guard_that_another_process_keeps_is_waited_for_with_an_end(
    tmp_path: Path,
) -> None:
    with open(tmp_path / "guard", "w", encoding="utf-8") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with (
            pytest.raises(ValueError, match=f"fuser -v {tmp_path / 'guard'}"),
            hold.guarded(str(tmp_path / "guard"), 0.1),
        ):
            pytest.fail("the guard was not free")


def test_a_named_dead_run_is_taken_over(tmp_path: Path) -> None:
    acquire_or_release(tmp_path / "lock", THEIRS)
    assert acquire_or_release(tmp_path / "lock", OURS, break_run=THEIRS.run)["granted"]
    assert hold.read(str(tmp_path / "lock")) == OURS


def test_the_lock_is_held_while_something_is_done_and_given_back_when_it_ends_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")

    def ends() -> None:
        with hold.held(OURS.as_dict(), "", check_mode=False, path=path) as result:
            assert (result["granted"], hold.read(path)) == (True, OURS)
            raise SystemExit(0)

    with pytest.raises(SystemExit):
        ends()
    assert hold.read(path) is None


@pytest.mark.parametrize(
    ("before", "check", "granted"),
    [(THEIRS, False, False), (THEIRS, True, False), (OURS, False, True), (None, True, True)],
)
def test_what_another_run_holds_or_this_one_already_has_stays_as_it_is(
    tmp_path: Path, before: lock.Record | None, check: bool, granted: bool
) -> None:
    path = str(tmp_path / "lock")
    if before:
        hold.write(path, before)
    with hold.held(OURS.as_dict(), "", check, path) as result:
        assert (result["granted"], hold.read(path)) == (granted, before)
    assert hold.read(path) == before


def test_the_lock_of_a_named_dead_run_is_held_and_given_back(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    hold.write(path, THEIRS)
    with hold.held(OURS.as_dict(), THEIRS.run, check_mode=False, path=path):
        assert hold.read(path) == OURS
    assert hold.read(path) is None
