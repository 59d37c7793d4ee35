"""The job as people start it: spark-submit on this machine and on a separate standalone cluster of two workers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from spark_jobs.errors import EXIT_FAILED, EXIT_PROVEN
from spark_jobs.installation import JARS
from spark_jobs.record_format import RUN_ID
from spark_jobs.report_check import schema_errors
from spark_jobs.steady import FEWEST
from spark_jobs.submit import find_tools
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.spark_topic import create

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 20_000
MASTER_SECONDS = 60


@pytest.fixture(scope="module", autouse=True)
def jars() -> None:
    if not list(JARS.glob("*.jar")):
        subprocess.run([sys.executable, "-m", "dist", "spark"], cwd=ROOT, check=True)


@dataclass(frozen=True)
class Job:
    """A configuration file and the topic that it names."""

    bootstrap: str
    topic: str
    config: Path
    output: Path

    def submit(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run ``python -m spark_jobs.submit`` in a separate process."""
        line = [sys.executable, "-m", "spark_jobs.submit", "--config", str(self.config), "--timeout", "300", *arguments]
        return self.run(line, **environment)

    def run(self, line: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        whole = {**os.environ, **environment}
        return subprocess.run(line, cwd=ROOT, env=whole, capture_output=True, text=True, timeout=400, check=False)

    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.output / "report.json").read_text())
        assert schema_errors(report) == []
        return report


@pytest.fixture
def job(kafka_cluster: KafkaCluster, tmp_path: Path, request: pytest.FixtureRequest) -> Job:
    name = "submit-" + request.node.name[-60:]
    bootstrap = kafka_cluster.bootstrap_servers
    content = {
        "run_id": "submitted",
        "bootstrap_servers": bootstrap,
        "topic": create(bootstrap, name, 6),
        "partitions": 6,
        "records": RECORDS,
        "record_bytes": 100,
        "output_dir": str(tmp_path / "out"),
        "versions": {"kafka": "4.4.0"},
    }
    path = tmp_path / "smoke.json"
    path.write_text(json.dumps(content))
    return Job(bootstrap, name, path, tmp_path / "out")


def test_a_submitted_job_proves_the_cluster_and_its_page_can_be_made(job: Job) -> None:
    done = job.submit("--master", "local[2]")
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = job.report()
    assert report["verdict"]["outcome"] == "proven"
    assert report["counts"]["read"] == RECORDS
    assert report["spark"]["master"] == "local[2]"
    assert "spark-sql-kafka-0-10" in report["spark"]["connector"]
    assert report["native_smoke"]["ms"] < 10_000
    assert report["counts"]["unexpected"] == 0  # the steady client ends before Spark begins
    waited = report["steady"]["acknowledged"]
    assert report["steady"]["records"] >= FEWEST
    assert 0 < waited["p50_ms"] <= waited["p99_ms"] <= waited["max_ms"] < 5000
    assert report["steady"]["returned"]["p50_ms"] > 0  # the consumer may be faster than the acknowledgement
    assert not list(job.output.glob("steady*"))
    assert "wrote 20,000 records" in done.stdout
    assert (job.output / "progress.log").read_text().splitlines()[-1] in done.stdout
    page = job.output / "page.html"
    job.run([sys.executable, "-m", "spark_jobs.page", str(job.output / "report.json"), str(page)]).check_returncode()
    assert "20,000" in page.read_text()


def test_records_that_vanish_during_the_run_fail_it_with_their_names(job: Job) -> None:
    """As soon as partition 0 holds some of the job's records, the first 25 of them are deleted behind its back."""
    thief = threading.Thread(target=delete_first, args=(job, 25))
    thief.start()
    done = job.submit("--master", "local[2]")
    thief.join()
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


WORKERS = 2


@dataclass(frozen=True)
class Standalone:
    """A master and two workers from the pyspark package, ended by their pids."""

    url: str
    directories: tuple[Path, ...]

    def ran(self) -> list[int]:
        """Tasks that each worker's executors finished."""
        logs = [[log.read_text() for log in place.glob("app-*/*/stderr")] for place in self.directories]
        return [sum(text.count("Finished task") for text in texts) for texts in logs]


@pytest.fixture
def standalone(tmp_path: Path) -> Iterator[Standalone]:
    spark_class = find_tools(os.environ, JARS).spark_submit.with_name("spark-class")
    (port,) = free_ports(1)
    url = f"spark://127.0.0.1:{port}"
    own = tuple(tmp_path / f"worker{number}" for number in range(1, WORKERS + 1))
    master = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    worker = ["worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0"]
    lines = [master, *([*worker, "--work-dir", str(place), url] for place in own)]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (tmp_path / "standalone.log").open("w") as log:
        processes = [
            subprocess.Popen(
                [str(spark_class), f"org.apache.spark.deploy.{name}", *rest], env=environment, stdout=log, stderr=log
            )
            for name, *rest in lines
        ]
    try:
        wait_for_port(port)
        wait_for_workers(tmp_path / "standalone.log")
        yield Standalone(url, own)
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(30)


def wait_for_workers(log: Path) -> None:
    """An application that starts before a worker is there would run on the other one alone."""
    deadline = time.monotonic() + MASTER_SECONDS
    while log.read_text().count("Successfully registered with master") < WORKERS:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + MASTER_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "the master does not listen"
            time.sleep(0.1)
        else:
            return


def test_a_standalone_cluster_of_two_workers_proves_the_cluster(job: Job, standalone: Standalone) -> None:
    settings = ("--conf", "spark.executor.memory=512m")
    done = job.submit("--master", standalone.url, *settings, SPARK_LOCAL_IP="127.0.0.1")
    assert done.returncode == EXIT_PROVEN, done.stdout + done.stderr
    report = job.report()
    assert report["spark"]["master"] == standalone.url
    assert report["counts"]["read"] == RECORDS
    assert report["stream"]["same_as_batch"]
    assert all(standalone.ran()), standalone.ran()


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
