"""The streaming sample's table holds each record once, whatever dies meanwhile; the audit of the proof judges.

Hosts of a lab are rolled by restart_cluster.yml, and the machine of one is replaced by replace_node.yml, under a
producer that writes until the last operation has ended. The driver is started again after each of its ends.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest
import yaml
from confluent_kafka import KafkaError, Message, Producer

from dist import locks, maven
from spark_jobs import audit, reading, session
from spark_jobs.installation import JARS, spark_home
from spark_jobs.record_format import Workload, encode
from tests.integration.spark_standalone import Standalone
from tests.integration.spark_topic import create
from tests.long.lab_hosts import ROOT, LabHosts, temporary

pytestmark = pytest.mark.timeout(2400)
HOSTS = ("stream1", "stream2", "stream3")
REPLACED = "stream3"
SAMPLE = ROOT / "samples/streaming"
DELTA = ROOT / ".cache/delta/jars"
LOCK = "delta-4.4.0"
WORKERS_SECONDS = 180.0
BATCH_SECONDS = 300  #: patience for two batches of a busy machine
RATE, MOST = 200, 1_000_000
FAULTS = ("duplicated", "corrupt", "misplaced", "out_of_order", "other_runs", "null_values", "foreign_headers")
#: Ends when ssh of an address answers.
REACHED = """
import socket, time
while True:
    try:
        socket.create_connection(("{address}", 22), 1).close()
        break
    except OSError:
        time.sleep(0.3)
"""
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "768m",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("stream", HOSTS, tmp_path_factory)


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Path:
    """The running cluster, proven: the proof writes the client files."""
    own = lab.inventory(lab.name, HOSTS, kafka_cluster_id="c3RyZWFtaW5nLWxhYi0xMg")
    done = lab.run("-i", str(own), "site.yml", "-e", "kafka_smoke_records=5000")
    assert done.returncode == 0, done.stdout + done.stderr
    return own


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Standalone]:
    """Spark's own cluster: two executors that can be killed."""
    cluster = Standalone.start(tmp_path, WORKERS_SECONDS)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def jars() -> str:
    """The connector's and Delta's jars, by their locks."""
    maven.fetch(locks.read(LOCK), DELTA)
    return ",".join(str(jar) for folder in (JARS, DELTA) for jar in sorted(folder.glob("*.jar")))


def play(lab: LabHosts, playbook: str, *inventories: Path, more: tuple[str, ...] = ()) -> None:
    given = [part for one in inventories for part in ("-i", str(one))]
    done = lab.run(*given, f"playbooks/{playbook}.yml", *more)
    assert done.returncode == 0, done.stdout + done.stderr


def address_of(lab: LabHosts, host: str) -> str:
    return str(yaml.safe_load((lab.home / "hosts.yml").read_text())["all"]["hosts"][host]["ansible_host"])


def lose(lab: LabHosts, host: str) -> Path:
    """Throw a machine away with its disk, and make an empty one; the inventory with its new directory id."""
    line = ["podman", "rm", "--force", "--volumes", f"{lab.name}-{host}"]
    subprocess.run(line, env=lab.environment(), check=True, capture_output=True)
    lab.play("main")
    for other in set(HOSTS) - {host}:  # for some seconds they have the old machine's hardware address
        lab.podman(other, "timeout", "120", "python3", "-c", REACHED.format(address=address_of(lab, host)))
    renewed = lab.home / "renewed"
    renewed.mkdir()
    hosts = {host: {"kafka_directory_id": "cmVuZXdlZC1zdHJlYW0tMw"}}
    (renewed / "hosts.yml").write_text(yaml.safe_dump({"kafka": {"hosts": hosts}}))
    return renewed


class Writing:
    """An idempotent producer that writes numbers of a workload until its block ends; all are acknowledged then."""

    def __init__(self, servers: str, topic: str, workload: Workload) -> None:
        self._topic, self._workload = topic, workload
        self._producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 5})
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._failed: list[KafkaError] = []
        self.written = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        assert self._producer.flush(120) == 0
        assert self._failed == []

    def _write(self) -> None:
        while not self._ended.wait(1 / RATE) and self.written < MOST:
            key, value = encode(self._workload, self.written, int(time.time() * 1000))
            place = self._workload.partition_of(self.written)
            self._producer.produce(self._topic, value, key, place, on_delivery=self._note)
            self._producer.poll(0)
            self.written += 1

    def _note(self, error: KafkaError | None, _: Message) -> None:
        self._failed += [error] if error else []


