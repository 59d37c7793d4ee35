"""The job as people start it: spark-submit on this machine and on a separate standalone cluster of two workers."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN
from spark_jobs.installation import JARS
from spark_jobs.record_format import RUN_ID
from spark_jobs.steady import FEWEST
from spark_jobs.submit import find_tools
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.spark_job import Job
from tests.integration.spark_standalone import Standalone

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 20_000
MASTER_SECONDS = 60


@pytest.fixture(scope="module", autouse=True)
def jars() -> None:
    if not list(JARS.glob("*.jar")):
        subprocess.run([sys.executable, "-m", "dist", "spark"], cwd=ROOT, check=True)


@pytest.fixture
def job(kafka_cluster: KafkaCluster, tmp_path: Path, request: pytest.FixtureRequest) -> Job:
    return Job.make(kafka_cluster.bootstrap_servers, "submit-" + request.node.name[-60:], tmp_path, RECORDS)


def test_a_submitted_job_proves_the_cluster_and_its_page_can_be_made(job: Job) -> None:
    for _ in range(3):  # a busy machine may leave no figures of the steady client
        done = job.submit("--master", "local[2]")
        assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
        if (report := job.report())["steady"]:
            break
    assert report["verdict"]["outcome"] == "proven"
    assert report["counts"]["read"] == RECORDS
    assert report["spark"]["master"] == "local[2]"
    assert "spark-sql-kafka-0-10" in report["spark"]["connector"]
    assert report["native_smoke"]["ms"] < 20_000
    assert report["counts"]["unexpected"] == 0  # the steady client ends before Spark begins
    waited = report["steady"]["acknowledged"]
    assert report["steady"]["records"] >= FEWEST
    # A record that takes longer than ten seconds is given up.
    assert 0 < waited["p50_ms"] <= waited["p99_ms"] <= waited["max_ms"] < 11_000
    assert report["steady"]["returned"]["p50_ms"] > 0  # the consumer may be faster than the acknowledgement
    assert not list(job.output.glob("steady*"))
    assert "wrote 20,000 records" in done.stdout
    assert (job.output / "progress.log").read_text().splitlines()[-1] in done.stdout
    page = job.output / "page.html"
    job.run([sys.executable, "-m", "spark_jobs.page", str(job.output / "report.json"), str(page)]).check_returncode()
    assert "20,000" in page.read_text()


def test_records_that_vanish_during_the_run_fail_it_with_their_names(
    kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """As soon as partition 0 holds some of the job's records, the first 25 of them are deleted behind its back."""
    for attempt in range(3):
        place = tmp_path / f"attempt{attempt}"
        place.mkdir()
        job = Job.make(kafka_cluster.bootstrap_servers, f"submit-stolen-{attempt}", place, RECORDS)
        thief = threading.Thread(target=delete_first, args=(job, 25))
        thief.start()
        done = job.submit("--master", "local[2]")
        thief.join()
        if done.returncode != EXIT_PROVEN:  # else a busy machine let the thief come after the reader
            break
    assert done.returncode == EXIT_FAILED, done.stdout + done.stderr
    report = job.report()
    assert report["counts"]["lost"] == 25
    assert [entry["partition"] for entry in report["first_missing"]] == [0] * 20
    assert "acknowledged are lost; the first: number " in done.stdout
    assert done.stdout.count("missing: number ") == 20


def delete_first(job: Job, count: int) -> None:
    """Delete ``count`` records of the job in partition 0, which begins with those of the steady client."""
    place = TopicPartition(job.topic, 0, offset_of(job, count))
    admin = AdminClient({"bootstrap.servers": job.bootstrap})
    admin.delete_records([place])[place].result(30)


def offset_of(job: Job, number: int) -> int:
    """Wait until Spark has written more than ``number`` records to partition 0; return the offset behind these."""
    consumer = Consumer({"bootstrap.servers": job.bootstrap, "group.id": "thief", "enable.auto.commit": False})
    consumer.assign([TopicPartition(job.topic, 0, 0)])
    offsets: list[int] = []
    deadline = time.monotonic() + 200
    while len(offsets) <= number:
        assert time.monotonic() < deadline, f"the job wrote {len(offsets)} records to partition 0"
        message = consumer.poll(0.1)
        offset = message.offset() if message is not None and written_by_spark(message.value()) else None
        offsets += [] if offset is None else [offset]
    consumer.close()
    return offsets[number]


def written_by_spark(value: bytes | str | None) -> bool:
    """The steady client of a run has another mark."""
    return isinstance(value, bytes) and value[RUN_ID.start : RUN_ID.end].startswith(b"submitt.")


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[Standalone]:
    cluster = Standalone.start(tmp_path)
    yield cluster
    cluster.stop()


@pytest.mark.later
def test_a_standalone_cluster_of_two_workers_proves_the_cluster(job: Job, standalone: Standalone) -> None:
    settings = ("--conf", "spark.executor.memory=512m")
    done = job.submit("--master", standalone.url, *settings, SPARK_LOCAL_IP="127.0.0.1")
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = job.report()
    assert report["spark"]["master"] == standalone.url
    assert report["counts"]["read"] == RECORDS
    assert report["stream"]["same_as_batch"]
    assert all(standalone.ran()), standalone.ran()


@pytest.mark.later
def test_spark_submit_alone_is_enough(job: Job, tmp_path: Path) -> None:
    """The documented line, from another directory, without the launcher: the job makes its own native smoke test."""
    tools = find_tools(os.environ, JARS)
    jars = ",".join(str(jar) for jar in tools.jars)
    script = str(ROOT / "spark_jobs/smoke.py")
    line = [str(tools.spark_submit), "--master", "local[2]", "--jars", jars, script, "--config", str(job.config)]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    assert job.report()["native_smoke"]["partitions"]
