"""The collector on real brokers: lag as the client counts it, each group once, and never half a file."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.monitoring.collector import NAME, Collector
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]
from cryptography import x509
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.admin import NewTopic

from tests.integration.collectors import METRICS, Values, answered, published, settings
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.secured_cluster import start_secured

PARTITIONS, RECORDS = 4, 1000
LAG = "kafka_group_lag_records"
LAST_LINE = re.compile(r"^kafka_collector_unanswered \d+\n\Z", re.MULTILINE)  #: without it, a file is half a one


@pytest.fixture(scope="module")
def topic(kafka_cluster: KafkaCluster) -> str:
    admin = KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    admin.create_topics([NewTopic("collected", PARTITIONS, 3)])
    admin.close()
    write(kafka_cluster, RECORDS)
    return "collected"


def write(cluster: KafkaCluster, records: int) -> None:
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers)
    for at in range(records):
        producer.send("collected", b"x" * 100, partition=at % PARTITIONS)
    producer.flush()
    producer.close()


@pytest.fixture
def collectors(kafka_cluster: KafkaCluster, tmp_path: Path) -> Callable[[], dict[int, Values]]:
    """Lets the collector of each broker look, and gives what it published."""
    made = {
        node_id: Collector(
            settings(tmp_path / str(node_id), {"bootstrap_servers": [f"127.0.0.1:{node.internal_port}"]})
        )
        for node_id, node in kafka_cluster.nodes.items()
    }

    def read_values() -> dict[int, Values]:
        for each in made.values():
            each.once()
        return {node_id: published(tmp_path / str(node_id)) for node_id in made}

    return read_values


def read_some(cluster: KafkaCluster, group: str, protocol: str) -> Consumer:
    """A member of the group that has read and committed a part; it stays a member until it is closed."""
    own = {"group.protocol": "consumer"} if protocol == "consumer" else {}
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            **own,
        }
    )
    consumer.subscribe(["collected"])
    seen, deadline = 0, time.monotonic() + 30
    while seen < 137:
        assert time.monotonic() < deadline
        seen += len(consumer.consume(37, timeout=1))
    consumer.commit(asynchronous=False)
    return consumer


def lag_of(cluster: KafkaCluster, group: str) -> int:
    """Compute the lag with the arithmetic of librdkafka's own client."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    asked = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
    committed = asked[group].result(20).topic_partitions or []
    latest = {
        TopicPartition(one.topic, one.partition): OffsetSpec.latest()  # type: ignore[no-untyped-call]
        for one in committed
    }
    ends = {key: each.result(20).offset for key, each in admin.list_offsets(latest).items()}
    return sum(ends[TopicPartition(one.topic, one.partition)] - one.offset for one in committed if one.offset >= 0)


@pytest.mark.usefixtures("topic")
def test_lag_at_rest_is_that_of_the_client_and_each_group_is_told_once(
    kafka_cluster: KafkaCluster, collectors: Callable[[], dict[int, Values]]
) -> None:
    kinds = {f"{kind}-{at}": kind for kind in ("classic", "consumer") for at in range(3)}
    members = {group: read_some(kafka_cluster, group, kind) for group, kind in kinds.items()}
    try:
        found = until(
            lambda: answered(collectors),
            lambda seen: all(sum((LAG, group) in values for values in seen.values()) == 1 for group in kinds),
        )
        for group in kinds:
            told = [values[LAG, group] for values in found.values() if (LAG, group) in values]
            assert told == [lag_of(kafka_cluster, group)], group
            assert sum(values.get(("kafka_group_members", group), 0) for values in found.values()) == 1
            assert 0 < told[0] < RECORDS
    finally:
        for each in members.values():
            each.close()
    # A member's farewell is not awaited by its client.
    assert until(lambda: members_of(answered(collectors), kinds), lambda left: not left) == {}


