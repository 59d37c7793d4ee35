"""Producers of several libraries under the same faults, and the account of their records.

``python -m tests.integration.client_faults --aiokafka PYTHON`` runs all of them, and prints the table of
docs/clients.md.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

import spark_jobs  # noqa: F401 - makes the core importable outside of pytest
from samples.clients.account import Row, reconcile, table
from samples.clients.job import number_of
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import ROOT, class_path
from tests.integration.kafka_node import JVM, LEASH

ACKS = ("all", "1", "0")
RATE = 200
FLUSH_SECONDS = 60
#: A dead broker is noticed after 3 s in place of 9: a run is short.
QUICK = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}
BEHIND_SECONDS, FROZEN_SECONDS, AFTER_SECONDS, WARM = 1.5, 12.0, 5.0, 50


@dataclass(frozen=True)
class Fault:
    """A fault of the leader's node (the second argument). Producers send until the cluster is whole again."""

    name: str
    cause: Callable[[KafkaCluster, int], None]


def killed(cluster: KafkaCluster, leader: int) -> None:
    cluster.kill_node(leader)


def killed_ahead(cluster: KafkaCluster, leader: int) -> None:
    """Kill the leader while its followers do not fetch: they are frozen for less than their session."""
    followers = [node for node in cluster.nodes if node != leader]
    for node in followers:
        cluster.pause_node(node)
    time.sleep(BEHIND_SECONDS)
    cluster.kill_node(leader)
    for node in followers:
        cluster.resume_node(node)


def frozen(cluster: KafkaCluster, leader: int) -> None:
    cluster.pause_node(leader)
    time.sleep(FROZEN_SECONDS)
    cluster.resume_node(leader)


def rolled(cluster: KafkaCluster, leader: int) -> None:
    for node in sorted(cluster.nodes, key=lambda one: one != leader):
        cluster.stop_node(node)
        cluster.start_node(node)
        wait_in_sync(cluster)


FAULTS = (
    Fault("leader killed", killed),
    Fault("leader killed, followers 1.5 s behind", killed_ahead),
    Fault("leader frozen for 12 s", frozen),
    Fault("rolling restart", rolled),
)


def commands(home: Path, aiokafka: str = "") -> dict[str, list[str]]:
    """Return the command of each client. `home`: for classes; `aiokafka`: a Python that has it, empty leaves it out."""
    python = {"kafka-python": sys.executable, "confluent-kafka": sys.executable, "aiokafka": aiokafka}
    modules = {"kafka-python": "kafka_python", "confluent-kafka": "confluent", "aiokafka": "aiokafka"}
    made = {
        name: [program, "-m", f"samples.clients.{modules[name]}_producer"]
        for name, program in python.items()
        if program
    }
    jars = class_path()[-1]
    source = str(ROOT / "samples/clients/JavaProducer.java")
    subprocess.run(["javac", "-cp", jars, "-d", str(home), source], check=True, timeout=120)
    return {**made, "Java": ["java", "-Xmx96m", *JVM, "-cp", f"{jars}:{home}", "JavaProducer"]}


