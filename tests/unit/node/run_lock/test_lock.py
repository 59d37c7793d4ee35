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
    assert (lock.obstacle(OURS, [held] if held else [], takes_over) is None) is expected


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
    assert hold.read(str(tmp_path / "lock")) == [OURS]


PROOF = dataclasses.replace(OURS, run="pc-4-d", use=lock.VERIFIED)
OTHER_PROOF = dataclasses.replace(THEIRS, run="pc-5-e", use=lock.VERIFIED)


def test_two_proofs_share_the_lock_and_each_gives_back_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert acquire_or_release(path, PROOF)["granted"]
    assert acquire_or_release(path, OTHER_PROOF)["granted"]
    assert hold.read(str(path)) == [PROOF, OTHER_PROOF]
    acquire_or_release(path, PROOF, state="released")
    assert hold.read(str(path)) == [OTHER_PROOF]
    acquire_or_release(path, OTHER_PROOF, state="released")
    assert not path.exists()


@pytest.mark.parametrize(("first", "second"), [(PROOF, THEIRS), (THEIRS, PROOF)])
def test_a_proof_and_a_run_that_changes_the_cluster_exclude_each_other(
    tmp_path: Path, first: lock.Record, second: lock.Record
) -> None:
    acquire_or_release(tmp_path / "lock", first)
    refused = acquire_or_release(tmp_path / "lock", second)
    assert (refused["granted"], refused["holder"]) == (False, first.as_dict())
    assert f"is being {first.use} by another run" in lock.refusal("k1", lock.record(refused["holder"]) or OURS)


def test_a_change_waits_for_the_last_of_several_proofs(tmp_path: Path) -> None:
    for proof in (PROOF, OTHER_PROOF):
        acquire_or_release(tmp_path / "lock", proof)
    assert acquire_or_release(tmp_path / "lock", THEIRS, break_run=PROOF.run)["holder"]["run"] == OTHER_PROOF.run


def test_an_older_version_sees_the_first_of_those_who_share(tmp_path: Path) -> None:
    for proof in (PROOF, OTHER_PROOF):
        acquire_or_release(tmp_path / "lock", proof)
    assert json.loads((tmp_path / "lock").read_text())["run"] == PROOF.run


class Module:
    """Keeps the words with which it was ended."""

    failed = ""

    def fail_json(self, msg: str) -> None:
        self.failed = msg


def ended(path: Path, monkeypatch: pytest.MonkeyPatch, run: str) -> str:
    """Why a module of `run` changes nothing; empty if it goes on."""
    module = Module()
    monkeypatch.setenv(lock.RUN_VARIABLE, run)
    hold.refuse_if_lost(module, str(path))
    return module.failed


def test_a_run_whose_lock_was_broken_stops_before_its_next_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    acquire_or_release(path, OURS)
    assert ended(path, monkeypatch, OURS.run) == ""
    acquire_or_release(path, THEIRS, break_run=OURS.run)
    assert THEIRS.run in ended(path, monkeypatch, OURS.run)
    assert ended(path, monkeypatch, THEIRS.run) == ""
    acquire_or_release(path, THEIRS, state="released")
    assert "kafka_break_lock" in ended(path, monkeypatch, OURS.run)


def test_a_module_outside_of_a_run_and_one_on_a_host_without_a_lock_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ended(tmp_path / "lock", monkeypatch, OURS.run) == ""
    acquire_or_release(tmp_path / "lock", THEIRS)
    assert ended(tmp_path / "lock", monkeypatch, "") == ""
