"""The callback in real runs of ansible-playbook: a separate small project, hosts on the local connection."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.unit.plugins.timeline_project import make_project, play, read

LINE_KEYS = {"host", "phase", "task", "start", "end", "changed", "ok"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def deployed(project: Path) -> subprocess.CompletedProcess[str]:
    done = play(project, "deploy_cluster", KRAFTWRIGHT_TIMELINE_SHOW="1")
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def timeline(project: Path, deployed: subprocess.CompletedProcess[str]) -> Path:
    assert deployed.returncode == 0
    return project / ".kraftwright/blue/timeline.jsonl"


def test_each_executed_task_leaves_a_line_for_each_host(timeline: Path) -> None:
    lines = read(timeline)
    assert all(set(line) == LINE_KEYS for line in lines)
    assert [(x["phase"], x["task"], x["changed"], x["ok"]) for x in lines if x["host"] == "kraft1"] == [
        ("validate", "Work out the desired state", False, True),
        ("install", "Unpack the release", True, True),
        ("verify", "Prove", False, True),
    ]


def test_delegated_task_counts_for_the_host_it_ran_on(timeline: Path) -> None:
    assert [line["host"] for line in read(timeline) if line["phase"] == "roll"] == ["kraft2"]


def test_a_probe_is_told_the_steps_up_to_its_end_and_where_loops_ran(project: Path, tmp_path: Path) -> None:
    done = play(project, "probed", "-e", f"probed={tmp_path}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(line["task"], line["host"]) for line in read(tmp_path / "steps.jsonl")] == [
        ("Before", "kraft1"),
        ("Start", "kraft1"),
        ("Loop", "kraft1, kraft2"),
        ("Loop over one", "kraft2"),
        ("Stop", "kraft1"),
    ]


def test_lines_say_when_a_task_ran_on_a_host(timeline: Path) -> None:
    for line in read(timeline):
        if line["phase"] in {"install", "roll", "verify"}:
            assert 0.1 <= line["end"] - line["start"] < 300


def test_run_ends_with_seconds_per_phase_when_asked(deployed: subprocess.CompletedProcess[str]) -> None:
    last = deployed.stdout.strip().splitlines()[-1]
    words = [part.split() for part in last.split(" · ")]
    assert [word[0] for word in words] == ["validate", "install", "roll", "verify"]
    assert all(float(word[1]) >= 0 and word[2] == "s" for word in words)


def test_run_that_only_verifies_keeps_the_timeline(timeline: Path, project: Path) -> None:
    before = timeline.read_text()
    done = play(project, "verify_cluster")
    assert done.returncode == 0, done.stdout + done.stderr
    assert timeline.read_text() == before
    assert "validate " not in done.stdout.splitlines()[-1]
    assert sorted(p.name for p in project.rglob(".kraftwright/**/*")) == ["blue", "cluster_id", "timeline.jsonl"]


def test_given_path_gets_every_run_failures_and_unreachable_hosts_too(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines.jsonl"
    path.parent.mkdir()
    path.write_text("of an earlier run\n")
    done = play(project, "break", KRAFTWRIGHT_TIMELINE=str(path))
    assert done.returncode != 0
    outcomes = {(line["host"], line["task"]): line["ok"] for line in read(path)}
    assert outcomes == {
        ("kraft1", "Say something"): True,
        ("kraft9", "Say something"): False,
        ("kraft1", "Fail here"): False,
    }
    assert {line["phase"] for line in read(path)} == {"other"}
