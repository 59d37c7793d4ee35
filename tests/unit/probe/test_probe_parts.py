"""The probe's parts that need neither broker nor JVM: bytes, settings, log parts, which process is meant, words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from spark_jobs import one_run
from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, UnreachableError, UsageError
from spark_jobs.page import probe as page
from spark_jobs.probe import commands, process, settings, steps, verdict
from spark_jobs.probe.audit import FILE, exit_code
from spark_jobs.probe.events import ACK, SEND, Clock, EventLog
from spark_jobs.probe.records import HEAD_LENGTH, decode, encode
from tests.unit.probe.audits import STEPS, audit
from tests.unit.problems import values
from tests.wording_files import Wording

ROOT = Path(__file__).resolve().parents[3]
GOOD: dict[str, Any] = {"bootstrap_servers": "a:9092,b:9092", "cluster": "mine", "partitions": 6, "rate": 300}


def test_a_record_says_which_one_it_is_and_has_the_length_asked_for() -> None:
    value = encode("20261122T000000", 7, 41, 100)
    assert len(value) == 100
    assert decode("20261122T000000", value) == (7, 41)
    assert len(encode("short", 0, 0, 0)) == HEAD_LENGTH


@pytest.mark.parametrize("value", [None, b"", b"kcat", encode("another", 0, 0, 100), encode("ours", 0, 0, 0)[:25]])
def test_what_is_not_of_the_run_is_no_ones_record(value: bytes | None) -> None:
    assert decode("ours", value) is None


def test_settings_are_refused_with_everything_that_is_wrong() -> None:
    wrong: dict[str, Any] = {**GOOD, "rate": 0, "partitions": "six", "cluster": "a b", "speed": 1}
    wrong |= {"client_options": {"x": 1}}
    del wrong["bootstrap_servers"]
    named = {line.partition(":")[0] for line in settings.probe_config_errors(wrong)}
    assert named == {"bootstrap_servers", "speed", "partitions", "rate", "cluster", "client_options"}
    assert settings.probe_config_errors(GOOD) == []


@pytest.mark.parametrize("name", ["partitions", "record_bytes", "producers", "consumers", "replication_factor"])
def test_half_a_partition_or_producer_is_refused(name: str) -> None:
    half = settings.LIMITS[name][0] + 0.5
    assert [line.partition(":")[0] for line in settings.probe_config_errors({**GOOD, name: half})] == [name]
    assert settings.probe_config_errors({**GOOD, "rate": 0.5 + GOOD["rate"], "part_seconds": 0.5}) == []


@pytest.mark.parametrize(
    ("moved", "everywhere"),
    [
        ("", "a:9092,b:9092"),
        ("a:9192,b:9192", "a:9092,b:9092,a:9192,b:9192"),
        ("a:9192,b:9092", "a:9092,b:9092,a:9192"),
    ],
)
def test_who_connects_afterwards_tries_where_the_brokers_were_and_where_they_went(moved: str, everywhere: str) -> None:
    assert settings.probe_config_errors({**GOOD, "moved_servers": moved}) == []
    assert settings.ProbeSettings(**GOOD, moved_servers=moved).everywhere == everywhere


def test_settings_with_secrets_are_their_owners_alone(tmp_path: Path) -> None:
    path = settings.save(settings.ProbeSettings("a:1", "mine", 6, 300, run_id="r"), tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert settings.load(path).topic == "kraftwright-probe-r"
    with pytest.raises(UsageError, match="cannot be read"):
        settings.load(tmp_path / "none.json")


def test_log_parts_are_whole_and_hold_each_event_once(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events", Clock())
    log.add(SEND, "producer-0", 1, 2)
    log.close_part()
    log.close_part()
    log.add(ACK, "producer-0", 1, 2, 3)
    log.close_part()
    parts = sorted((tmp_path / "events").iterdir())
    assert [path.name for path in parts] == ["part-000001.parquet", "part-000002.parquet"]
    assert [parquet.read_table(path).to_pylist()[0]["offset"] for path in parts] == [None, 3]


HOLDER = """
import sys, time
from pathlib import Path
from spark_jobs.probe import process
held = process.hold(Path(sys.argv[1]), Path(sys.argv[1]) / "run")
print("held", flush=True)
time.sleep(60)
"""


def test_a_probe_is_known_by_the_lock_that_it_holds_and_stopped_by_its_number(tmp_path: Path) -> None:
    assert process.find(tmp_path) is None
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert process.find(tmp_path) == process.Left(tmp_path / "run", holder.pid)
        assert process.stop(tmp_path, 60)
        assert holder.wait(60) == -15
    assert process.find(tmp_path) == process.Left(tmp_path / "run", None)
    process.forget(tmp_path)
    assert process.find(tmp_path) is None


def test_a_probe_that_no_one_answers_is_ended_and_forgotten(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    settings.save(settings.ProbeSettings("127.0.0.1:1", "mine", 3, 30, run_id="run"), directory)
    with pytest.raises(UnreachableError, match="no acknowledgement from every partition within 1 s"):
        process.start(tmp_path, directory, 1)
    assert process.find(tmp_path) is None


def test_a_start_that_finds_another_probe_at_work_leaves_its_mark(tmp_path: Path) -> None:
    """Without it the other run's stop would find no probe, and account for nothing."""
    directory = tmp_path / "second"
    directory.mkdir()
    settings.save(settings.ProbeSettings("127.0.0.1:1", "mine", 3, 30, run_id="second"), directory)
    descriptor = process.hold(tmp_path, tmp_path / "first")
    with pytest.raises(UnreachableError, match="another probe holds"):
        process.start(tmp_path, directory, 60)
    assert process.find(tmp_path) == process.Left(tmp_path / "first", os.getpid())
    os.close(descriptor)


