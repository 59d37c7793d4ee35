"""The proof of a copy and a brute force by the law's text: 2,000 generated pairs of logs, and 60 on brokers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import monotonic, sleep, time
from typing import cast

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from hypothesis import HealthCheck, given, settings

from spark_jobs import session
from spark_jobs.native import NativeAdmin
from spark_jobs.progress import Progress
from spark_jobs.proof.account import LOST
from spark_jobs.proof.command import begun, prove
from spark_jobs.proof.config import Address, ProofConfig
from spark_jobs.proof.report_schema import Report
from tests import proof_oracle
from tests.integration.kafka_cluster import KafkaCluster
from tests.proof_checks import agree
from tests.proof_logs import FAULTS, Case, Message, cases, message, offset
from tests.proof_oracle import Rec, Side

PAIRS = 60
COMPACTED = range(36, PAIRS)
ALONE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "min.insync.replicas": "1",
    "log.cleaner.backoff.ms": "500",
}
KEPT = {"retention.ms": "-1"}
CLEANED = {
    "cleanup.policy": "compact",
    "min.cleanable.dirty.ratio": "0.01",
    "segment.ms": "500",
    "max.compaction.lag.ms": "1000",
    "delete.retention.ms": "100",
}
SETTLED_SECONDS = 90


@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_two_thousand_pairs_of_logs(case: Case) -> None:
    agree(case)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[KafkaCluster]:
    made = KafkaCluster.start(tmp_path / "kafka", 1, ALONE)
    yield made
    made.stop()


class Writer:
    """Both sides of every pair, each a topic with one partition."""

    def __init__(self, bootstrap: str) -> None:
        self._plain = Producer({"bootstrap.servers": bootstrap, "linger.ms": 2})
        self._transactional = Producer({"bootstrap.servers": bootstrap, "linger.ms": 2, "transactional.id": "pairs"})
        self._transactional.init_transactions(30)

    def write(self, topic: str, messages: Sequence[Message], dice: Random) -> None:
        """In parts: plain, in a transaction, or in one after an aborted one."""
        at = 0
        while at < len(messages):
            part = messages[at : at + dice.randint(1, 6)]
            at += len(part)
            if dice.random() < 0.5:
                self._send(self._plain, topic, part)
                continue
            for aborted in (True, False) if dice.random() < 0.5 else (False,):
                self._transactional.begin_transaction()
                self._send(self._transactional, topic, part)
                (self._transactional.abort_transaction if aborted else self._transactional.commit_transaction)()

    @staticmethod
    def _send(producer: Producer, topic: str, messages: Sequence[Message]) -> None:
        for key, value, headers, timestamp in messages:
            producer.produce(topic, value, key, 0, timestamp=timestamp, headers=list(headers))
        assert producer.flush(30) == 0


def written(writer: Writer, number: int) -> None:
    """One pair: its copy has planted faults in two of three cases."""
    dice, compacted = Random(number), number in COMPACTED  # noqa: S311
    repeats = dice.random() < 0.4
    messages = [message(dice, n, repeats, compacted) for n in range(dice.randint(0, 20))]
    if compacted:
        messages = [(one[0] or b"a", *one[1:]) for one in messages]
    writer.write(f"old{number}", messages, dice)
    for name in dice.sample(sorted(set(FAULTS) - {"key null"}), dice.choice((0, 1, 2))):
        if messages:
            FAULTS[name](dice, messages)
    if compacted:
        messages = [(one[0] or b"a", *one[1:]) for one in messages]
    writer.write(f"new{number}", messages, dice)


def read(bootstrap: str, names: Sequence[str], isolation: str) -> dict[str, list[Rec]]:
    """Return the records of each topic, by an independent client."""
    options = {"auto.offset.reset": "earliest", "enable.partition.eof": True, "group.id": "witness"}
    options["isolation.level"] = isolation
    consumer = Consumer({"bootstrap.servers": bootstrap, **options})
    consumer.assign([TopicPartition(name, 0, OFFSET_BEGINNING) for name in names])
    found: dict[str, list[Rec]] = {name: [] for name in names}
    ended = 0
    while ended < len(names):
        one = consumer.poll(10)
        assert one is not None
        if one.error() is not None:
            ended += 1
            continue
        headers = tuple(cast("list[tuple[str, bytes | None]]", one.headers() or []))
        content = (one.key(), one.value())
        found[one.topic() or ""].append(Rec(one.offset() or 0, *content, headers, one.timestamp()[1]))
    consumer.close()
    return found


def sides(bootstrap: str, names: Sequence[str]) -> dict[str, Side]:
    """Return both sides of each topic; a record of an aborted transaction is there, and no consumer sees it."""
    found, every = (read(bootstrap, names, f"read_{kind}") for kind in ("committed", "uncommitted"))
    aborted = {
        name: tuple(sorted({one.offset for one in every[name]} - {one.offset for one in records}))
        for name, records in found.items()
    }
    admin = NativeAdmin(bootstrap, {}, 10.0)
    compacted = {f"{side}{number}" for side in ("old", "new") for number in COMPACTED}
    return {
        name: Side(
            tuple(records),
            admin.begin_offsets(name, [0])[0],
            admin.end_offsets(name, [0])[0],
            name in compacted,
            aborted[name],
        )
        for name, records in found.items()
    }


def settled(bootstrap: str, names: Sequence[str], writer: Writer, dice: Random) -> dict[str, Side]:
    """Wait until the cleaner changes nothing any more."""
    now = int(time() * 1000)
    for number in COMPACTED:
        for side in ("old", "new"):
            writer.write(f"{side}{number}", [(b"roll", b"1", (), now), (b"roll", b"2", (), now + 2000)], dice)
    deadline, before = monotonic() + SETTLED_SECONDS, sides(bootstrap, names)
    sleep(6)
    while (found := sides(bootstrap, names)) != before:
        assert monotonic() < deadline
        before = found
        sleep(3)
    return found


def shortened(admin: AdminClient, names: Sequence[str], ends: dict[str, Side], dice: Random) -> None:
    """The first records of some topics are deleted."""
    places = [
        TopicPartition(name, 0, dice.randint(1, ends[name].end))
        for name in names
        if ends[name].end and not ends[name].compacted and dice.random() < 0.3
    ]
    for future in admin.delete_records(places).values():
        future.result(30)


def test_sixty_pairs_on_brokers(cluster: KafkaCluster, tmp_path: Path) -> None:
    bootstrap, dice = cluster.bootstrap_servers, Random(1)  # noqa: S311
    admin, names = (
        AdminClient({"bootstrap.servers": bootstrap}),
        [f"{s}{n}" for s in ("old", "new") for n in range(PAIRS)],
    )
    configs = {name: CLEANED if int(name[3:]) in COMPACTED else {} for name in names}
    for future in admin.create_topics(
        [NewTopic(name, 1, 1, config={**KEPT, **configs[name]}) for name in names]
    ).values():
        future.result(60)
    writer = Writer(bootstrap)
    for number in range(PAIRS):
        written(writer, number)
    shortened(admin, names, sides(bootstrap, names), dice)
    found = settled(bootstrap, names, writer, dice)
    groups = {name: offset(dice, side.start, side.end) for name, side in found.items()}
    places = [TopicPartition(name, 0, offset) for name, offset in groups.items()]
    for future in admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions("g", places)]).values():
        future.result(30)
    report = proof(bootstrap, tmp_path)
    assert sides(bootstrap, names) == found
    positions = {one["topic"]: one for one in report["groups"]}
    decided = 0
    for topic in report["topics"]:
        name, other = topic["source"], topic["target"]
        case = Case(found[name], found[other], (groups[name], groups[other]))
        expected = proof_oracle.prove(case.source, case.target)
        assert (not any(topic["faults"].values())) == (expected is not None), (topic, case)
        if expected:
            decided += 1
            assert (topic["paired"], topic["excused"][LOST]["records"]) == (len(expected.pairs), expected.lost)
            said = tuple(positions[name][part] for part in ("outcome", "records", "exact"))
            assert said == proof_oracle.placed(case.source, case.target, expected, case.group), (case, expected)
    assert PAIRS // 5 < decided < PAIRS * 4 // 5


def proof(bootstrap: str, directory: Path) -> Report:
    topics = {f"old{number}": f"new{number}" for number in range(PAIRS)}
    address = Address(bootstrap)
    config = ProofConfig("pairs", address, address, topics, directory, ("g",), False, tuple(topics))
    draft, spark = begun(config, Progress(directory)), session.open_session("pairs")
    try:
        prove(spark, config, draft, Progress(directory))
    finally:
        spark.stop()
    return draft
