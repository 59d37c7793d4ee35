"""The probe itself on real brokers: a stall is found with its length."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs import session
from spark_jobs.probe import audit, commands, process, producing
from spark_jobs.probe.events import Clock, EventLog
from spark_jobs.probe.settings import ProbeSettings
from spark_jobs.probe.topic import ProbeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until

ROOT = Path(__file__).resolve().parents[2]
PAUSED = 2
PAUSE_SECONDS = 1.2


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    opened = session.open_session("probe", commands.JAVA_OPTIONS)
    yield opened
    opened.stop()


def probe(home: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "spark_jobs.probe", arguments[0], "--home", str(home), *arguments[1:]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def watched(kafka_cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, float]:
    """Return a probe's directory, and the time in which a broker was frozen while it worked."""
    home = tmp_path_factory.mktemp("probe")
    wanted = {"bootstrap_servers": kafka_cluster.bootstrap_servers, "cluster": "c", "partitions": 6, "rate": 120}
    (home / "wanted.json").write_text(json.dumps(wanted))
    probe(home, "start", "--config", str(home / "wanted.json"))
    left = process.find(home)
    assert left is not None
    assert left.pid is not None
    time.sleep(2)  # something to compare the pause with
    kafka_cluster.pause_node(PAUSED)
    began, spent = time.time(), processor_seconds(left.pid)
    time.sleep(PAUSE_SECONDS)
    ended = time.time()
    assert processor_seconds(left.pid) - spent < (ended - began) / 2  # who waits, sleeps
    kafka_cluster.resume_node(PAUSED)
    time.sleep(1)
    assert process.stop(home, 60)
    kafka_cluster.wait_ready()
    return left.directory, began, ended


def processor_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_a_broker_that_stands_still_is_a_stall_of_that_length(
    spark: SparkSession, watched: tuple[Path, float, float]
) -> None:
    directory, began, ended = watched
    result = audit.audit(spark, directory)
    assert result["outcome"] == "proven", result["sentences"]
    assert result["counts"]["received"] == result["counts"]["acked"] > 100
    assert {row["partition"] for row in result["stalls"]} == set(range(6))
    quiet = [stall for stall in result["long_stalls"] if stall["to_us"] < began * 1e6]
    slack = 0.5 + max((stall["length_us"] for stall in quiet), default=0) / 1e6 + result["late_ms"] / 1e3
    # A busy machine stops for seconds, too: the longest of those that the pause is in.
    during = [one for one in result["long_stalls"] if one["from_us"] < ended * 1e6 <= one["to_us"]]
    worst = max(during, key=lambda stall: stall["length_us"])
    assert worst["from_us"] / 1e6 == pytest.approx(began, abs=slack)
    assert ended <= worst["to_us"] / 1e6 < ended + 10 + 3 * slack
    assert worst["length_us"] / 1e6 >= PAUSE_SECONDS - 0.1


def connections(port: int) -> set[str]:
    """Return this process' connections to a port of loopback, by their inodes."""
    inodes = {os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    lines = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    established = [each for each in lines if each[3] == "01" and int(each[2].rpartition(":")[2], 16) == port]
    return {each[9] for each in established if f"socket:[{each[9]}]" in inodes}


def test_a_producer_is_connected_to_brokers_that_lead_nothing(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    ports = [node.client_port for node in kafka_cluster.nodes.values()]
    before = [connections(port) for port in ports]
    settings = ProbeSettings(kafka_cluster.bootstrap_servers, "c", 1, 10, run_id="one")
    made = producing.producer(settings, EventLog(tmp_path, Clock()), "producer-0")

    def opened() -> list[int]:
        made.poll(0.1)
        return [len(connections(port) - each) for port, each in zip(ports, before)]

    assert until(opened, lambda found: found == [1] * len(ports), 90) == [1] * len(ports)


@pytest.mark.later
def test_its_topic_is_made_although_the_active_controller_has_just_died(kafka_cluster: KafkaCluster) -> None:
    leader = kafka_cluster.active_controller
    topic = ProbeTopic(ProbeSettings(kafka_cluster.bootstrap_servers, "c", 6, 120, run_id="lone"))
    kafka_cluster.pause_node(leader)  # as the network sees it: connections are taken, nothing is answered
    try:
        assert topic.make() in (2, 3)  # two once the dead one is fenced
    finally:
        kafka_cluster.resume_node(leader)
        kafka_cluster.wait_ready()
    topic.remove()


def test_it_ends_with_a_whole_log_although_its_cluster_is_gone(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    wanted = {"bootstrap_servers": kafka_cluster.bootstrap_servers, "cluster": "c", "partitions": 3, "rate": 60}
    (tmp_path / "wanted.json").write_text(json.dumps({**wanted, "drain_seconds": 3}))
    probe(tmp_path, "start", "--config", str(tmp_path / "wanted.json"))
    left = process.find(tmp_path)
    assert left is not None
    time.sleep(2)  # its consumers have joined their group
    for node_id in kafka_cluster.nodes:
        kafka_cluster.pause_node(node_id)
    time.sleep(4)  # what is sent now stays unanswered
    try:
        assert process.stop(tmp_path, 60)
    finally:
        for node_id in kafka_cluster.nodes:
            kafka_cluster.resume_node(node_id)
    kafka_cluster.wait_ready()
    ended = json.loads((left.directory / "end.json").read_text())
    assert not ended["drained"] or ended["unanswered"]