def members_of(found: dict[int, Values], groups: Collection[str]) -> dict[str, float]:
    """Return the groups that still have members."""
    counts = {
        key[1]: count
        for values in found.values()
        for key, count in values.items()
        if key[0] == "kafka_group_members" and key[1] in groups
    }
    assert counts.keys() == set(groups)
    return {group: count for group, count in counts.items() if count}


def tool(cluster: KafkaCluster, main: str, *arguments: str) -> subprocess.Popen[str]:
    """One of Kafka's own tools."""
    command = cluster.nodes[1].java("128m", f"org.apache.kafka.tools.consumer.{main}", *arguments)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_a_share_group_has_the_lag_that_kafkas_own_tool_tells(
    kafka_cluster: KafkaCluster, collectors: Callable[[], dict[int, Values]]
) -> None:
    servers, group = ["--bootstrap-server", kafka_cluster.bootstrap_servers], ["--group", "sharers"]
    with KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers) as admin:
        admin.create_topics([NewTopic("shared", 2, 3)])
    sharer = tool(kafka_cluster, "ConsoleShareConsumer", *servers, *group, "--topic", "shared", "--max-messages", "20")
    producer = KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers)
    deadline, members = time.monotonic() + 240, 0.0
    while sharer.poll() is None:  # a share group begins at the end, so it is given more until it has enough
        assert time.monotonic() < deadline
        producer.send("shared", b"x", partition=0).get(60)
        members = max(members, *(values.get(("kafka_group_members", "sharers"), 0) for values in collectors().values()))
    for _ in range(31):
        producer.send("shared", b"x", partition=0)
    producer.close()
    found = answered(collectors)
    told = [values[LAG, "sharers"] for values in found.values() if (LAG, "sharers") in values]
    said, _ = tool(kafka_cluster, "group.ShareGroupCommand", *servers, *group, "--describe").communicate(timeout=240)
    lags = [line.split()[-1] for line in said.splitlines() if line.startswith("sharers")]
    assert told == [sum(int(each) for each in lags if each != "-")]  # the other partition was never read
    assert (told[0] >= 31, members) == (True, 1)


@pytest.mark.usefixtures("topic")
def test_a_group_whose_coordinator_is_gone_is_told_by_the_next_one_only(
    kafka_cluster: KafkaCluster, collectors: Callable[[], dict[int, Values]]
) -> None:
    read_some(kafka_cluster, "moved", "classic").close()

    def told() -> dict[int, float]:
        return {node_id: values[LAG, "moved"] for node_id, values in collectors().items() if (LAG, "moved") in values}

    ((first, lag),) = until(told, lambda found: len(found) == 1).items()
    kafka_cluster.kill_node(first)
    try:
        second = until(told, seconds=120)
        assert list(second.values()) == [lag]
        assert first not in second
    finally:
        kafka_cluster.start_node(first)
        answered(collectors, 240)  # the tests that follow find a cluster that answers


@pytest.mark.usefixtures("topic")
def test_lag_in_seconds_of_a_group_that_stands_still_under_a_steady_producer(
    kafka_cluster: KafkaCluster, collectors: Callable[[], dict[int, Values]]
) -> None:
    read_some(kafka_cluster, "still", "classic").close()
    producer = KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers, linger_ms=0)
    consumer = KafkaConsumer(bootstrap_servers=kafka_cluster.bootstrap_servers, group_id="still")
    began, told, age, gaps, committed = time.monotonic(), 0.0, 0.0, [0.0], 0.0
    while time.monotonic() - began < 6:
        round_began = time.monotonic()
        for partition in range(PARTITIONS):
            producer.send("collected", b"x", partition=partition)
        producer.flush()
        if not committed:  # from here on the next record to be read is one of the steady ones
            ends = consumer.end_offsets([*map(partition_of, range(PARTITIONS))])
            consumer.commit({key: offset_of(end) for key, end in ends.items()})
            committed = time.monotonic()
        seen = max(values.get(("kafka_group_lag_seconds", "still"), 0.0) for values in collectors().values())
        if seen:  # else a busy broker has left it unanswered
            told, age = seen, time.monotonic() - committed
        time.sleep(0.3)  # the rate of the producer
        gaps.append(time.monotonic() - round_began)
    producer.close()
    consumer.close()
    assert told == pytest.approx(age, abs=1 + max(gaps))  # what happened between two looks has no exact time


