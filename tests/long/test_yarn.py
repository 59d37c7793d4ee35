"""The proof on YARN, by the line of docs/data_engineers.md, on Hadoop's own servers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN, EXIT_USAGE
from spark_jobs.installation import JARS
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.spark_job import Job
from tests.integration.topic_copy import Copied, numbered
from tests.long.hadoop import NARROW, NODE_MB, Hadoop
from tests.long.lab_hosts import ROOT

pytestmark = pytest.mark.timeout(1200)
FOLDER = "hdfs:///apps/kraftwright"
RECORDS, MANY = 20_000, 400_000
SECONDS = 300
SMALL = ("spark.executor.instances=2", "spark.executor.memory=768m", "spark.yarn.am.memory=512m")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hadoop]:
    if not list(JARS.glob("*.jar")):
        subprocess.run([sys.executable, "-m", "dist", "spark"], cwd=ROOT, check=True)
    hadoop = Hadoop.start(tmp_path_factory.mktemp("hadoop"))
    yield hadoop
    hadoop.stop()


@pytest.fixture(scope="module")
def archive(servers: Hadoop) -> str:
    """The setting that names Spark's jars in HDFS, as the documented line prints it."""
    line = [sys.executable, "-m", "spark_jobs.yarn_archive", FOLDER]
    environment = {**os.environ, **servers.environment}
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == EXIT_PROVEN, done.stderr[-4000:]
    return done.stdout.strip()


@pytest.fixture
def hadoop(servers: Hadoop, archive: str) -> Iterator[Hadoop]:
    """The servers; HDFS holds Spark's jars and no other file, before and after each run."""
    yield servers
    kept = [archive.partition("=")[2].removeprefix("hdfs://")]
    until(lambda: servers.files() == kept, lambda: f"HDFS holds {servers.files()}")
    until(lambda: not servers.executors(), lambda: f"executors still run: {servers.executors()}")


@pytest.fixture
def job(kafka: KafkaCluster, tmp_path: Path, request: pytest.FixtureRequest) -> Job:
    records = MANY if "killed" in request.node.name else RECORDS
    return Job.make(kafka.bootstrap_servers, re.sub(r"\W", ".", request.node.name), tmp_path, records)


def until(true: Callable[[], bool], otherwise: Callable[[], str], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.2)


def on_yarn(archive: str, *settings: str) -> list[str]:
    """Arguments of the launcher; a later setting of a name counts."""
    return ["--master", "yarn", *(part for one in (archive, *SMALL, *settings) for part in ("--conf", one))]


def test_yarn_proves_the_cluster_with_executors_on_both_nodes(hadoop: Hadoop, archive: str, job: Job) -> None:
    done = job.submit(*on_yarn(archive), **hadoop.environment)
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = job.report()
    assert report["verdict"]["outcome"] == "proven"
    assert report["spark"]["master"] == "yarn"
    assert (report["counts"]["read"], report["counts"]["lost"], report["counts"]["duplicated"]) == (RECORDS, 0, 0)
    assert report["stream"]["same_as_batch"]
    assert all(hadoop.ran()), hadoop.ran()


def test_an_executor_that_is_killed_in_the_read_changes_no_count(hadoop: Hadoop, archive: str, job: Job) -> None:
    with job.begin(*on_yarn(archive), **hadoop.environment) as running:
        until(lambda: "wrote" in job.steps or running.poll() is not None, lambda: job.steps, SECONDS)
        executors, staged = hadoop.executors(), hadoop.files()
        assert len(executors) == 2, job.steps
        os.kill(min(executors), signal.SIGKILL)
        assert "read back" not in job.steps
        output, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == EXIT_PROVEN, output
    assert "Lost executor" in (job.output / "spark.log").read_text()
    report = job.report()
    counts = report["counts"]
    assert (counts["read"], counts["lost"], counts["duplicated"], counts["out_of_order"]) == (MANY, 0, 0, 0)
    assert report["stream"]["same_as_batch"]
    assert any(".sparkStaging" in path for path in staged)
    assert not any("__spark_libs__" in path for path in staged), "Spark's jars were sent again"


