"""A copy between two real clusters: planned, refused, begun, killed and gone on with, exactly once.

The target is the cluster of other tests, too: topics here have names of their own.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from ansible.module_utils.kraft.node import mirror
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import kafka_home
from tests.integration.kafka_node import LEASH

Run = Callable[..., dict[str, Any]]
RECORDS, PARTITIONS = 30_000, 3
SECONDS = 120
KNOWN = ["retention.ms", "cleanup.policy"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    alone = {f"transaction.state.log.{name}": "1" for name in ("replication.factor", "min.isr")}
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("source"), nodes=1, properties=alone)
    yield cluster
    cluster.stop()


def create(
    cluster: KafkaCluster,
    name: str,
    partitions: int = PARTITIONS,
    config: dict[str, str] | None = None,
    replicas: int = 1,
) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic(name, partitions, replicas, config=config or {})])[name].result(30)


def write(cluster: KafkaCluster, topic: str, numbers: range) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "queue.buffering.max.messages": 500_000})
    for number in numbers:
        producer.produce(topic, key=b"%d" % number, value=b"v%d" % number, partition=number % PARTITIONS)
    assert producer.flush(60) == 0


def write_transactions(cluster: KafkaCluster, topic: str) -> None:
    """One that counts and one that is aborted: both leave offsets behind that are never copied."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": f"writes-{topic}"})
    producer.init_transactions(30)
    for counts in (True, False):
        producer.begin_transaction()
        for number in range(60):
            producer.produce(topic, key=b"%d-%d" % (counts, number), value=b"v", partition=number % PARTITIONS)
        producer.flush(30)
        (producer.commit_transaction if counts else producer.abort_transaction)(30)


def held(cluster: KafkaCluster, topic: str) -> dict[int, list[bytes]]:
    """What each partition holds, in order, committed records only."""
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness", "enable.partition.eof": True}
    consumer = Consumer({**settings, "isolation.level": "read_committed"})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
    found: dict[int, list[bytes]] = {number: [] for number in range(PARTITIONS)}
    ended = 0
    while ended < PARTITIONS:
        message = consumer.poll(20)
        assert message is not None
        if message.error():
            ended += 1
        else:
            found[message.partition() or 0].append(message.key() or b"")
    consumer.close()
    return found


@contextmanager
def mirroring(directory: Path, target: str, service: dict[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    """The service's own command with the service's own files; killed at the end, as a power cut does."""
    settings = mirror.Settings(
        install_dir=str(directory),
        java="java",
        group="kafka",
        properties=service["properties"],
        listener="",
        protocol="PLAINTEXT",
        servers=(target,),
        address="127.0.0.1",
        port=8083,
        hosts=1,
        heap_mb=service["heap_mb"],
    )
    given, _ = mirror.properties(settings, {})
    (directory / "mirror.properties").write_text(mirror.lines(given))
    line = [str(kafka_home() / "bin/connect-mirror-maker.sh"), str(directory / "mirror.properties")]
    with (directory / "mirror.log").open("ab") as log:
        environment = {**os.environ, "LOG_DIR": str(directory), "KAFKA_HEAP_OPTS": f"-Xmx{settings.heap_mb}m"}
        process = subprocess.Popen([*LEASH, *line, "--clusters", "target"], env=environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(10)


def look(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    wait, exclude = more.pop("wait", 0), more.pop("exclude_topics", [])
    mirror_of = {"source": {"name": "old", "bootstrap_servers": source.bootstrap_servers.split(",")}, **more}
    return run(
        "kafka_mirror_info",
        client={"bootstrap_servers": target.bootstrap_servers.split(",")},
        mirror={"exclude_topics": exclude, **mirror_of},
        known_settings=KNOWN,
        replication_factor=1,
        wait=wait,
    )


def planned(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    """What was seen; the module's message where it failed."""
    seen = look(run, source, target, **more)
    assert not seen.get("failed"), seen["msg"]
    return seen


def test_a_copy_goes_on_after_a_kill_and_each_record_arrives_once(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    create(source, "mirrored-orders", config={"retention.ms": "999999999", "segment.ms": "7777777"})
    write(source, "mirrored-orders", range(RECORDS))
    seen = planned(run_module, source, kafka_cluster, topics=["mirrored-orders"])
    assert (seen["plan"]["problems"], seen["plan"]["create"]) == ([], ["mirrored-orders"])
    assert seen["plan"]["unknown_settings"] == ["segment.ms"]
    assert (seen["progress"]["begun"], seen["progress"]["lag_records"]) == (False, RECORDS)
    with mirroring(tmp_path, kafka_cluster.bootstrap_servers, seen["service"]):
        begun = planned(run_module, source, kafka_cluster, topics=["mirrored-orders"], wait=SECONDS)
        assert begun["progress"]["begun"]
    write(source, "mirrored-orders", range(RECORDS, RECORDS + 3000))
    write_transactions(source, "mirrored-orders")
    again = planned(run_module, source, kafka_cluster, topics=["mirrored-orders"])
    assert again["plan"]["problems"] == []  # records that the mirror copied are no foreign ones
    assert again["service"] == seen["service"]
    with mirroring(tmp_path, kafka_cluster.bootstrap_servers, seen["service"]):
        deadline = monotonic() + SECONDS
        while (
            left := planned(run_module, source, kafka_cluster, topics=["mirrored-orders"])["progress"]["lag_records"]
        ) > 0:
            assert monotonic() < deadline, left
            sleep(1)
    assert held(kafka_cluster, "mirrored-orders") == held(source, "mirrored-orders")


def test_what_stands_in_the_way_is_named(run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster) -> None:
    for name, partitions in (("mirrored-wider", 3), ("mirrored-foreign", 3)):
        create(source, name, partitions)
    create(kafka_cluster, "mirrored-wider", 5)
    create(kafka_cluster, "mirrored-foreign")
    write(kafka_cluster, "mirrored-foreign", range(3))
    asked = ["mirrored-wider", "mirrored-foreign", "mirrored-nowhere"]
    found = planned(run_module, source, kafka_cluster, topics=asked)["plan"]["problems"]
    assert [one.split()[1] for one in found] == ["mirrored-nowhere", "mirrored-foreign", "mirrored-wider"]
    itself = planned(run_module, kafka_cluster, kafka_cluster)["plan"]["problems"]
    assert len(itself) == 1
    assert "this cluster itself" in itself[0]


def test_a_source_that_does_not_answer_is_named(run_module: Run, kafka_cluster: KafkaCluster) -> None:
    class Gone:
        bootstrap_servers = "127.0.0.1:1"

    said = look(run_module, Gone(), kafka_cluster)  # type: ignore[arg-type]
    assert said["failed"]
    assert "kafka_mirror.source old: 127.0.0.1:1" in said["msg"]


def test_a_broker_of_the_source_that_has_just_died_is_waited_for(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster
) -> None:
    """The cluster of three is the source here."""
    create(kafka_cluster, "mirrored-back", replicas=3)
    write(kafka_cluster, "mirrored-back", range(30))
    kafka_cluster.kill_node(2)
    try:
        assert planned(run_module, kafka_cluster, source, topics=["mirrored-back"])["plan"]["problems"] == []
    finally:
        kafka_cluster.start_node(2)
        kafka_cluster.wait_ready()
