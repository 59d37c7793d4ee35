"""The streaming sample in a Delta table holds each record exactly once, whatever dies meanwhile; the audit judges.

A producer writes steadily through all of it. The driver is started again after each of its ends, as a supervisor does.
"""

from __future__ import annotations

import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from dist import locks, maven
from spark_jobs import audit, reading, session
from spark_jobs.installation import JARS, spark_home
from spark_jobs.record_format import Workload, encode
from tests.integration.client_faults import wait_in_sync
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.spark_topic import create
from tests.long.lab_hosts import ROOT

pytestmark = pytest.mark.timeout(1500)
SAMPLE = ROOT / "samples/streaming"
DELTA = ROOT / ".cache/delta/jars"
LOCK = "delta-4.4.0"
SECONDS = 300
REPLACED = 4
ROLES = {1: ("controller",), 2: ("broker",), 3: ("broker",), REPLACED: ("broker",)}
RATE = 500
FAULTS = ("duplicated", "corrupt", "misplaced", "out_of_order")
MOST = 1_000_000
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"), 4, roles=ROLES)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def jars() -> str:
    """The connector's and Delta's jars, by their locks."""
    maven.fetch(locks.read(LOCK), DELTA)
    return ",".join(str(jar) for folder in (JARS, DELTA) for jar in sorted(folder.glob("*.jar")))


class Writing:
    """An idempotent producer that writes numbers of a workload until it is ended."""

    def __init__(self, kafka: KafkaCluster, topic: str, workload: Workload) -> None:
        self._topic, self._workload = topic, workload
        self._producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "enable.idempotence": True})
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self.written = 0

    def __enter__(self) -> Writing:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        assert self._producer.flush(120) == 0

    def _write(self) -> None:
        while not self._ended.wait(1 / RATE):
            key, value = encode(self._workload, self.written, int(time.time() * 1000))
            self._producer.produce(self._topic, value, key, self._workload.partition_of(self.written))
            self._producer.poll(0)
            self.written += 1


class Supervised:
    """The sample under spark-submit, started again whenever it ends."""

    def __init__(self, directory: Path, jars: str) -> None:
        self.directory, self.starts = directory, 0
        self._line = [str(spark_home() / "bin/spark-submit"), "--master", "local[2]", "--jars", jars]
        self._line += [part for name, text in SMALL.items() for part in ("--conf", f"{name}={text}")]
        self._process: subprocess.Popen[bytes] | None = None

    def keep(self) -> None:
        if self._process is None or self._process.poll() is not None:
            self.starts += 1
            with (self.directory / f"driver{self.starts}.log").open("w") as log:
                self._process = subprocess.Popen(
                    [*self._line, str(SAMPLE / "stream.py"), str(self.directory / "stream.json")],
                    env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable},
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )

    def kill(self) -> None:
        """End the driver as a power cut does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)

    def batches(self) -> int:
        """Batches that the checkpoint has as finished."""
        return len(list((self.directory / "checkpoint/commits").glob("[0-9]*")))

    def until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + SECONDS
        while not true():
            self.keep()
            last = self.directory / f"driver{self.starts}.log"
            assert time.monotonic() < deadline, last.read_text()[-4000:]
            time.sleep(0.2)

    def advance(self, batches: int = 2) -> None:
        wanted = self.batches() + batches
        self.until(lambda: self.batches() >= wanted)


def roll(kafka: KafkaCluster) -> None:
    """Restart each node, one after the other, each when all replicas are in sync."""
    for number in kafka.nodes:
        kafka.stop_node(number)
        kafka.start_node(number)
        wait_in_sync(kafka)


def replace(kafka: KafkaCluster, number: int) -> None:
    """A machine with the same id and an empty disk takes the place of a killed broker, which no replica set counts."""
    node, admin = kafka.nodes[number], AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    kafka.kill_node(number)
    deadline = time.monotonic() + 60
    while any(
        number in one.isrs
        for topic in admin.list_topics(timeout=10).topics.values()
        for one in topic.partitions.values()
    ):
        assert time.monotonic() < deadline, f"node {number} is still in sync"
        time.sleep(0.3)
    shutil.rmtree(node.directory / "data")
    assert node.spawn(kafka.format_command(node)).wait(120) == 0, node.last_lines()
    kafka.start_node(number)
    wait_in_sync(kafka)


def test_every_record_is_in_the_table_once_whatever_dies(kafka: KafkaCluster, jars: str, tmp_path: Path) -> None:
    topic, whole = create(kafka.bootstrap_servers, "streamed", 6), Workload("streamed", MOST, 100, 6, 1)
    config = json.loads((SAMPLE / "stream.json").read_text())
    config["kafka"] |= {"kafka.bootstrap.servers": kafka.bootstrap_servers, "subscribe": topic}
    config |= {"trigger": {"processingTime": "1 second"}}
    config |= {name: (tmp_path / name).as_uri() for name in ("table", "checkpoint")}
    (tmp_path / "stream.json").write_text(json.dumps(config))
    stream = Supervised(tmp_path, jars)
    with Writing(kafka, topic, whole) as writing:
        stream.advance()
        stream.kill()
        stream.advance()
        roll(kafka)
        stream.advance()
        replace(kafka, REPLACED)
        stream.advance()
    stream.advance(1)
    written = writing.written
    stream.until(lambda: committed(tmp_path) >= written)
    stream.kill()
    assert stream.starts >= 2
    require_once(tmp_path, jars, whole, written)


def committed(directory: Path) -> int:
    """Offsets that the newest finished batch has reached, of all partitions."""
    numbers = [int(path.name) for path in (directory / "checkpoint/commits").glob("[0-9]*")]
    last = (directory / f"checkpoint/offsets/{max(numbers)}").read_text().splitlines()[-1]
    return sum(sum(ends.values()) for ends in json.loads(last).values())


def require_once(directory: Path, jars: str, workload: Workload, written: int) -> None:
    """The audit of the smoke test, over the table in place of the topic: the first numbers, each once, in order."""
    opened = session.open_session(
        "streamed", {"spark.jars": jars, **runpy.run_path(str(SAMPLE / "stream.py"))["DELTA"]}
    )
    try:
        table = opened.read.format("delta").load((directory / "table").as_uri())
        judged = reading.judge(table, workload)
        rows = audit.reconcile(judged, workload).collect()
        counts = {name: sum(row[name] for row in rows) for name in ("visible", "first_copies", *FAULTS)}
        assert counts == {"visible": written, "first_copies": written, **dict.fromkeys(FAULTS, 0)}
        assert judged.agg({"sequence": "max"}).collect()[0][0] == written - 1
    finally:
        opened.stop()
