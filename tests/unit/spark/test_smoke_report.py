"""A report has its shape from the beginning, whatever becomes of the run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs import native_smoke_command, report
from spark_jobs.config import SmokeConfig
from spark_jobs.errors import UsageError
from spark_jobs.native import TopicView
from spark_jobs.native_smoke import NativeSmoke
from spark_jobs.progress import Progress
from spark_jobs.record_format import RUN_ID, own_id
from spark_jobs.report_check import schema_errors
from spark_jobs.report_schema import NativePartition, NativeSmokeResult

EXAMPLE = json.loads((Path(__file__).parent / "example_report.json").read_text())


def config(directory: Path, **more: Any) -> SmokeConfig:
    return SmokeConfig("run-1", "127.0.0.1:1", "smoke", 2, 100, 100, directory, **more)


def native() -> NativeSmoke:
    entries = [NativePartition(partition=p, leader=p + 1, acknowledged_ms=5.0, returned_ms=9.5) for p in range(2)]
    view = TopicView({0: 1, 1: 2}, {1: "a:9092", 2: "b:9092"}, 3)
    return NativeSmoke(NativeSmokeResult(client="c", ms=9.5, connected_ms=2.0, partitions=entries), view)


def test_an_empty_report_is_whole_and_unreachable(tmp_path: Path) -> None:
    draft = report.begun(config(tmp_path), Progress(tmp_path))
    assert schema_errors(draft) == []
    assert draft["verdict"]["outcome"] == "unreachable"


def test_the_topic_is_described_from_the_snapshot(tmp_path: Path) -> None:
    name = EXAMPLE["topic"]["name"]
    settings = SmokeConfig("run-1", "127.0.0.1:1", name, 6, 100, 100, tmp_path, cluster=EXAMPLE["cluster"])
    assert report.begun(settings, Progress(tmp_path))["topic"] == EXAMPLE["topic"]


def test_a_written_report_can_be_read_back_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = report.write(report.begun(config(tmp_path), Progress(tmp_path)), Progress(tmp_path), tmp_path)
    assert schema_errors(json.loads(path.read_text())) == []
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_report_without_its_shape_is_not_written(tmp_path: Path) -> None:
    draft = report.begun(config(tmp_path), Progress(tmp_path))
    draft["counts"] = {"lost": "many"}  # type: ignore[typeddict-item]
    with pytest.raises(AssertionError, match=r"report\.counts\.lost: 'many' is not int"):
        report.write(draft, Progress(tmp_path), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_timeline_is_passed_on_without_half_written_lines(tmp_path: Path) -> None:
    path = tmp_path / "timeline.jsonl"
    entry = EXAMPLE["timeline"][0]
    path.write_text(json.dumps({**entry, "more": 1}) + '\n{"host": "x"}\n[]\n' + json.dumps(entry)[:40])
    assert report.timeline(path) == [entry]


def test_no_timeline_is_an_empty_one(tmp_path: Path) -> None:
    assert report.timeline(tmp_path / "absent") == report.timeline(None) == []


def test_a_saved_native_smoke_test_is_this_runs_only(tmp_path: Path) -> None:
    mine = config(tmp_path)
    assert native_smoke_command.saved(mine) is None
    native_smoke_command._save(mine, native())
    assert native_smoke_command.saved(mine) == native()
    assert native_smoke_command.saved(SmokeConfig("run-2", "127.0.0.1:1", "smoke", 2, 100, 100, tmp_path)) is None
    grown = dataclasses.replace(mine, partitions=3)  # by a change of the file since: the third one would not be read
    assert native_smoke_command.saved(grown) is None


def test_a_saved_native_smoke_test_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, progress = config(tmp_path), Progress(tmp_path)
    native_smoke_command._save(mine, native())
    made_now = dataclasses.replace(native(), view=TopicView({}, {}, 1))
    monkeypatch.setattr(native_smoke_command, "made", lambda *_: made_now)
    assert native_smoke_command.saved_or_made(mine, progress) == native()
    assert native_smoke_command.taken(mine, progress) == native()
    assert native_smoke_command.taken(mine, progress) == made_now


@pytest.mark.parametrize(
    ("run_id", "counts", "refused"), [("run-1", True, True), ("run-1", False, False), ("x", True, False)]
)
def test_a_run_id_with_an_account_is_not_used_again(tmp_path: Path, run_id: str, counts: bool, refused: bool) -> None:
    last = report.begun(config(tmp_path), Progress(tmp_path))
    last["run_id"], last["counts"] = run_id, EXAMPLE["counts"] if counts else None
    report.write(last, Progress(tmp_path), tmp_path)
    if refused:
        with pytest.raises(UsageError, match="run_id: run-1 was used before"):
            native_smoke_command.saved_or_made(config(tmp_path), Progress(tmp_path))
    else:
        report.require_unused(config(tmp_path))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"run_id": "run-1", "counts": {}}'])
def test_a_file_that_is_no_report_says_nothing_of_a_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    assert report.of_run(config(tmp_path)) is None


def test_two_runs_of_one_id_mark_their_records_differently() -> None:
    marks = {own_id("20261127T142200x") for _ in range(20)}
    assert len(marks) == 20
    assert {len(mark) for mark in marks} == {RUN_ID.length}
    assert {mark[:7] for mark in marks} == {"2026112"}


def test_progress_is_shown_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(tmp_path)
    (tmp_path / "progress.log").write_text("of another run\n")
    progress.begin()
    progress.report("wrote 3 records")
    assert capsys.readouterr().out == (tmp_path / "progress.log").read_text()
    assert (tmp_path / "progress.log").read_text().endswith(" s  wrote 3 records\n")