def test_an_executor_that_is_killed_in_the_write_loses_nothing(hadoop: Hadoop, archive: str, job: Job) -> None:
    with job.begin(*on_yarn(archive), **hadoop.environment) as running:
        until(lambda: held(job) > MANY // 10 or running.poll() is not None, lambda: job.steps, SECONDS)
        assert "wrote" not in job.steps
        os.kill(min(hadoop.executors()), signal.SIGKILL)
        output, _ = running.communicate(timeout=SECONDS)
    assert running.returncode == EXIT_PROVEN, output
    assert "Lost executor" in (job.output / "spark.log").read_text()
    report = job.report()
    counts = report["counts"]
    assert (counts["lost"], counts["out_of_order"], counts["corrupt"]) == (0, 0, 0)
    assert counts["read"] == MANY + counts["duplicated"]
    assert held(job) >= counts["read"]


def test_a_nodemanager_that_is_killed_in_the_read_changes_no_count(hadoop: Hadoop, archive: str, job: Job) -> None:
    """Its executor ends with it, and the application's master, if that is there. The other node does the rest."""
    with job.begin(*on_yarn(archive), **hadoop.environment) as running:
        until(lambda: "wrote" in job.steps or running.poll() is not None, lambda: job.steps, SECONDS)
        lost = max(hadoop.executors().values())
        assert "read back" not in job.steps
        hadoop.stop_node(lost)  # returns when its containers have ended
        try:
            output, _ = running.communicate(timeout=SECONDS)
        finally:
            hadoop.start_node(lost)
    assert running.returncode == EXIT_PROVEN, output
    assert "Lost executor" in (job.output / "spark.log").read_text()
    report = job.report()
    counts = report["counts"]
    assert (counts["read"], counts["lost"], counts["duplicated"], counts["out_of_order"]) == (MANY, 0, 0, 0)
    assert report["stream"]["same_as_batch"]


def test_a_driver_that_is_killed_is_never_proven(hadoop: Hadoop, archive: str, job: Job) -> None:
    with job.begin(*on_yarn(archive), **hadoop.environment) as running:
        until(lambda: "wrote" in job.steps or running.poll() is not None, lambda: job.steps, SECONDS)
        (driver,) = drivers(job)
        os.kill(driver, signal.SIGKILL)
        output, _ = running.communicate(timeout=SECONDS)
    assert running.returncode not in (EXIT_PROVEN, EXIT_FAILED), output
    assert "SIGKILL" in output or "signal 9" in output or "killed" in output, output
    assert job.report()["verdict"]["outcome"] not in ("proven", "failed")


@pytest.mark.parametrize(
    "settings",
    [
        ("spark.sql.adaptive.enabled=false",),
        (
            "spark.sql.adaptive.enabled=true",
            "spark.dynamicAllocation.enabled=true",
            "spark.dynamicAllocation.shuffleTracking.enabled=true",
            "spark.dynamicAllocation.minExecutors=1",
            "spark.dynamicAllocation.maxExecutors=2",
            "spark.dynamicAllocation.executorIdleTimeout=2s",
        ),
    ],
    ids=["planned", "adaptive-dynamic"],
)
def test_dynamic_allocation_and_adaptive_execution_change_no_count(
    hadoop: Hadoop, archive: str, job: Job, settings: tuple[str, ...]
) -> None:
    done = job.submit(*on_yarn(archive, *settings), **hadoop.environment)
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = job.report()
    counts = report["counts"]
    assert (counts["read"], counts["lost"], counts["duplicated"], counts["out_of_order"]) == (RECORDS, 0, 0, 0)
    assert report["stream"]["same_as_batch"]


def held(job: Job) -> int:
    """The number of offsets in the topic of a job."""
    consumer = Consumer({"bootstrap.servers": job.bootstrap, "group.id": "witness"})
    try:
        places = [TopicPartition(job.topic, number) for number in range(6)]
        return sum(consumer.get_watermark_offsets(one, timeout=30)[1] for one in places)
    finally:
        consumer.close()


def drivers(job: Job) -> list[int]:
    """Pids of Spark's driver in a job: its JVM."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (process / "cmdline").read_text()
            if "deploy.SparkSubmit" in line and str(job.config) in line and line.partition("\0")[0].endswith("java"):
                found.append(int(process.name))
    return found


def test_the_proof_of_a_copy_on_yarn_names_the_missing_record(
    hadoop: Hadoop, archive: str, kafka: KafkaCluster, tmp_path: Path
) -> None:
    copied, records = Copied.make(kafka.bootstrap_servers, "copied"), numbered(3000)
    copied.write(copied.source, records)
    copied.write(copied.target, records[:-1])
    side = {"bootstrap_servers": kafka.bootstrap_servers}
    names = {"topics": {copied.source: copied.target}, "output_dir": str(tmp_path / "out")}
    (tmp_path / "proof.json").write_text(json.dumps({"run_id": "yarn", "source": side, "target": side, **names}))
    line = [sys.executable, "-m", "spark_jobs.proof", "--config", str(tmp_path / "proof.json"), *on_yarn(archive)]
    environment = {**os.environ, **hadoop.environment}
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == EXIT_FAILED, done.stdout + done.stderr
    report = json.loads((tmp_path / "out/report.json").read_text())
    (topic,) = report["topics"]
    assert report["spark"]["master"] == "yarn"
    assert (topic["source_records"], topic["paired"], topic["faults"]["missing"]) == (3000, 2999, 1)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        (f"spark.yarn.queue={NARROW}", "the Spark master gave no executor within 120 s"),
        (f"spark.executor.memory={NODE_MB}m", "the Spark master gave no executor: ask for less"),
    ],
    ids=["full", "large"],
)
def test_a_master_that_gives_no_executor_is_named(
    hadoop: Hadoop, archive: str, job: Job, setting: str, says: str
) -> None:
    done = job.submit(*on_yarn(archive, setting), **hadoop.environment)
    assert done.returncode == EXIT_USAGE, done.stdout + done.stderr
    assert says in done.stdout + done.stderr
    assert any(says in sentence for sentence in job.report()["verdict"]["sentences"])
