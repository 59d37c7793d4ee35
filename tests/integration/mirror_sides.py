"""Both sides of a copy, as tests of a mirror write, read and look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event
from time import monotonic, sleep
from typing import Any

from ansible.module_utils.kraft.spec.inventory.definitions import load
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from dist.__main__ import VERSION
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until

Run = Callable[..., dict[str, Any]]
RECORDS, PARTITIONS = 30_000, 3
SECONDS = 120
KNOWN = {name: one.server or "" for name, one in load(VERSION).topic.items() if name != "segment.ms"}


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
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "enable.idempotence": True,
            "queue.buffering.max.messages": 500_000,
        }
    )
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
    """Return the records of each partition, in order, committed ones only."""
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness", "enable.partition.eof": True}
    consumer = Consumer({**settings, "isolation.level": "read_committed"})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
    found: dict[int, list[bytes]] = {number: [] for number in range(PARTITIONS)}
    ended = 0
    while ended < PARTITIONS:
        message = consumer.poll(60)
        assert message is not None
        if message.error():
            ended += 1
        else:
            found[message.partition() or 0].append(message.key() or b"")
    consumer.close()
    return found


def hasty(service: dict[str, Any], seconds: int = 3) -> dict[str, Any]:
    """A service that is killed leaves a transaction open, for a minute by default; the next one waits until it ends.

    `seconds` is longer if a transaction must outlast a broker.
    """
    limit = {f"{service['into']}.producer.transaction.timeout.ms": str(1000 * seconds)}
    return {**service, "properties": {**service["properties"], **limit}}


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


def arrive(cluster: KafkaCluster, topic: str, seconds: float = SECONDS) -> None:
    """Returns when each partition of the topic has a record more than at first; a marker of a transaction is none."""
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness", "auto.offset.reset": "earliest"}
    consumer = Consumer({**settings, "isolation.level": "read_committed", "topic.metadata.refresh.interval.ms": 1000})
    before, deadline = ends(cluster, topic), monotonic() + seconds
    consumer.assign([TopicPartition(topic, number, end) for number, end in enumerate(before)])
    without = set(range(PARTITIONS))
    while without:
        assert monotonic() < deadline, f"nothing arrives within {seconds} s in {without} after {before}"
        message = consumer.poll(0.5)
        if message is not None and not message.error():
            without.discard(message.partition() or 0)
    consumer.close()


def ends(cluster: KafkaCluster, topic: str) -> list[int]:
    """The next offset of each partition; 0 if the topic is not there."""
    consumer, deadline = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "witness"}), monotonic()
    places = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    try:
        while topic in consumer.list_topics(timeout=30).topics:
            try:
                return [consumer.get_watermark_offsets(place, timeout=30)[1] for place in places]
            except KafkaException:  # its broker has just died
                assert monotonic() < deadline + SECONDS
                sleep(0.5)
        return [0] * PARTITIONS
    finally:
        consumer.close()


def mirror_info(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    wait, exclude, replicas = more.pop("wait", 0), more.pop("exclude_topics", []), more.pop("replicas", 1)
    hosts, place = more.pop("hosts", 1), more.pop("install_dir", "/nowhere")
    mirror_of = {"source": {"name": "old", "bootstrap_servers": source.bootstrap_servers.split(",")}, **more}
    return run(
        "kafka_mirror_info",
        client={"bootstrap_servers": target.bootstrap_servers.split(",")},
        mirror={"exclude_topics": exclude, **mirror_of},
        known_settings=KNOWN,
        replication_factor=replicas,
        hosts=hosts,
        install_dir=place,
        wait=wait,
    )


def planned(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    """Return the observed state; fail with the module's message."""
    seen = mirror_info(run, source, target, **more)
    assert not seen.get("failed"), seen["msg"]
    return seen


def caught_up(run: Run, source: KafkaCluster, target: KafkaCluster, **more: Any) -> dict[str, Any]:
    """Return the observed state when nothing was left to copy."""
    asked = partial(planned, run, source, target, **more)
    seen = until(asked, lambda found: found["progress"]["lag_records"] <= 0, SECONDS, pause=1)
    assert seen["progress"]["lag_records"] <= 0, seen["progress"]["lag"]
    return seen


def prepare(run: Run, seen: dict[str, Any], target: KafkaCluster, **more: Any) -> dict[str, Any]:
    """Make topics with the settings of the plan, as the role does before it starts the service."""
    client = {"bootstrap_servers": target.bootstrap_servers.split(",")}
    made = run("kafka_topic", client=client, topics=seen["plan"]["settings"], **more)
    assert not made.get("failed"), made["msg"]
    return made
