"""Systemd's output becomes a state; a host without it has no service."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest
from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service import record
from ansible.module_utils.kraft.node.service import unit_state as service

RUNNING = """LoadState=loaded
ActiveState=active
SubState=running
MainPID=4711
UnitFileState=enabled
NeedDaemonReload=yes
NRestarts=2
ExecMainStartTimestampMonotonic=123456789
ExecMainStatus=0
Result=success
"""
ABSENT = "LoadState=not-found\nActiveState=inactive\nSubState=dead\nMainPID=0\nUnitFileState=\nNeedDaemonReload=no\n"
LOOPING = (
    "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nMainPID=0\nResult=exit-code\nExecMainStatus=1\n"
)


def state_of(text: str, started: dict[str, bytes] | None = None) -> service.ServiceState:
    return service.service_state(service.parse_show(text), started or {}, "")


def test_running_service_is_read_in_full() -> None:
    state = state_of(RUNNING, {"server.properties": b"node.id=1\n"})
    assert (state.installed, state.enabled, state.active, state.pid) == (True, True, True, 4711)
    assert (state.needs_reload, state.restarts, state.started_at_us) == (True, 2, 123456789)
    assert state.started == {"server.properties": hashlib.sha256(b"node.id=1\n").hexdigest()}
    assert not state.failed


def test_a_unit_with_a_job_is_about_to_change() -> None:
    assert not state_of(RUNNING + "Job=\n").job
    assert state_of(RUNNING.replace("=active", "=deactivating") + "Job=210\n").job


def test_unknown_unit_is_not_installed() -> None:
    assert state_of(ABSENT) == service.ServiceState()


def test_record_of_a_dead_process_does_not_count() -> None:
    assert state_of(ABSENT, {"server.properties": b"old"}).started == {}


def test_restart_loop_is_a_failure() -> None:
    state = state_of(LOOPING)
    assert state.active
    assert state.failed
    assert state.exit_status == 1


def test_host_without_systemd_runs_nothing_and_is_not_asked(tmp_path: Path) -> None:
    def run(_: list[str]) -> tuple[int, str, str]:
        raise AssertionError("asked")

    assert service.observe_service(run, booted=tmp_path / "absent") == service.ServiceState()


def test_systemd_that_does_not_answer_is_no_sign_of_a_stopped_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with pytest.raises(ToolError, match=r"kafka\.service .*Connection timed out"):
        service.observe_service(lambda _: (1, "", "Connection timed out"), booted=tmp_path)


@pytest.mark.parametrize("said", ["", "\n", RUNNING.partition("MainPID")[0], RUNNING.partition("ActiveState")[0]])
def test_an_empty_or_cut_answer_of_systemd_is_no_sign_of_a_stopped_service(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    with pytest.raises(ToolError, match=r"systemctl show kafka\.service"):
        service.observe_service(lambda _: (0, said, ""), booted=tmp_path)


def test_systemd_is_asked_again_before_it_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    answers = iter([(1, "", "Transport endpoint is not connected"), (0, ABSENT, "")])
    assert service.observe_service(lambda _: next(answers), booted=tmp_path) == service.ServiceState()


def test_service_is_asked_for_by_its_unit_name(tmp_path: Path) -> None:
    asked: list[list[str]] = []

    def run(args: list[str]) -> tuple[int, str, str]:
        asked.append(args)
        return 0, RUNNING.replace("4711", "0"), ""

    state = service.observe_service(run, "kafka", str(tmp_path / "none"), booted=tmp_path)
    assert asked[0][-1] == "kafka.service"
    assert state.installed


def test_environment_of_the_process_tells_the_unit_it_was_started_from(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "environ").write_bytes(b"PATH=/bin\0KRAFTWRIGHT_UNIT=abc\0")
    assert service.environment_value(7, "KRAFTWRIGHT_UNIT", tmp_path) == "abc"
    assert service.environment_value(7, "OTHER", tmp_path) == ""
    assert service.environment_value(8, "KRAFTWRIGHT_UNIT", tmp_path) == ""


def test_started_record_is_read_by_file(tmp_path: Path) -> None:
    (tmp_path / "jvm.options").write_text("-Xmx1g\n")
    assert record.started_files(str(tmp_path)) == {"jvm.options": b"-Xmx1g\n"}
    assert record.started_files(str(tmp_path / "absent")) == {}
