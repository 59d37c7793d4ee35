"""Whatever ends a proof of a copy, its directory has no verdict of an older one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.errors import InstallationError, UnreachableError, UsageError
from spark_jobs.proof import command
from spark_jobs.proof.report_schema import Report
from spark_jobs.report_check import schema_errors


class Killed(BaseException):
    """The end of the process: nothing in the job can react to it."""


def proof(directory: Path) -> str:
    side = {"bootstrap_servers": "127.0.0.1:1"}
    content = {"run_id": "new", "source": side, "target": side, "topics": {"a": "b"}, "output_dir": str(directory)}
    path = directory / "proof.json"
    path.write_text(json.dumps(content))
    return str(path)


@pytest.mark.parametrize(
    ("error", "outcome", "code"),
    [
        (UnreachableError("gone"), "unreachable", 2),
        (UsageError(["topic: a does not exist"]), "undecided", 3),
        (InstallationError("Java did not start"), "undecided", 3),
        (ZeroDivisionError("x"), "undecided", 4),
        (Killed(), "unreachable", None),
    ],
)
def test_each_end_replaces_the_report_and_the_page_of_an_older_proof(
    error: BaseException, outcome: str, code: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def job(*_: Any) -> None:
        raise error

    monkeypatch.setattr(command, "_on_a_session", job)
    for name in ("report.json", "page.html"):
        (tmp_path / name).write_text("Proven: an older run")
    if code is None:
        with pytest.raises(Killed):
            command.main(["--config", proof(tmp_path)])
    else:
        assert command.main(["--config", proof(tmp_path)]) == code
    left = json.loads((tmp_path / "report.json").read_text())
    assert schema_errors(left, Report) == []
    assert (left["run_id"], left["verdict"]["outcome"]) == ("new", outcome)
    assert str(error) in left["verdict"]["sentences"][0] or code in (4, None)
    assert "an older run" not in (tmp_path / "page.html").read_text()
