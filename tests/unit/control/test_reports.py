"""Reports of one cluster are never taken for those of another."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.errors import RefusedError

from tests.unit.spec.inventory import CLUSTER_ID, hosts, problems_of

OURS, THEIRS = CLUSTER_ID, "b3RoZXItY2x1c3Rlci1pZA"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "reports" / "blue"


def report(directory: Path, cluster_id: str | None) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    cluster = {} if cluster_id is None else {"cluster_id": cluster_id}
    (directory / "report.json").write_text(json.dumps({"cluster": cluster}))


def test_a_new_directory_is_made_closed_to_others_and_marked(directory: Path) -> None:
    assert reports.claim(directory, OURS)
    assert directory.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in directory.iterdir()] == [reports.MARK]
    assert (directory / reports.MARK).read_text() == f"{OURS}\n"
    assert not reports.claim(directory, OURS)


def test_another_cluster_of_the_same_name_is_refused_with_both_ids_and_the_way_out(directory: Path) -> None:
    reports.claim(directory, OURS)
    (directory / "timeline.jsonl").touch()
    with pytest.raises(RefusedError) as refused:
        reports.claim(directory, THEIRS)
    said = str(refused.value)
    assert all(word in said for word in (OURS, THEIRS, "kafka_cluster_name", f"mv {directory} {directory}-{OURS}"))
    assert reports.owner(directory) == OURS


def test_a_mark_beside_which_nothing_was_written_holds_no_one_back(directory: Path) -> None:
    reports.claim(directory, OURS)
    assert reports.claim(directory, THEIRS)
    assert (directory / reports.MARK).read_text() == f"{THEIRS}\n"


def test_a_directory_without_a_mark_is_taken_where_its_report_agrees(directory: Path) -> None:
    report(directory, OURS)
    assert reports.claim(directory, OURS)
    assert reports.owner(directory) == OURS


def test_a_directory_without_a_mark_is_refused_where_its_report_does_not(directory: Path) -> None:
    report(directory, THEIRS)
    with pytest.raises(RefusedError, match=THEIRS):
        reports.claim(directory, OURS)


@pytest.mark.parametrize("content", ['{"cluster": {}}', '{"cluster": null}', "[]", "torn {", ""])
def test_a_report_that_names_no_cluster_holds_no_one_back(directory: Path, content: str) -> None:
    directory.mkdir(parents=True)
    (directory / "report.json").write_text(content)
    assert reports.claim(directory, OURS)


def test_of_two_runs_at_the_same_moment_one_is_refused(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def other_first(source: Path, target: Path) -> None:
        Path(target).write_text(f"{THEIRS}\n")
        link(source, target)

    monkeypatch.setattr(os, "link", other_first)
    with pytest.raises(RefusedError, match="a moment ago"):
        reports.claim(directory, OURS)
    assert [path.name for path in directory.iterdir()] == [reports.MARK]


def test_what_cannot_be_used_for_reports_is_refused_with_its_reason(directory: Path) -> None:
    directory.parent.mkdir()
    directory.write_text("a file in the place of the directory")
    with pytest.raises(RefusedError, match="cannot be used for reports: File exists -> run as the user"):
        reports.claim(directory, OURS)


def test_validation_refuses_what_would_mix_reports(directory: Path) -> None:
    report(directory, THEIRS)
    found = [each for each in problems_of(hosts(), foreign_reports=(str(directory),)) if each.rule == "reports_foreign"]
    assert [(each.severity, each.variable, each.value) for each in found] == [("error", "kafka_cluster_name", "test")]
    assert THEIRS in found[0].message