class Runs:
    """Producers of every command and each setting of acks, at the same time, on topics that the same broker leads."""

    def __init__(self, cluster: KafkaCluster, home: Path, programs: Mapping[str, Sequence[str]]) -> None:
        self._cluster, self._home, self._programs = cluster, home, programs
        self._admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        self._number = 0

    def rows(self, fault: Fault) -> list[Row]:
        """Run the producers through a fault; their accounts, when the cluster is whole again."""
        self._number += 1
        leader = next(node for node in self._cluster.nodes if node != self._cluster.active_controller)
        names = {(client, acks): self._topic(client, acks) for client in self._programs for acks in ACKS}
        self._make(list(names.values()), leader)
        end = self._home / f"end{self._number}"
        started = {key: self._start(key, topic, end) for key, topic in names.items()}
        try:
            self._warm(started.values(), names.values())
            fault.cause(self._cluster, leader)
            time.sleep(AFTER_SECONDS)  # the others lead alone
            self._mend()
            end.touch()
            for process in started.values():
                process.wait(FLUSH_SECONDS + 60)
        finally:
            for process in started.values():
                process.kill()
        return [self._row(key, topic, fault) for key, topic in names.items()]

    def _mend(self) -> None:
        """Start the nodes that are down, and wait until all replicas are in sync."""
        for node in self._cluster.nodes.values():
            if not node.running:
                self._cluster.start_node(node.node_id)
        wait_in_sync(self._cluster)

    def _topic(self, client: str, acks: str) -> str:
        return f"fault{self._number}-{client.lower()}-{acks}"

    def _make(self, topics: Sequence[str], leader: int) -> None:
        replicas = [leader, *(node for node in self._cluster.nodes if node != leader)]
        new = [NewTopic(topic, num_partitions=1, replica_assignment=[replicas]) for topic in topics]
        for made in self._admin.create_topics(new).values():
            made.result(30)

    def _start(self, key: tuple[str, str], topic: str, end: Path) -> subprocess.Popen[bytes]:
        client, acks = key
        options = ["--bootstrap", self._cluster.bootstrap_servers, "--topic", topic, "--acks", acks]
        pace = ["--rate", str(RATE), "--end", str(end), "--flush-seconds", str(FLUSH_SECONDS)]
        line = [*LEASH, *self._programs[client], *options, *pace, "--log", str(self._log(topic))]
        with self._log(topic).with_suffix(".console").open("wb") as console:
            return subprocess.Popen(
                line, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=console, stderr=subprocess.STDOUT
            )

    def _log(self, topic: str) -> Path:
        return self._home / f"{topic}.log"

    def _warm(self, started: Collection[subprocess.Popen[bytes]], topics: Collection[str]) -> None:
        """Wait until every producer has acknowledged some records; on a busy machine that takes minutes."""
        deadline = time.monotonic() + 240
        while waiting := [
            topic for topic in topics if sum(one.startswith("acked") for one in lines(self._log(topic))) < WARM
        ]:
            if time.monotonic() > deadline or any(process.poll() for process in started):
                said = self._log(waiting[0]).with_suffix(".console").read_text(errors="replace")
                raise RuntimeError(f"{waiting} acknowledged nothing: {said[-2000:]}")
            time.sleep(0.2)

    def _row(self, key: tuple[str, str], topic: str, fault: Fault) -> Row:
        account = reconcile(lines(self._log(topic)), stored(self._cluster, topic))
        return Row(*key, fault.name, account)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True) if path.exists() else []


def stored(cluster: KafkaCluster, topic: str) -> list[int]:
    """Return the number of each record that the topic holds."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": topic})
    _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), 30)
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[int] = []
    deadline = time.monotonic() + 60
    while consumer.position([TopicPartition(topic, 0)])[0].offset < end and time.monotonic() < deadline:
        found += [number_of(one.value() or b"") for one in consumer.consume(5000, 0.5)]
    consumer.close()
    return found


def wait_in_sync(cluster: KafkaCluster) -> None:
    """Wait until each partition has all its replicas in sync."""
    admin, deadline = AdminClient({"bootstrap.servers": cluster.bootstrap_servers}), time.monotonic() + 60
    while True:
        try:
            topics = admin.list_topics(timeout=5).topics.values()
            if all(len(one.isrs) == len(one.replicas) for topic in topics for one in topic.partitions.values()):
                return
        except KafkaException:
            pass
        if time.monotonic() > deadline:
            raise TimeoutError("replicas are not in sync after 60 s")
        time.sleep(0.3)


def main() -> None:
    """Run all clients through all faults, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--aiokafka", default="", help="a Python that has aiokafka")
    parser.add_argument("--fault", action="append", help="part of a fault's name; all faults without it")
    given = parser.parse_args()
    began, rows = time.monotonic(), list[Row]()
    with tempfile.TemporaryDirectory() as home:
        cluster = KafkaCluster.start(Path(home) / "cluster", properties=QUICK)
        try:
            runs = Runs(cluster, Path(home), commands(Path(home), given.aiokafka))
            for fault in FAULTS:
                if not given.fault or any(part in fault.name for part in given.fault):
                    rows += runs.rows(fault)
                    sys.stderr.write(f"{time.monotonic() - began:.0f} s\n{table(rows)}")
        finally:
            cluster.stop()
    sys.stdout.write(table(rows))
    sys.stderr.write(f"{time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