def test_a_number_that_belongs_to_another_process_by_now_is_not_taken_for_the_probe(tmp_path: Path) -> None:
    descriptor = process.hold(tmp_path, tmp_path)
    path = tmp_path / process.PID_FILE
    path.write_text(path.read_text().replace(one_run.began(os.getpid()), "1"))
    assert process.find(tmp_path) == process.Left(tmp_path, None)
    os.close(descriptor)


@pytest.mark.parametrize(
    ("begin", "end", "task"),
    [(11, 12, "Restart"), (14.1, 14.5, "Wait"), (9, 10.5, "Restart"), (15.5, 16, None), (13.9, 15, "Restart")],
)
def test_a_stall_belongs_to_the_step_in_which_it_began(begin: float, end: float, task: str | None) -> None:
    found = steps.attributed([{"from_us": int(begin * 1e6), "to_us": int(end * 1e6)}], STEPS)[0]["step"]
    assert (found and found["task"]) == task


def test_a_torn_line_of_the_timeline_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "steps.jsonl").write_text('{"host": "a"}\n{"host": ')
    assert [dict(step) for step in steps.load(tmp_path / "steps.jsonl")] == [{"host": "a"}]
    assert steps.load(tmp_path / "none") == []


def test_the_account_names_the_longest_stall_with_its_step(wording: Wording) -> None:
    sentences = audit()["sentences"]
    assert {"0.41", "“Restart”", "0.5", "<b>", "60", "9.5"} <= values("\n".join(sentences))
    wording(sentences)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, None),
        ({"end": {"asked": False, "events": 27}}, "ended by itself after 10 s (kafka_probe_longest)"),
        ({"late_ms": 59_050.0}, "paused for 59.05 s"),
        ({"late_ms": 9_000.0}, None),
        ({"events": 20}, "log has 20 events, and the probe wrote 27"),
        ({"whole": False, "end": None}, "was killed: its last seconds, and what came later, are not in the account"),
    ],
    ids=["asked to end", "ended by itself", "paused", "late", "a part is missing", "killed"],
)
def test_a_probe_that_no_one_has_ended_knows_nothing_of_what_came_later_and_proves_nothing(
    changed: dict[str, Any], said: str | None
) -> None:
    found = {**audit(), **changed}
    last = verdict.sentences(found)[-1]
    assert said in last if said else not verdict._unseen(found)
    found["outcome"] = verdict.overall(found)
    assert found["outcome"] == (verdict.UNDECIDED if said else verdict.PROVEN)
    assert exit_code(found) == (EXIT_FAILED if said else EXIT_PROVEN)
    assert ("Undecided." in page.render(found)) == bool(said)
    assert ("Nothing lost" in page.render(found)) != bool(said)
    assert verdict.overall({**audit(lost=1), **changed}) == verdict.FAILED


@pytest.mark.parametrize(("outcome", "code"), [("undecided", EXIT_PROVEN), ("failed", EXIT_FAILED)])
def test_only_a_fault_of_an_earlier_probe_keeps_a_new_one_from_its_start(
    outcome: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FILE).write_text(json.dumps({"outcome": outcome}))
    monkeypatch.setattr(process, "find", lambda _: process.Left(tmp_path, None))
    monkeypatch.setattr(commands, "stop", lambda _: EXIT_FAILED)
    assert commands._settle(tmp_path) == code


@pytest.mark.parametrize("fault", list(verdict.FAULTS))
def test_one_broken_promise_is_enough(fault: str) -> None:
    assert audit()["outcome"] == verdict.PROVEN
    assert audit(**{fault: 1})["outcome"] == verdict.FAILED


@pytest.mark.parametrize("fault", [{}, {"lost": 1}])
def test_the_page_shows_it_and_escapes_what_comes_from_outside(fault: dict[str, int]) -> None:
    shown = page.render(audit(**fault))
    assert "<b>" not in shown
    assert "&lt;mine&gt;" in shown
    assert "partition 0 stalled for 410 ms" in shown
    assert "broker 2 leads 0 partitions" in shown
    assert ("number 3, acknowledged" in shown) == bool(fault)
