"""Phases by file, seconds by phase, and when the callback writes where, without a run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import context

from plugins.callback.kraft_timeline import CallbackModule, Line, covered_seconds, phase_of, phase_summary, project_root


@pytest.mark.parametrize(
    ("path", "phase"),
    [
        ("/x/roles/kafka/tasks/install.yml:12", "install"),
        ("/x/roles/kafka/tasks/restart_batch.yml:3", "roll"),
        ("/x/roles/kafka/tasks/main.yml:3", "other"),
        ("/x/roles/kafka_host/tasks/disk.yml:1", "host"),
        ("/x/roles/kafka_host/tasks/status.yml:1", "other"),
        ("/x/roles/kafka_smoke/tasks/main.yml:9", "verify"),
        ("/x/roles/kafka_smoke/tasks/install.yml:9", "verify"),
        ("/x/roles/kafka_resources/tasks/topics.yml:9", "resources"),
        ("/x/roles/kafka_lab/tasks/main.yml:9", "other"),
        ("/x/playbooks/validate_inventory.yml:9", "validate"),
        ("/x/playbooks/verify_cluster.yml:9", "verify"),
        ("", "other"),
    ],
)
def test_phase_follows_from_the_file(path: str, phase: str) -> None:
    assert phase_of(path) == phase


def test_hosts_that_work_side_by_side_count_once() -> None:
    assert covered_seconds([(0, 2), (1, 3), (10, 11), (1.5, 1.7)]) == pytest.approx(4)
    assert covered_seconds([]) == 0


def test_summary_names_phases_in_the_order_they_began() -> None:
    lines = [
        Line("b", "host", "t", 5.0, 6.0, False, True),
        Line("a", "validate", "t", 1.0, 1.4, False, True),
        Line("a", "host", "t", 5.5, 8.1, False, True),
    ]
    assert phase_summary(lines) == "validate 0.4 s · host 3.1 s"


def test_project_root_is_the_closest_directory_with_an_ansible_cfg(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert project_root(tmp_path / "a/b") == tmp_path / "a/b"
    (tmp_path / "ansible.cfg").touch()
    assert project_root(tmp_path / "a/b") == tmp_path


def result(path: str, facts: dict[str, Any] | None = None, action: str = "kafka_files") -> Any:
    task = SimpleNamespace(_uuid="1", action=action, name="Do it", get_path=lambda: path)
    return SimpleNamespace(
        host=SimpleNamespace(get_name=lambda: "kraft1"),
        task=task,
        task_fields={"name": "Do it"},
        result={"ansible_facts": facts or {}},
        is_changed=lambda: True,
    )


def run(root: Path, monkeypatch: pytest.MonkeyPatch, cluster: Any, check: bool = False) -> CallbackModule:
    """A run below ``root`` that learns the cluster's name and installs."""
    monkeypatch.setattr(context, "CLIARGS", {"check": check})
    (root / "ansible.cfg").touch()
    callback = CallbackModule()
    callback._plugin_options = {"path": None, "show": False}
    callback.v2_playbook_on_start(SimpleNamespace(_basedir=str(root)))
    facts = {"kafka_desired": {"cluster": {"name": cluster, "cluster_id": "ours"}}}
    callback.v2_runner_on_ok(result("/x/roles/kafka/tasks/validate.yml:1", facts, "kafka_desired"))
    callback.v2_runner_on_ok(result("/x/roles/kafka/tasks/install.yml:1"))
    return callback


def test_a_deployment_writes_below_the_name_of_its_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, monkeypatch, "blue")
    assert len((tmp_path / ".kraftwright/blue/timeline.jsonl").read_text().splitlines()) == 2


def test_a_timeline_is_closed_to_others_and_beside_it_stands_whose_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, monkeypatch, "blue")
    directory = tmp_path / ".kraftwright/blue"
    assert (directory / "cluster_id").read_text() == "ours\n"
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o640}
    assert directory.stat().st_mode & 0o777 == 0o750


def test_the_timeline_of_another_cluster_of_the_same_name_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / ".kraftwright/blue"
    directory.mkdir(parents=True)
    (directory / "cluster_id").write_text("theirs\n")
    (directory / "timeline.jsonl").write_text("theirs\n")
    assert run(tmp_path, monkeypatch, "blue").disabled
    assert "holds reports of cluster id theirs" in capsys.readouterr().err
    assert (directory / "timeline.jsonl").read_text() == "theirs\n"


def test_check_mode_deploys_nothing_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, monkeypatch, "blue", check=True)
    assert not (tmp_path / ".kraftwright").exists()


@pytest.mark.parametrize("name", ["../../etc", "..", "", "a/b", None, 7])
def test_a_name_that_is_no_file_name_is_never_used_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: Any
) -> None:
    run(tmp_path, monkeypatch, name)
    assert [p.name for p in tmp_path.iterdir()] == ["ansible.cfg"]


def test_trouble_ends_recording_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".kraftwright").write_text("a file where a directory should be")
    assert run(tmp_path, monkeypatch, "blue").disabled
    assert capsys.readouterr().err.count("kraft_timeline stops recording") == 1
