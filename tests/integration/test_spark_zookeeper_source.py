"""Topics and groups of a real cluster on ZooKeeper are copied by MirrorMaker of the archive, and the copy is proven.

``KRAFT_SOURCE`` names the release of the source, 3.9.2 by default; with ``make test-all`` clients switch, too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic, sleep, time
from typing import NamedTuple, cast

import pytest
from ansible.module_utils.kraft.node.other_services import mirror_log
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from kafka import KafkaProducer
from pyspark.sql import SparkSession

from spark_jobs.errors import UsageError
from spark_jobs.native import NativeAdmin
from spark_jobs.progress import Progress
from spark_jobs.proof.command import begun, prove
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.report_schema import Report, Topic
from spark_jobs.report_check import schema_errors
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.mirror_maker import mirroring
from tests.integration.patience import until
from tests.integration.spark_topic import create
from tests.integration.topic_copy import PARTITIONS, Copied, Sent, numbered, read
from tests.integration.zookeeper_cluster import ZooKeeperCluster

pytestmark = pytest.mark.later  # test_spark_proof has a copy of MirrorMaker, too
VERSION = os.environ.get("KRAFT_SOURCE", "3.9.2")
RECORDS = 3000
SETTLED_SECONDS = 120
COMPACTED = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01", "segment.ms": "500"}
DELETED = 400
PLAIN, TRANSACTIONS, COMPACT, SHORTENED = TOPICS = tuple(
    f"zookeeper-{name}" for name in ("plain", "transactions", "compacted", "shortened")
)
OLD_FORMAT = "zookeeper-old-format"
TOPICS += (OLD_FORMAT,) if VERSION < "3" else ()  # Kafka 3 converted what was written
#: Settings of topics.
CONFIGS = {COMPACT: COMPACTED, OLD_FORMAT: {"message.format.version": "0.10.2"}}
SWITCHED = "zookeeper-switched"
GROUPS = ("at-the-end", "behind", "in-transactions")
MIRROR = {
    "replication.policy.class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
    "topics": ",".join(TOPICS),
    "groups": ",".join(GROUPS),
    "config.properties.exclude": r"message\.format\.version",  # Kafka 4 would not make a topic with it
    "sync.group.offsets.enabled": "true",
    "sync.group.offsets.interval.seconds": "1",
    "emit.checkpoints.interval.seconds": "1",
    "checkpoints.topic.replication.factor": "1",
    "refresh.groups.interval.seconds": "2",  # groups begin while it works
}


class Sides(NamedTuple):
    """A cluster on ZooKeeper, and the KRaft cluster that holds its copy."""

    source: str
    target: str

    def proven(
        self, spark: SparkSession, directory: Path, topics: dict[str, str], *groups: str, before_switch: bool = False
    ) -> Report:
        addresses = Address(self.source), Address(self.target)
        config = ProofConfig("zookeeper", *addresses, topics, directory, groups, before_switch=before_switch)
        progress = Progress(directory)
        draft = begun(config, progress)
        prove(spark, config, draft, progress)
        assert schema_errors(draft, Report) == []
        return draft


@pytest.fixture(scope="module")
def old_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperCluster]:
    cluster = ZooKeeperCluster.start(tmp_path_factory.mktemp("old"), VERSION)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def copied(
    old_cluster: ZooKeeperCluster, kafka_cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory
) -> Sides:
    """Every topic is written on the old cluster and copied, one half while MirrorMaker works. It has ended."""
    sides = Sides(old_cluster.bootstrap_servers, kafka_cluster.bootstrap_servers)
    first_half(sides.source)
    directory = tmp_path_factory.mktemp("mirror")
    with mirroring(sides.source, directory, {**MIRROR, "new.bootstrap.servers": sides.target}) as mirror:
        for written, groups in ((lambda _: None, ()), (second_half, GROUPS)):
            written(sides.source)
            deadline = monotonic() + SETTLED_SECONDS
            while missing := not_arrived(sides, groups):
                log = f"{missing}\n{(directory / 'mirror.log').read_text()[-4000:]}"
                assert mirror.poll() is None, log
                assert monotonic() < deadline, log
                sleep(0.5)
    return sides


def first_half(bootstrap: str) -> None:
    """Records with and without key, value and headers; transactions with aborted ones; what retention leaves."""
    for name in TOPICS:
        create(bootstrap, name, PARTITIONS, CONFIGS.get(name, {}), replicas=1)
    compact(Copied(bootstrap, COMPACT, COMPACT))
    write(bootstrap, slice(0, RECORDS // 2))
    place = TopicPartition(SHORTENED, 1, DELETED)
    admin = AdminClient({"bootstrap.servers": bootstrap})  # a future ends with the client that made it
    admin.delete_records([place])[place].result(30)


def second_half(bootstrap: str) -> None:
    """More of the same, and where groups are in it."""
    write(bootstrap, slice(RECORDS // 2, RECORDS))
    commit(bootstrap, "at-the-end", PLAIN, [RECORDS // PARTITIONS] * PARTITIONS)
    commit(bootstrap, "behind", SHORTENED, [650, 700, 999])
    commit(bootstrap, "in-transactions", TRANSACTIONS, [750, 900, 1200])


def write(bootstrap: str, part: slice) -> None:
    headers: tuple[tuple[tuple[str, bytes | None], ...], ...] = ((), (("a", b"b"), ("a", None)), (("", b""),))
    varied = [
        one._replace(
            key=None if n % 7 == 0 else one.key, value=None if n % 11 == 0 else one.value, headers=headers[n % 3]
        )
        for n, one in enumerate(numbered(RECORDS))
    ]
    Copied(bootstrap, PLAIN, PLAIN).write(PLAIN, varied[part])
    Copied(bootstrap, TRANSACTIONS, TRANSACTIONS).write_transactions(TRANSACTIONS, numbered(RECORDS)[part])
    Copied(bootstrap, SHORTENED, SHORTENED).write(SHORTENED, numbered(RECORDS)[part])
    for name in TOPICS[4:]:
        Copied(bootstrap, name, name).write(name, numbered(RECORDS)[part], idempotent=False)


def compact(copied: Copied) -> None:
    """Returns when the topic is compacted and its cleaner changes nothing any more."""
    copied.write(copied.source, numbered(RECORDS))
    deadline, before = monotonic() + SETTLED_SECONDS, -1
    while monotonic() < deadline:
        now = int(time() * 1000)  # the age of a segment is counted by its records
        copied.write(copied.source, [Sent(number, b"roll", b"%d" % now, timestamp=now) for number in range(PARTITIONS)])
        sleep(1.5)  # longer than segment.ms and the cleaner's rest together
        count = len(read(copied.bootstrap, copied.source))
        if count in range(before - 2, before + 3) and count < RECORDS // 2:
            return
        before = count
    raise AssertionError(f"not compacted within {SETTLED_SECONDS} s")


def commit(bootstrap: str, group: str, topic: str, offsets: list[int]) -> None:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    places = [TopicPartition(topic, partition, offset) for partition, offset in enumerate(offsets)]
    consumer.commit(offsets=places, asynchronous=False)
    consumer.close()


def not_arrived(sides: Sides, groups: Sequence[str], topics: Sequence[str] = TOPICS) -> list[str]:
    """Return the parts that the target lacks: topics, records, or a group's offset in a partition of the source."""
    lacking = set(topics) - AdminClient({"bootstrap.servers": sides.target}).list_topics(timeout=10).topics.keys()
    if lacking:
        return sorted(lacking)
    short = [name for name in topics if len(read(sides.target, name)) < len(read(sides.source, name))]
    if short:
        return short
    places = [(name, number) for name in topics for number in range(PARTITIONS)]
    source, target = (NativeAdmin(servers, {}, 10.0) for servers in sides)
    untranslated = {
        group: source.committed(group, places).keys() - target.committed(group, places).keys() for group in groups
    }
    return [f"{group}: {sorted(rest)}" for group, rest in untranslated.items() if rest]


