"""A copy between two real clusters: planned, refused, begun, killed and gone on with, exactly once.

The target is the cluster of other tests, too: topics here have names of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from ansible.module_utils.kraft.node import mirror
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.mirror_service import mirroring, settings_of

Run = Callable[..., dict[str, Any]]
RECORDS, PARTITIONS = 30_000, 3
SECONDS = 120
KILLS = 3
TAKEN_OVER_SECONDS = 60
STATUS = "mm2-status.old.internal"
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


def hasty(service: dict[str, Any]) -> dict[str, Any]:
    """A service that is killed leaves a transaction open, for a minute by default; the next one waits until it ends."""
    return {**service, "properties": {**service["properties"], "target.producer.transaction.timeout.ms": "15000"}}


@contextmanager
def writing(cluster: KafkaCluster, topic: str) -> Iterator[None]:
    """A producer that goes on while the block runs: some 200 records a second."""
    over = Event()

    def produce() -> None:
        number = RECORDS
        while not over.wait(0.1):
            write(cluster, topic, range(number, number + 20))
            number += 20

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(produce)
        try:
            yield
        finally:
            over.set()
            done.result(SECONDS)


@contextmanager
def lost(cluster: KafkaCluster, node_id: int) -> Iterator[None]:
    """One node is killed, and comes back after the block."""
    cluster.kill_node(node_id)
    try:
        yield
    finally:
        cluster.start_node(node_id)
        cluster.wait_ready()


def arrive(cluster: KafkaCluster, topic: str, seconds: float = SECONDS) -> None:
    """Returns when each partition of the topic has more records than at first."""
    before, deadline = ends(cluster, topic), monotonic() + seconds
    while not all(now > then for now, then in zip(ends(cluster, topic), before)):
        assert monotonic() < deadline, f"nothing arrives within {seconds} s: {before}, {ends(cluster, topic)}"
        sleep(0.5)


def ends(cluster: KafkaCluster, topic: str) -> list[int]:
    """The next offset of each partition; 0 where the topic is not there, or has no leader yet."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness"})
    try:
        places = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        return [consumer.get_watermark_offsets(place, timeout=30)[1] for place in places]
    except KafkaException:  # it is not there yet, or its broker has just died
        return [0] * PARTITIONS
    finally:
        consumer.close()


def work(cluster: KafkaCluster, *services: mirror.Settings) -> None:
    """Returns when the workers of these services copy records."""
    deadline = monotonic() + SECONDS
    while not {f"{one.address}:{one.port}" for one in services} <= workers(cluster):
        assert monotonic() < deadline, workers(cluster)
        sleep(1)


def workers(cluster: KafkaCluster) -> set[str]:
    """Where the tasks run that copy records, as the workers themselves last said."""
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness", "enable.partition.eof": True}
    consumer = Consumer({**settings, "auto.offset.reset": "earliest"})
    partitions = consumer.list_topics(STATUS, timeout=30).topics[STATUS].partitions
    consumer.assign([TopicPartition(STATUS, number, 0) for number in partitions])
    said, ended = dict[bytes, dict[str, Any]](), 0
    while ended < len(partitions):
        message = consumer.poll(20)
        assert message is not None
        if message.error():
            ended += 1
        elif (key := message.key() or b"").startswith(b"status-task-MirrorSourceConnector"):
            said[key] = json.loads(message.value() or b"{}")
    consumer.close()
    return {one["worker_id"].partition("/")[0] for one in said.values() if one.get("state") == "RUNNING"}


def look(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    wait, exclude, replicas = more.pop("wait", 0), more.pop("exclude_topics", []), more.pop("replicas", 1)
    hosts = more.pop("hosts", 1)
    mirror_of = {"source": {"name": "old", "bootstrap_servers": source.bootstrap_servers.split(",")}, **more}
    return run(
        "kafka_mirror_info",
        client={"bootstrap_servers": target.bootstrap_servers.split(",")},
        mirror={"exclude_topics": exclude, **mirror_of},
        known_settings=KNOWN,
        replication_factor=replicas,
        hosts=hosts,
        wait=wait,
    )


def planned(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    """What was seen; the module's message where it failed."""
    seen = look(run, source, target, **more)
    assert not seen.get("failed"), seen["msg"]
    return seen


def test_a_copy_killed_under_a_producer_holds_each_record_once(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Killed three times while records arrive; a broker of the target is lost meanwhile, and comes back."""
    topic = "mirrored-orders"
    asked: dict[str, Any] = {"topics": [topic], "replicas": 3}
    create(source, topic, config={"retention.ms": "999999999", "segment.ms": "7777777"})
    write(source, topic, range(RECORDS))
    seen = planned(run_module, source, kafka_cluster, **asked)
    assert (seen["plan"]["problems"], seen["plan"]["create"]) == ([], [topic])
    assert seen["plan"]["unknown_settings"] == ["segment.ms"]
    assert (seen["progress"]["begun"], seen["progress"]["lag_records"]) == (False, RECORDS)
    service = settings_of(tmp_path, kafka_cluster.bootstrap_servers, hasty(seen["service"]))
    with writing(source, topic):
        for number in range(KILLS):
            with mirroring(service):
                arrive(kafka_cluster, topic)
                if number == 1:
                    with lost(kafka_cluster, 2):
                        arrive(kafka_cluster, topic)
    write_transactions(source, topic)
    again = planned(run_module, source, kafka_cluster, **asked)
    assert again["plan"]["problems"] == []  # records that the mirror copied are no foreign ones
    assert again["service"] == seen["service"]
    with mirroring(service):
        begun = planned(run_module, source, kafka_cluster, **asked, wait=SECONDS)
        assert begun["progress"]["begun"]
        deadline = monotonic() + SECONDS
        while (left := planned(run_module, source, kafka_cluster, **asked)["progress"]["lag_records"]) > 0:
            assert monotonic() < deadline, left
            sleep(1)
    assert held(kafka_cluster, topic) == held(source, topic)


def test_what_a_lost_worker_copied_another_one_copies_soon(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Connect's own wait would be five minutes, but for a lost leader: that is the worker that came first."""
    topic = "mirrored-taken-over"
    create(source, topic)
    seen = planned(run_module, source, kafka_cluster, topics=[topic], hosts=2)
    services = []
    for port in free_ports(2):
        (tmp_path / str(port)).mkdir()
        place, servers = tmp_path / str(port), kafka_cluster.bootstrap_servers
        services.append(settings_of(place, servers, hasty(seen["service"]), port=port, hosts=2))
    with writing(source, topic), mirroring(services[0]):
        work(kafka_cluster, services[0])
        with mirroring(services[1]):
            work(kafka_cluster, *services)
            arrive(kafka_cluster, topic)
        arrive(kafka_cluster, topic, TAKEN_OVER_SECONDS)


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
    with lost(kafka_cluster, 2):
        assert planned(run_module, kafka_cluster, source, topics=["mirrored-back"])["plan"]["problems"] == []
