"""Place of reports, for any form of their directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.spec.role_variables import rendered

PLACES = [("kafka_smoke", "__kafka_smoke_dir", "mine"), ("kafka_probe", "__kafka_probe_home", "mine/probe")]


@pytest.mark.parametrize(("role", "name", "below"), PLACES)
@pytest.mark.parametrize(
    ("given", "expected"), [("/srv/r", "/srv/r"), ("reports", "{here}/reports"), ("~/r", "{home}/r")]
)
def test_a_directory_for_reports_is_the_same_for_all(  # noqa: PLR0913, PLR0917
    role: str, name: str, below: str, given: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/ann")
    variables = {f"{role}_report_dir": given, f"__{role}_cluster": {"name": "mine"}}
    assert rendered(role, name, **variables) == f"{expected.format(here=tmp_path, home='/home/ann')}/{below}"
