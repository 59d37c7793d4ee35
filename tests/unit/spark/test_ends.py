"""For every end of a job, its report shows the known facts, and its exit code has one meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from spark_jobs import command, native_smoke_command
from spark_jobs.errors import InstallationError, UnreachableError
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import Report
from tests.unit.page.reports import example
from tests.unit.spark.test_commands import written
from tests.unit.spark.test_smoke_report import EXAMPLE, native

FAILED = example("failed")


@pytest.mark.parametrize(
    ("error", "found", "end"),
    [
        (UnreachableError("gone"), None, ("unreachable", 2)),
        (InstallationError("no executor"), None, ("undecided", 3)),
        (ZeroDivisionError("x"), None, ("undecided", 4)),
        (UnreachableError("gone"), EXAMPLE, ("unreachable", 2)),
        (InstallationError("no disk"), EXAMPLE, ("undecided", 3)),
        (ZeroDivisionError("x"), EXAMPLE, ("undecided", 4)),
        (UnreachableError("gone"), FAILED, ("failed", 1)),
        (ZeroDivisionError("x"), FAILED, ("failed", 1)),
        (None, EXAMPLE, ("proven", 0)),
        (None, FAILED, ("failed", 1)),
        (None, {**EXAMPLE, "verdict": {"outcome": "undecided", "sentences": ["open"]}}, ("undecided", 2)),
    ],
)
def test_every_end_leaves_a_report_with_what_is_known(
    error: Exception | None,
    found: dict[str, Any] | None,
    end: tuple[str, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def job(draft: Report, *_: Any) -> None:
        if found:
            kept: tuple[str, ...] = ("counts", "changes", "per_partition", "first_missing", "first_faults")
            kept += () if error else ("verdict",)
            cast("dict[str, Any]", draft).update({name: found[name] for name in kept})
        if error:
            raise error

    monkeypatch.setattr(native_smoke_command, "taken", lambda *_: native())
    monkeypatch.setattr(command, "_on_a_session", job)
    assert command.main(["--config", written(tmp_path)]) == end[1]
    left = json.loads((tmp_path / "out/report.json").read_text())
    assert schema_errors(left) == []
    assert left["verdict"]["outcome"] == end[0]
    assert left["counts"] == (found["counts"] if found else None)


class Killed(BaseException):
    """The end of the process: nothing in the job can react to it."""


def test_a_run_that_is_killed_leaves_no_verdict_of_an_older_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def job(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr(native_smoke_command, "taken", lambda *_: native())
    monkeypatch.setattr(command, "_on_a_session", job)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/report.json").write_text(json.dumps(EXAMPLE))
    with pytest.raises(Killed):
        command.main(["--config", written(tmp_path, run_id="run-2")])
    left = json.loads((tmp_path / "out/report.json").read_text())
    assert (left["run_id"], left["verdict"]["outcome"]) == ("run-2", "unreachable")