class Supervised:
    """The sample under spark-submit, started again whenever it ends, until the block ends."""

    def __init__(self, directory: Path, workers: Standalone, jars: str) -> None:
        self.directory, self.starts, self._workers = directory, 0, workers
        self._line = [str(spark_home() / "bin/spark-submit"), "--master", workers.url, "--jars", jars]
        self._line += [part for name, text in SMALL.items() for part in ("--conf", f"{name}={text}")]
        self._line += [str(SAMPLE / "stream.py"), str(directory / "stream.json")]
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.kill_driver()

    def _keep(self) -> None:
        while not self._ended.wait(0.5):
            if self._process is None or self._process.poll() is not None:
                self.starts += 1
                with self.log.open("w") as log:
                    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
                    self._process = subprocess.Popen(
                        self._line,
                        env=environment,
                        cwd=self.directory,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )

    @property
    def log(self) -> Path:
        """Output of the last start."""
        return self.directory / f"driver{self.starts}.log"

    def kill_driver(self) -> None:
        """End the driver as a power cut does; the executors end when they notice it."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)

    def kill_executor(self) -> None:
        """Kill one executor of two; its worker starts another one."""
        self.until(lambda: len(self._workers.executors()) == 2)
        os.kill(self._workers.executors()[0], signal.SIGKILL)

    def finished(self) -> list[int]:
        """Numbers of the batches that the checkpoint has as finished."""
        return sorted(int(path.name) for path in (self.directory / "checkpoint/commits").glob("[0-9]*"))

    def advance(self, batches: int = 2) -> None:
        """Wait for more finished batches."""
        wanted = len(self.finished()) + batches
        self.until(lambda: len(self.finished()) >= wanted)

    def until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + BATCH_SECONDS
        while not true():
            assert time.monotonic() < deadline, self.log.read_text()[-4000:]
            time.sleep(0.2)

    def committed(self) -> int:
        """Offsets that the newest finished batch has reached, of all partitions."""
        lines = (self.directory / f"checkpoint/offsets/{self.finished()[-1]}").read_text().splitlines()
        return sum(sum(ends.values()) for ends in json.loads(lines[-1]).values())


def configured(lab: LabHosts, topic: str, directory: Path) -> None:
    """Write the sample's configuration: the client file of the cluster, as a deployment leaves it."""
    config = json.loads((SAMPLE / "stream.json").read_text())
    del config["kafka"]["kafka.bootstrap.servers"]
    config["kafka"]["subscribe"] = topic
    config["client_file"] = str(ROOT / ".kraftwright" / lab.name / "CLIENT.spark.json")
    config["trigger"] = {"processingTime": "1 second"}
    config |= {name: (directory / name).as_uri() for name in ("table", "checkpoint")}
    (directory / "stream.json").write_text(json.dumps(config))


def test_every_record_is_in_the_table_once_whatever_dies(
    lab: LabHosts, inventory: Path, workers: Standalone, jars: str, tmp_path: Path
) -> None:
    servers = ",".join(f"{address_of(lab, host)}:9092" for host in HOSTS)
    topic, whole = create(servers, "streamed", 6), Workload("streamed", MOST, 100, 6, 1)
    configured(lab, topic, tmp_path)
    with Supervised(tmp_path, workers, jars) as stream:
        with Writing(servers, topic, whole) as writing:
            stream.advance()
            stream.kill_driver()
            stream.advance()
            stream.kill_executor()
            stream.advance()
            before = len(stream.finished())
            play(lab, "restart_cluster", inventory)
            rolled = len(stream.finished())
            renewed = lose(lab, REPLACED)
            play(lab, "replace_node", inventory, renewed, more=("-e", f"kafka_replace_node={REPLACED}"))
            replaced = len(stream.finished())
            stream.advance()
        stream.until(lambda: stream.committed() >= writing.written)
    assert before < rolled < replaced, "the stream stood still during an operation"
    assert stream.starts >= 2
    require_once(tmp_path, jars, whole, writing.written)


def require_once(directory: Path, jars: str, workload: Workload, written: int) -> None:
    """The audit of the proof, over the table in place of the topic: the first numbers, each once, in order."""
    sample = runpy.run_path(str(SAMPLE / "stream.py"))
    opened = session.open_session("streamed", {"spark.jars": jars, **sample["DELTA"]})
    try:
        table = opened.read.format("delta").load((directory / "table").as_uri())
        judged = reading.judge(table, workload)
        rows = audit.reconcile(judged).collect()
        counts = {name: sum(row[name] or 0 for row in rows) for name in ("visible", "first_copies", *FAULTS)}
        assert counts == {"visible": written, "first_copies": written, **dict.fromkeys(FAULTS, 0)}
        assert judged.agg({"sequence": "max"}).collect()[0][0] == written - 1
    finally:
        opened.stop()
