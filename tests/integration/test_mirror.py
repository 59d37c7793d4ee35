"""A copy between two real clusters: planned, refused, begun, killed and gone on with, exactly once.

The target is the cluster of other tests, too: topics here have unique names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any

import pytest
from ansible.module_utils.kraft.node.other_services import mirror_log, mirror_notes, mirror_service
from ansible.module_utils.kraft.operations.mirror.topic_settings import BOUNDS, LIFTED, UNLIMITED
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.mirror_service import mirroring, settings_of
from tests.integration.mirror_sides import (
    KNOWN,
    PARTITIONS,
    RECORDS,
    SECONDS,
    Run,
    arrive,
    caught_up,
    create,
    hasty,
    held,
    mirror_info,
    planned,
    prepare,
    write,
    write_transactions,
    writing,
)
from tests.integration.patience import until
from tests.integration.secured_cluster import ONE_COPY

KILLS = 3
LARGE = 4 * 1024 * 1024
DAY = 24 * 3600
TAKEN_OVER_SECONDS = 60
STATUS = "mm2-status.old.internal"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Its brokers keep records for ever and take large ones, as old clusters often do."""
    given = {**ONE_COPY, "log.retention.hours": "-1", "message.max.bytes": str(LARGE)}
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("source"), nodes=1, properties=given)
    yield cluster
    cluster.stop()


@contextmanager
def lost(cluster: KafkaCluster, node_id: int) -> Iterator[None]:
    """One node is killed, and comes back after the block."""
    cluster.kill_node(node_id)
    try:
        yield
    finally:
        cluster.start_node(node_id)
        cluster.wait_ready()


def work(cluster: KafkaCluster, *services: mirror_service.Settings) -> None:
    """Returns when the workers of these services copy records."""
    asked = {f"{one.address}:{one.port}" for one in services}
    assert asked - until(lambda: workers(cluster), lambda found: asked <= found, SECONDS, pause=1) == set()


def workers(cluster: KafkaCluster) -> set[str]:
    """Return the addresses of the workers with tasks that copy records, by the workers' last report."""
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


@pytest.mark.later
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
    servers = kafka_cluster.bootstrap_servers
    with writing(source, topic):
        for number in range(KILLS):
            service = settings_of(tmp_path, servers, hasty(seen["service"], 15 if number == 1 else 3))
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
        caught_up(run_module, source, kafka_cluster, **asked)
    agree(kafka_cluster, source, topic)


def agree(target: KafkaCluster, source: KafkaCluster, topic: str) -> None:
    """Both hold the same, once the last transaction's markers are written: a commit does not wait for them."""
    here, there = until(lambda: (held(target, topic), held(source, topic)), lambda both: both[0] == both[1], SECONDS)
    assert here == there


