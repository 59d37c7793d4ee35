"""Watcher of a demo: processes that it ends, those that it spares, and its port."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from scripts import demo_watch, watchers
from scripts.demo_watch import Started
from spark_jobs.one_run import began

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(demo_watch, "HOME", tmp_path / "demo-watch")
    monkeypatch.setattr(demo_watch, "STARTED", tmp_path / "demo-watch/started.json")
    monkeypatch.setattr(demo_watch, "STEP", 0.05)
    return tmp_path / "demo-watch"


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(SLEEP) as made:
        yield made
        made.kill()


def left(home: Path, *every: Started) -> None:
    home.mkdir()
    (home / "started.json").write_text(json.dumps([asdict(one) for one in every]))


def test_what_was_started_is_ended_and_its_data_removed(home: Path, process: subprocess.Popen[bytes]) -> None:
    left(home, Started("Prometheus", "127.0.0.1:9090", process.pid, began(process.pid)))
    demo_watch.stop()
    assert process.poll() is not None
    assert not home.exists()


def test_a_process_that_has_only_the_number_of_ours_is_left_alone(home: Path, process: subprocess.Popen[bytes]) -> None:
    left(home, Started("Prometheus", "127.0.0.1:9090", process.pid, "1"))
    demo_watch.stop()
    assert process.poll() is None


def test_a_new_start_keeps_what_the_last_one_has_recorded(home: Path) -> None:
    left(home)
    (home / "Prometheus").mkdir()
    demo_watch.stop(keep=True)
    assert (home / "Prometheus").is_dir()
    assert demo_watch.started() == []


def test_where_nothing_was_started_nothing_is_ended() -> None:
    demo_watch.stop()


def test_a_usual_port_is_taken_unless_someone_listens_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert watchers.free_address(port) != f"127.0.0.1:{port}"
    assert watchers.free_address(port) == f"127.0.0.1:{port}"


def test_every_playbook_knows_that_there_are_metrics_and_a_sick_demo_is_shown_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played: dict[str, list[str]] = {}
    monkeypatch.setattr(demo_watch, "play", lambda playbook, words: played.update({playbook: list(words)}))
    monkeypatch.setattr(demo_watch, "launch", lambda name, address: Started(name, address, 1, "1"))
    monkeypatch.setattr(demo_watch, "wait_until_watched", lambda _: None)
    monkeypatch.setattr(watchers, "free_address", lambda port: f"127.0.0.1:{port}")
    demo_watch.start(["-e", "kafka_security=tls"])
    assert list(played) == ["deploy_cluster", "render_monitoring", "cluster_status"]
    assert all(words[:4] == ["-e", "kafka_security=tls", "-e", "kafka_metrics=true"] for words in played.values())
    assert "kafka_metrics_alertmanager=127.0.0.1:9093" in played["render_monitoring"]
    assert {"kafka_prometheus_url=http://127.0.0.1:9090", "kafka_status_refuse=false"} <= set(played["cluster_status"])
    assert [each.name for each in demo_watch.started()] == ["Prometheus", "Alertmanager"]
    assert str(demo_watch.PAGE) in capsys.readouterr().out


def test_a_start_that_dies_while_it_notes_leaves_what_stood_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Started("Prometheus", "127.0.0.1:1", 1, "then")
    left(home, first)

    def half(path: Path, text: str) -> int:
        path.write_bytes(text[:5].encode())
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(OSError, match="no space"):
        demo_watch.note([first, first])
    assert demo_watch.started() == [first]
