"""Replicas between the log dirs of real brokers: evened out, resumed after a kill, taken back, moved off a disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.storage.replicas import held_replicas
from ansible.module_utils.kraft.operations.disks.admin import DisksAdmin
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks
from ansible.module_utils.kraft.operations.disks.run import Desired, Run, Work
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.kafka_cluster import FORMAT_TIMEOUT, KafkaCluster
from tests.integration.kafka_node import KafkaNode
from tests.integration.patience import until

PARTITIONS = 8
KILOBYTES = 4000  # in each
RATE, SLOW = 30_000_000, 300_000
MEGABYTE = 1_000_000


class OfTwoDisks(KafkaCluster):
    """Nodes with one log dir; the second one comes while they run."""

    dirs: Sequence[str] = ("data",)

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        paths = ",".join(str(node.directory / one) for one in self.dirs)
        small = {"log.segment.bytes": "1048576"}
        return {**super().server_properties(node), "log.dirs": paths, **small}

    def add_disk(self, name: str) -> None:
        """Add a directory like a deployment: it alone is formatted, then nodes restart."""
        self.dirs = (*self.dirs, name)
        for node in self.nodes.values():
            before = node.formatted_directory_id()
            (node.directory / name).mkdir()
            node.write_files(self.server_properties(node))
            form = ("--ignore-formatted", "--no-initial-controllers")
            assert node.spawn(self.format_command(node, *form)).wait(FORMAT_TIMEOUT) == 0
            assert node.formatted_directory_id() == before
        self.stop()
        for node_id in self.nodes:
            self.launch_node(node_id)
        self.wait_ready()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfTwoDisks]:
    made = OfTwoDisks.start(tmp_path_factory.mktemp("disks"), nodes=2, properties=SINGLES)
    try:
        yield made
    finally:
        made.stop()


SINGLES = {f"{one}.replication.factor": "1" for one in ("default", "offsets.topic", "transaction.state.log")}
SINGLES |= {"min.insync.replicas": "1", "transaction.state.log.min.isr": "1"}


def produce(cluster: KafkaCluster) -> str:
    """Records of a topic whose replicas are on both brokers; gives their digest."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.create_topics([NewTopic("heavy", PARTITIONS, replica_assignment=[[1, 2]] * PARTITIONS)])["heavy"].result()
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(PARTITIONS * KILOBYTES):
        producer.produce("heavy", value=os.urandom(1000), partition=number % PARTITIONS)
        producer.poll(0)
    assert producer.flush(60) == 0
    return digest(cluster)


def digest(cluster: KafkaCluster) -> str:
    """Return the digest of every record of the topic, in order."""
    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "digest", "enable.auto.commit": False}
    )
    sums = [hashlib.sha256() for _ in range(PARTITIONS)]
    consumer.assign([TopicPartition("heavy", number, 0) for number in range(PARTITIONS)])
    for _ in range(PARTITIONS * KILOBYTES):
        message = consumer.poll(30)
        assert message is not None
        assert message.error() is None
        sums[message.partition() or 0].update(message.value() or b"")
    consumer.close()
    return " ".join(one.hexdigest() for one in sums)


def run(cluster: KafkaCluster, asked: Desired, act: Callable[[Run, Work, DisksAdmin], None] | None = None) -> Work:
    with Client({"bootstrap_servers": cluster.bootstrap_servers}) as client:
        admin = DisksAdmin(client)
        made = Run(admin, asked)
        work = made.work()
        if act:
            act(made, work, admin)
        else:
            assert made.apply(work) or asked.pause
        return work


def seen(cluster: KafkaCluster) -> tuple[tuple[BrokerDisks, ...], dict[int, str]]:
    with Client({"bootstrap_servers": cluster.bootstrap_servers}) as client:
        admin = DisksAdmin(client)
        brokers = admin.observe().brokers
        return admin.disks(brokers), admin.rates(brokers)


def until_unlimited(cluster: KafkaCluster) -> None:
    """Wait until no broker has a rate: each answers by the metadata that it has, which may be a moment old."""
    assert until(lambda: seen(cluster)[1], lambda rates: not rates) == {}


def held(cluster: KafkaCluster) -> list[list[int]]:
    """Bytes of each log dir of each broker."""
    return [[sum(disk.held.values()) for disk in one.disks] for one in seen(cluster)[0]]


def test_a_new_disk_is_filled_by_a_run_that_is_killed_and_one_that_goes_on(cluster: OfTwoDisks) -> None:
    before = produce(cluster)
    cluster.add_disk("more")
    assert all(first > PARTITIONS * KILOBYTES * 1000 and not second for first, second in held(cluster))
    # It ends with moves under way, as one that is killed does.
    work = run(cluster, Desired(rate=SLOW, together=2, pause=1.0, floor=MEGABYTE))
    assert len(work.moves) == PARTITIONS  # of both brokers together: half of what there is
    brokers, rates = seen(cluster)
    assert any(one.coming for one in brokers)
    assert set(rates.values()) == {"300417"}
    cluster.kill_node(2)
    cluster.start_node(2)
    again = run(cluster, Desired(rate=RATE, floor=MEGABYTE))
    assert again.under_way
    assert len(again.moves) < PARTITIONS
    brokers, _ = seen(cluster)
    assert not any(one.coming for one in brokers)
    until_unlimited(cluster)
    for first, second in held(cluster):
        assert abs(first - second) < 2 * MEGABYTE
    assert not run(cluster, Desired(rate=RATE, floor=MEGABYTE)).changes
    assert digest(cluster) == before


def test_moves_are_taken_back(cluster: OfTwoDisks) -> None:
    before = held(cluster)
    drained = {1: [str(cluster.nodes[1].directory / "more")]}
    assert run(cluster, Desired(drained, rate=MEGABYTE, pause=0.5)).moves
    assert any(one.coming for one in seen(cluster)[0])
    assert run(cluster, Desired(cancel=True)).moves
    brokers, _ = seen(cluster)
    assert not any(one.coming for one in brokers)
    until_unlimited(cluster)
    assert held(cluster) == before


def test_a_disk_is_emptied(cluster: OfTwoDisks) -> None:
    node = cluster.nodes[1]
    before, path = digest(cluster), str(node.directory / "more")
    assert held_replicas(path)["replicas"]
    assert run(cluster, Desired({1: [path]}, rate=10 * RATE)).moves
    assert held(cluster)[0][1] == 0
    assert held_replicas(path) == {"read": True, "replicas": 0, "named": []}
    with pytest.raises(RefusedError, match="has no log dir"):
        run(cluster, Desired({2: [path]}))
    assert digest(cluster) == before
