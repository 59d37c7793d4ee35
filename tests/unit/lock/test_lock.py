"""One run at a time; a dead one does not bar the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kafka_lock
import pytest
from ansible.module_utils.kraft.host import lock

OURS = lock.Record("pc-1-a", "ann@pc", "machine-1", "1 Mon Jan 1 10:00", "2026-01-01T10:00:00Z")
THEIRS = lock.Record("pc-2-b", "bob@other", "machine-2", "2 Mon Jan 1 09:00", "2026-01-01T09:00:00Z")


def settle(
    path: Path, record: lock.Record, state: str = "held", break_run: str = "", check: bool = False
) -> dict[str, Any]:
    params = {"path": str(path), "record": record.as_dict(), "state": state, "break_run": break_run}
    return kafka_lock.settle(params, check)


@pytest.mark.parametrize(
    ("held", "takes_over", "expected"),
    [(None, "", True), (OURS, "", True), (THEIRS, "", False), (THEIRS, THEIRS.run, True), (THEIRS, "another", False)],
)
def test_a_lock_is_granted_when_it_is_free_ours_or_named(
    held: lock.Record | None, takes_over: str, expected: bool
) -> None:
    assert lock.granted(OURS, held, takes_over) is expected


@pytest.mark.parametrize(
    ("machine", "alive", "stale"), [("machine-2", False, True), ("machine-2", True, False), ("m", False, False)]
)
def test_only_a_dead_run_of_the_same_machine_is_stale(machine: str, alive: bool, stale: bool) -> None:
    assert lock.is_stale(THEIRS, machine, alive) is stale


def test_the_refusal_says_who_since_when_and_how_to_clear_it() -> None:
    assert lock.refusal("kafka1", THEIRS) == (
        "kafka1 is being changed by another run: bob@other, process 2, since 2026-01-01T09:00:00Z. "
        "Wait for it; if it is dead, run again with -e kafka_break_lock=pc-2-b"
    )


def test_the_second_run_is_refused_until_the_first_gives_the_lock_back(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert settle(path, OURS)["granted"]
    assert settle(path, THEIRS) == {"changed": False, "granted": False, "holder": OURS.as_dict()}
    settle(path, THEIRS, state="released")
    assert path.exists()
    settle(path, OURS, state="released")
    assert settle(path, THEIRS)["granted"]


def test_check_mode_takes_nothing(tmp_path: Path) -> None:
    assert settle(tmp_path / "lock", OURS, check=True)["granted"]
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("torn", ["", "{", json.dumps({"run": "x"})])
def test_a_record_that_a_crash_tore_holds_nothing(tmp_path: Path, torn: str) -> None:
    (tmp_path / "lock").write_text(torn)
    assert settle(tmp_path / "lock", OURS)["granted"]


def test_a_named_dead_run_is_taken_over(tmp_path: Path) -> None:
    settle(tmp_path / "lock", THEIRS)
    assert settle(tmp_path / "lock", OURS, break_run=THEIRS.run)["granted"]
    assert kafka_lock.read(str(tmp_path / "lock")) == OURS
