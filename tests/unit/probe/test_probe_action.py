"""The control side's half: the addresses of the probe's start, and silence as an error."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.probe.audits import audit

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("kafka_probe", ROOT / "plugins/action/kafka_probe.py")
assert SPEC is not None
assert SPEC.loader is not None
PROBE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PROBE)
WANTED = "k1:9192,k2:9192"


@pytest.mark.parametrize(
    ("now", "settings"),
    [
        ([], {"bootstrap_servers": WANTED}),
        (["k1:9192", "k2:9192"], {"bootstrap_servers": WANTED}),
        (["k1:9092", "k2:9092"], {"bootstrap_servers": "k1:9092,k2:9092", "moved_servers": WANTED}),
        (["k1:9192", "k2:9092"], {"bootstrap_servers": "k1:9192,k2:9092", "moved_servers": WANTED}),
    ],
)
def test_probe_begins_with_the_listeners_that_the_cluster_has_now(
    tmp_path: Path, now: list[str], settings: dict[str, Any]
) -> None:
    given = {"required": True, "now": now, "settings": {"bootstrap_servers": WANTED, "rate": "300"}}
    assert "--if-answers" not in PROBE.starting(tmp_path, given)
    assert json.loads((tmp_path / PROBE.WANTED).read_text()) == {**settings, "rate": 300}


def test_only_a_first_deployment_takes_silence_for_an_answer(tmp_path: Path) -> None:
    given = {"required": False, "now": [], "settings": {"bootstrap_servers": WANTED}}
    assert "--if-answers" in PROBE.starting(tmp_path, given)


@pytest.mark.parametrize("directory", ["20261122T100000", "none", ""])
def test_a_drill_is_judged_by_the_account_of_its_own_probe(tmp_path: Path, directory: str) -> None:
    """Another one may have a later name: of a run before the clock was set back."""
    for name in ("20261122T100000", "20261122T110000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / PROBE.AUDIT).write_text(json.dumps({**audit(), "run_id": name, "steps": []}))
    given = {"home": str(tmp_path), "directory": directory and str(tmp_path / directory)}
    found = PROBE.drilled({**given, "faults": [], "nodes": {}, "seconds": 30})
    if directory.startswith("2"):
        assert found["page"] == str(tmp_path / directory / PROBE.PAGE)
    else:
        assert found["failed"]


def test_only_the_probe_of_the_run_itself_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is refused, since another one has the lock, ends its operation as every run does."""
    calls = list[tuple[str, ...]]()

    def probe(*words: str) -> subprocess.CompletedProcess[str]:
        calls.append(words)
        return subprocess.CompletedProcess([], 0, "", "")

    monkeypatch.setattr(PROBE, "probe", probe)
    running, ended, lost = (str(tmp_path / name) for name in ("running", "ended", "lost"))
    (tmp_path / PROBE.PID_FILE).write_text(json.dumps({"directory": running}))
    (tmp_path / "ended").mkdir()
    (tmp_path / "ended" / PROBE.AUDIT).write_text("{}")
    for own in ("", ended):
        assert PROBE.stopped(tmp_path, own) == {"changed": False, "directory": own}
    found = PROBE.stopped(tmp_path, lost)
    assert found["failed"]
    assert lost in found["msg"]
    assert calls == []
    assert PROBE.stopped(tmp_path, running) == {"changed": False, "directory": running}
    assert calls == [("stop", "--home", str(tmp_path))]


def test_a_drill_in_check_mode_has_no_probe_to_report_of(tmp_path: Path) -> None:
    desired = {"cluster": {"name": "demo", "broker_ids": [1]}, "nodes": {}}
    points = [
        {"ansible.builtin.include_role": {"name": "kafka_probe", "tasks_from": each, "rolespec_validate": False}}
        for each in ("stop", "drill")
    ]
    before = {"ansible.builtin.set_fact": {"kafka_desired": desired, "cacheable": True}}
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [before, *points]}
    play["vars"] = {"kafka_drill_faults": ["broker_killed"], "kafka_drill_seconds": 30}
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    ran = subprocess.run(
        ["ansible-playbook", "--check", str(tmp_path / "play.yml")],
        cwd=ROOT,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