def faults(topic: Topic) -> dict[str, int]:
    return {kind: count for kind, count in topic["faults"].items() if count}


def test_every_record_and_offset_of_the_old_cluster_is_accounted_for(
    spark: SparkSession, copied: Sides, tmp_path: Path
) -> None:
    report = copied.proven(spark, tmp_path, {name: name for name in TOPICS}, *GROUPS)
    assert [(topic["source"], faults(topic)) for topic in report["topics"]] == [(name, {}) for name in TOPICS]
    assert report["verdict"]["outcome"] == "proven", report["groups"]
    plain, transactions, compacted, shortened, *old = report["topics"]
    assert [topic["paired"] for topic in old] == [RECORDS] * len(old)
    assert (plain["paired"], transactions["paired"], shortened["paired"]) == (RECORDS, RECORDS, RECORDS - DELETED)
    assert 0 < compacted["paired"] < RECORDS // 2
    places = {(one["group"], one["partition"]): one["outcome"] for one in report["groups"]}
    assert places.keys() == {(group, number) for group in GROUPS for number in range(PARTITIONS)}
    assert set(places.values()) <= {"same", "earlier"}


def test_a_dropped_a_changed_two_swapped_and_a_duplicated_record_of_the_old_cluster_are_named(
    spark: SparkSession, copied: Sides, tmp_path: Path
) -> None:
    """The copy is written again with these faults in partition 0, far from each other."""
    target = create(copied.target, f"{PLAIN}.faulty", PARTITIONS, {}, replicas=1)
    messages = read(copied.target, PLAIN)
    records = {number: [sent(one) for one in messages if one.partition() == number] for number in range(PARTITIONS)}
    faulty = records[0]
    faulty[300] = faulty[300]._replace(value=b"another")
    faulty[500], faulty[501] = faulty[501], faulty[500]
    faulty.insert(801, faulty[800])
    del faulty[100]
    Copied(copied.target, PLAIN, target).write(target, [one for number in records for one in records[number]])
    report = copied.proven(spark, tmp_path, {PLAIN: target})
    (topic,) = report["topics"]
    assert report["verdict"]["outcome"] == "failed"
    assert faults(topic) == dict.fromkeys(("missing", "changed", "reordered", "duplicated"), 1)
    found = {(one["kind"], one["partition"], one["source_offset"], one["target_offset"]) for one in topic["examples"]}
    certain = {("missing", 0, 100, None), ("changed", 0, 300, 299), ("duplicated", 0, 800, 800)}
    assert found in [certain | {("reordered", 0, 500, 500)}, certain | {("reordered", 0, 501, 499)}]