def partition_of(number: int) -> Any:
    return __import__("kafka").TopicPartition("collected", number)


def offset_of(end: int) -> Any:
    return __import__("kafka.structs").structs.OffsetAndMetadata(end, "", -1)


@pytest.mark.usefixtures("topic")
def test_bytes_are_those_of_the_broker(
    kafka_cluster: KafkaCluster, collectors: Callable[[], dict[int, Values]]
) -> None:

    def on_disk_of(node_id: int) -> int:
        directory = kafka_cluster.nodes[node_id].directory / "data"
        return sum(path.stat().st_size for path in directory.glob("collected-*/*.log"))

    found = until(  # followers may still fetch what was written last
        lambda: answered(collectors),
        lambda seen: all(one["kafka_topic_log_bytes", "collected"] == on_disk_of(at) for at, one in seen.items()),
    )
    for node_id, values in found.items():
        directory, on_disk = kafka_cluster.nodes[node_id].directory / "data", on_disk_of(node_id)
        assert values["kafka_topic_log_bytes", "collected"] == on_disk
        ours = str(directory)
        assert 0 < values["kafka_log_dir_free_bytes", ours] < values["kafka_log_dir_volume_bytes", ours]
        assert values["kafka_log_dir_used_bytes", ours] >= on_disk


def test_a_broker_that_is_away_leaves_no_old_figures(tmp_path: Path) -> None:
    own, began = Collector(settings(tmp_path, {"bootstrap_servers": ["127.0.0.1:9"]})), time.time()
    own.once()
    found = published(tmp_path)
    assert {name for name, _ in found} == {each for each in METRICS if each.startswith("kafka_collector_")}
    assert found["kafka_collector_unanswered", ""] > 0
    assert began - 1 < found["kafka_collector_timestamp_seconds", ""] < time.time() + 1


def test_a_reader_never_finds_half_a_file(kafka_cluster: KafkaCluster, tmp_path: Path) -> None:
    own = Collector(settings(tmp_path, {"bootstrap_servers": [kafka_cluster.bootstrap_servers]}))
    own.once()
    broken, ended = list[str](), threading.Event()

    def read() -> None:
        while not ended.is_set():
            text = (tmp_path / NAME).read_text()
            if not LAST_LINE.search(text):
                broken.append(text)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(100):
            own.once()
    finally:
        ended.set()
        reader.join()
    assert broken == []


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = start_secured(tmp_path_factory.mktemp("secured"))
    yield cluster
    cluster.stop()


def test_it_shows_the_certificate_of_the_node(secured: KafkaCluster, tmp_path: Path) -> None:
    node = tmp_path / "server.properties"
    ca = secured.directory / "ca.pem"
    keys = f"ssl.keystore.type=PEM\nssl.keystore.location={secured.directory / 'node.pem'}\n"
    node.write_text(f"{keys}ssl.truststore.type=PEM\nssl.truststore.location={ca}\n")
    address = f"127.0.0.1:{secured.properties['TLS']}"
    client = {"bootstrap_servers": [address], "security_protocol": "SSL", "listener": "TLS", "node": str(node)}
    own = Collector(settings(tmp_path / "out", client))

    def look() -> Values:
        own.once()
        return published(tmp_path / "out")

    end = ("kafka_certificate_end_seconds", "")
    found = until(look, lambda seen: not seen["kafka_collector_unanswered", ""] and end in seen)
    assert found["kafka_collector_unanswered", ""] == 0
    assert any(name == "kafka_log_dir_free_bytes" for name, _ in found)
    shown = x509.load_pem_x509_certificate(ca.read_bytes())  # the node shows this one
    assert found["kafka_certificate_begin_seconds", ""] == shown.not_valid_before_utc.timestamp()
    assert found[end] == shown.not_valid_after_utc.timestamp()