def test_a_topic_means_here_what_the_brokers_of_the_source_give_it(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Records of 400 days ago, of next month and of 3 MB: without settings here they end the copy, or are deleted."""
    topic = "mirrored-history"
    asked: dict[str, Any] = {"topics": [topic]}
    create(source, topic, config={BOUNDS[1]: UNLIMITED})
    now = int(1000 * time())
    old, coming = (now - 400 * DAY * 1000, now + 30 * DAY * 1000)
    # Without idempotence, a batch that is sent again may be stored twice, or behind the next one.
    settled = {"enable.idempotence": True, "message.max.bytes": LARGE}
    producer = Producer({"bootstrap.servers": source.bootstrap_servers, **settled})
    for number, (size, at) in enumerate([(1, old)] * 840 + [(3_000_000, now), (1, coming), (1, coming)]):
        producer.produce(topic, key=b"%d" % number, value=bytes(size), timestamp=at, partition=number % PARTITIONS)
    assert producer.flush(60) == 0
    seen = planned(run_module, source, kafka_cluster, **asked)
    (shown,) = [line for line in seen["plan"]["screen"] if "retention.ms=-1" in line]
    assert "mirrored-history (it is 604800000 here: 840 records are older than 168 h" in shown
    assert prepare(run_module, seen, kafka_cluster, check_mode=True)["changed"]
    assert planned(run_module, source, kafka_cluster, **asked)["plan"]["create"] == [topic]
    prepare(run_module, seen, kafka_cluster)
    assert planned(run_module, source, kafka_cluster, **asked)["plan"]["settings"] == []
    with mirroring(settings_of(tmp_path, kafka_cluster.bootstrap_servers, hasty(seen["service"]))):
        planned(run_module, source, kafka_cluster, **asked, wait=SECONDS)
        done = caught_up(run_module, source, kafka_cluster, **asked)
    assert done["progress"]["failed"] == {}
    agree(kafka_cluster, source, topic)
    assert done["plan"]["settings"] == []
    assert done["plan"]["put_back"] == [{"name": topic, "config": {BOUNDS[1]: UNLIMITED}}]
    client = {"bootstrap_servers": kafka_cluster.bootstrap_servers.split(",")}
    (alone,) = (
        one
        for one in run_module("kafka_mirror_info", client=client, known_settings=KNOWN, replication_factor=3)["plan"][
            "put_back"
        ]
        if one["name"] == topic
    )
    assert alone["config"] == {BOUNDS[1]: None}
    run_module("kafka_topic", client=client, topics=[alone])
    (again,) = planned(run_module, source, kafka_cluster, **asked)["plan"]["settings"]
    assert again["config"] == {BOUNDS[1]: LIFTED}  # what a new start of the copy lifts


def made_again(cluster: KafkaCluster, topic: str) -> None:
    """The topic is deleted and made again, with more records than it had."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.delete_topics([topic])[topic].result(30)
    assert until(lambda: topic not in admin.list_topics(timeout=30).topics, seconds=SECONDS)
    create(cluster, topic)
    write(cluster, topic, range(1200))


@pytest.mark.long
def test_a_topic_that_was_made_again_on_the_source_is_named(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """It has more records than before, so that its offsets are no evidence."""
    topic = "mirrored-again"
    create(source, topic)
    write(source, topic, range(300))
    asked: dict[str, Any] = {"topics": [topic], "install_dir": str(tmp_path)}
    seen = planned(run_module, source, kafka_cluster, **asked)
    with mirroring(settings_of(tmp_path, kafka_cluster.bootstrap_servers, hasty(seen["service"]))):
        done = caught_up(run_module, source, kafka_cluster, **asked, wait=SECONDS)
    (tmp_path / "mirror" / mirror_notes.NOTED).write_text(json.dumps(done["service"]["topic_ids"]))
    assert planned(run_module, source, kafka_cluster, **asked)["progress"]["changed"] == []
    made_again(source, topic)
    changed = planned(run_module, source, kafka_cluster, **asked)
    assert changed["progress"]["changed"] == [topic]
    assert "was deleted and made again on the source" in changed["plan"]["problems"][0]


@pytest.mark.long
def test_a_setting_that_kafka_refuses_is_in_the_log_as_one_line(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    """No status shows a connector that could not be made. The wait of a run reads the log of each host."""
    create(source, "mirrored-refused")
    service = planned(run_module, source, kafka_cluster, topics=["mirrored-refused"])["service"]
    excluded = service["properties"]["config.properties.exclude"] + r",min\.insync\.replicas"
    given = {**service, "properties": {**service["properties"], "config.properties.exclude": excluded}}
    deadline, errors = monotonic() + SECONDS, list[str]()
    with mirroring(settings_of(tmp_path, kafka_cluster.bootstrap_servers, given)):
        while not any("must not be duplicated" in text for text in errors):
            assert monotonic() < deadline, errors
            lines = (tmp_path / "mirror/mirror.log").read_text().splitlines()
            errors = [one.text for one in mirror_log.told(mirror_log.Entry(0, line) for line in lines)]
            sleep(0.5)


@pytest.mark.long
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
    wanted = ["mirrored-nowhere", "mirrored-foreign", "mirrored-wider"]

    def named() -> list[str]:
        found = planned(run_module, source, kafka_cluster, topics=asked)["plan"]["problems"]
        return [one.split()[1] for one in found]

    assert until(named, lambda found: found == wanted) == wanted  # brokers hear of new topics one after the other
    itself = planned(run_module, kafka_cluster, kafka_cluster)["plan"]["problems"]
    assert len(itself) == 1
    assert "this cluster itself" in itself[0]


def test_a_source_that_does_not_answer_is_named(run_module: Run, kafka_cluster: KafkaCluster) -> None:
    class Gone:
        bootstrap_servers = "127.0.0.1:1"

    said = mirror_info(run_module, Gone(), kafka_cluster)  # type: ignore[arg-type]
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