@pytest.mark.skipif(VERSION >= "3", reason="newer clients and brokers refuse such a record")
def test_a_timestamp_before_1970_ends_mirrormakers_task_with_its_cause_and_the_proof_compares_it(
    spark: SparkSession, old_cluster: ZooKeeperCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    sides = Sides(old_cluster.bootstrap_servers, kafka_cluster.bootstrap_servers)
    name = "zookeeper-before-1970"
    timestamps = {"same": (5, -1000, 6), "other": (5, -999, 6)}
    write_before_1970(sides.source, name, timestamps["same"])
    settings = {**MIRROR, "topics": name, "new.bootstrap.servers": sides.target}
    with mirroring(sides.source, tmp_path, settings) as mirror:
        deadline = monotonic() + SETTLED_SECONDS
        while not (said := [one.text for one in mirror_log.told(logged(tmp_path))]) and monotonic() < deadline:
            assert mirror.poll() is None
            sleep(0.5)
    assert "Invalid record timestamp -1000" in said[0]
    for copy, given in timestamps.items():
        write_before_1970(sides.target, f"{name}.{copy}", given)
        report = sides.proven(spark, tmp_path, {name: f"{name}.{copy}"})
        (topic,) = report["topics"]
        assert (topic["paired"], faults(topic)) == ((3, {}) if copy == "same" else (2, {"changed": 1}))


def write_before_1970(bootstrap: str, topic: str, timestamps: Sequence[int]) -> None:
    """Write records that librdkafka would not write."""
    create(bootstrap, topic, 1, {}, replicas=1)
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all")
    for number, timestamp in enumerate(timestamps):
        producer.send(topic, b"%d" % number, partition=0, timestamp_ms=timestamp).get(30)
    producer.close()


def logged(directory: Path) -> list[mirror_log.Entry]:
    """Return MirrorMaker's log in the form of the journal."""
    lines = (directory / "mirror.log").read_text().splitlines()
    return [mirror_log.Entry(0.0, re.sub(r"^\[[^]]*\] ", "", line)) for line in lines]


def test_a_side_with_servers_of_both_clusters_is_refused(spark: SparkSession, copied: Sides, tmp_path: Path) -> None:
    both = copied._replace(source=f"{copied.source},{copied.target}")
    with pytest.raises(UsageError, match=r"source\.bootstrap_servers: servers of several clusters"):
        both.proven(spark, tmp_path, {PLAIN: PLAIN})


@pytest.mark.skipif("KRAFT_SOURCE" not in os.environ, reason="two minutes: make test-all sets KRAFT_SOURCE")
def test_a_working_producer_and_consumer_switch_and_lose_nothing(
    spark: SparkSession,
    old_cluster: ZooKeeperCluster,
    kafka_cluster: KafkaCluster,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """The proof forbids the switch while the producer writes. Afterwards it reports how many records are read again."""
    copied = Sides(old_cluster.bootstrap_servers, kafka_cluster.bootstrap_servers)
    create(copied.source, SWITCHED, PARTITIONS, {}, replicas=1)
    only = {**MIRROR, "topics": SWITCHED, "groups": SWITCHED, "new.bootstrap.servers": copied.target}
    before = Clients(copied.source, 0)
    with mirroring(copied.source, tmp_path, only), before.working():
        settle(lambda: before.received and holds(copied.target, SWITCHED), tmp_path)
        early = copied.proven(spark, tmp_path, {SWITCHED: SWITCHED}, before_switch=True)
        assert early["verdict"]["outcome"] == "failed"
        assert any(f"{SWITCHED} still grows on the source" in one for one in early["verdict"]["sentences"])
        before.finish()
        stopped = monotonic()
        settle(lambda: not not_arrived(copied, (SWITCHED,), [SWITCHED]), tmp_path)
        report = copied.proven(spark, tmp_path, {SWITCHED: SWITCHED}, SWITCHED, before_switch=True)
        assert report["verdict"]["outcome"] == "proven", report
        assert "Producers have paused for 0:0" in report["verdict"]["sentences"][-1]
    after = Clients(copied.target, len(before.acknowledged))
    with after.working():
        settle(lambda: after.received, tmp_path)
        pause = monotonic() - stopped
        after.finish()
    seen = before.received + after.received
    assert set(seen) == set(before.acknowledged + after.acknowledged)
    again = sum(one["records"] or 0 for one in report["groups"])
    twice = len(seen) - len(set(seen))
    assert twice <= again  # offsets may have been translated once more after the proof
    record_property("switch", f"{pause:.1f} s of pause, {twice} records were read twice")


def holds(bootstrap: str, topic: str) -> bool:
    """Check whether the topic is there, with records."""
    topics = AdminClient({"bootstrap.servers": bootstrap}).list_topics(timeout=10).topics
    return topic in topics and any(end(bootstrap, topic, number) > 0 for number in range(PARTITIONS))


def end(bootstrap: str, topic: str, number: int) -> int:
    """The partition's next offset. To read a topic to its end that still grows may never end."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "witness"})
    _, last = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=30)
    consumer.close()
    return int(last)


def settle(done: Callable[[], object], directory: Path) -> None:
    assert until(done, seconds=SETTLED_SECONDS, pause=1), (directory / "mirror.log").read_text()[-4000:]


class Clients:
    """A producer that sends numbers, and a consumer of the group that reads them; each in a separate thread."""

    def __init__(self, bootstrap: str, first: int) -> None:
        self._bootstrap, self._first, self._over = bootstrap, first, Event()
        self._sent, self._committed = Event(), Event()
        self.acknowledged: list[int] = []
        self.received: list[int] = []

    @contextmanager
    def working(self) -> Iterator[None]:
        with ThreadPoolExecutor(2) as threads:
            work = [threads.submit(self._produce), threads.submit(self._consume)]
            try:
                yield
            finally:
                self._over.set()
                self._sent.set()
                for one in work:
                    one.result(SETTLED_SECONDS)

    def finish(self) -> None:
        """The producer stops; returns when the consumer has read all that was acknowledged, and has committed."""
        self._over.set()
        assert self._sent.wait(SETTLED_SECONDS)
        assert self._committed.wait(SETTLED_SECONDS)

    def _produce(self) -> None:
        producer = Producer({"bootstrap.servers": self._bootstrap, "enable.idempotence": True, "linger.ms": 5})
        number = self._first
        while not self._over.wait(0.005):
            producer.produce(SWITCHED, b"%d" % number, partition=number % PARTITIONS, on_delivery=self._delivered)
            producer.poll(0)
            number += 1
        assert producer.flush(60) == 0
        self._sent.set()

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        assert error is None
        self.acknowledged.append(int(message.value() or b""))

    def _consume(self) -> None:
        options = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
        consumer = Consumer({"bootstrap.servers": self._bootstrap, "group.id": SWITCHED, **options})
        consumer.subscribe([SWITCHED])
        while not (self._sent.is_set() and set(self.received) >= set(self.acknowledged)):
            self.received += [int(one.value() or b"") for one in consumer.consume(200, 0.2) if one.error() is None]
        consumer.commit(asynchronous=False)
        consumer.close()
        self._committed.set()


def sent(message: Message) -> Sent:
    """A record that was read, as a producer sends it."""
    headers = tuple(cast("list[tuple[str, bytes | None]]", message.headers() or []))
    return Sent(message.partition() or 0, message.key(), message.value(), headers, message.timestamp()[1])
