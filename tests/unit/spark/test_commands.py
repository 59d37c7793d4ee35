"""The exit codes of the commands, a dead cluster first of all."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from spark_jobs import cli, native_smoke_command
from spark_jobs.errors import (
    EXIT_DEFECT,
    EXIT_PROVEN,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
    InstallationError,
    SmokeError,
    UnreachableError,
    UsageError,
)
from spark_jobs.report_check import schema_errors


def written(directory: Path, **changes: Any) -> str:
    content = {
        "run_id": "run-1",
        "bootstrap_servers": "127.0.0.1:1,127.0.0.1:2",
        "topic": "smoke",
        "partitions": 2,
        "records": 100,
        "record_bytes": 100,
        "output_dir": str(directory / "out"),
        **changes,
    }
    path = directory / "smoke.json"
    path.write_text(json.dumps(content))
    return str(path)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError(["x"]), EXIT_USAGE),
        (InstallationError("x"), EXIT_USAGE),
        (UnreachableError("x"), EXIT_UNREACHABLE),
        (ZeroDivisionError("x"), EXIT_DEFECT),
    ],
)
def test_every_error_has_its_code_and_its_message(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> int:
        raise error

    assert cli.guarded(fail) == code
    shown = capsys.readouterr().err
    assert ("Traceback" in shown) is not isinstance(error, SmokeError)
    assert shown.strip().endswith("x")


def test_a_finished_action_keeps_its_code() -> None:
    assert cli.guarded(lambda: EXIT_PROVEN) == EXIT_PROVEN


def test_a_dead_cluster_fails_at_once_with_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    code = native_smoke_command.main(["--config", written(tmp_path, native_smoke_seconds=60)])
    assert code == EXIT_UNREACHABLE
    assert time.monotonic() - began < 30  # some seconds by itself; the machine may be busy
    shown = capsys.readouterr().err
    assert "127.0.0.1:1: Connect to" in shown
    assert "refused" in shown
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert schema_errors(report) == []
    assert report["verdict"]["outcome"] == "unreachable"
    assert "127.0.0.1:1: Connect to" in report["verdict"]["sentences"][0]


def test_a_wrong_configuration_is_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert native_smoke_command.main(["--config", written(tmp_path, partitions=0)]) == EXIT_USAGE
    assert "partitions: 0 must be a number from 1 to" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_help_is_not_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        native_smoke_command.main(["--help"])
    assert ended.value.code == 0
    assert "--config" in capsys.readouterr().out
