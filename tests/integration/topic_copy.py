"""A topic and its copy on the test cluster: the same records, written in other batches, so at other offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import time
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, Producer, TopicPartition

from spark_jobs.proof.config import Address, ProofConfig
from tests.integration.spark_topic import create

BEGIN_MS = int(time() * 1000) - 3_600_000  # retention leaves them alone
PARTITIONS = 3


class Sent(NamedTuple):
    """One record as a producer sends it."""

    partition: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    timestamp: int = BEGIN_MS


def numbered(count: int) -> list[Sent]:
    """Records that all differ, in turn to each partition. Each key has about ten records."""
    return [
        Sent(n % PARTITIONS, b"k%d" % (n % (count // 10)), b"value %d" % n, (), BEGIN_MS + n // 5) for n in range(count)
    ]


@dataclass(frozen=True)
class Copied:
    """Names of a topic and of its copy."""

    bootstrap: str
    source: str
    target: str

    @classmethod
    def make(
        cls, bootstrap: str, name: str, source: dict[str, str] | None = None, target: dict[str, str] | None = None
    ) -> Copied:
        """Two empty topics with these settings."""
        made = cls(bootstrap, f"{name}.old", f"{name}.new")
        create(bootstrap, made.source, PARTITIONS, source or {}, replicas=1)
        create(bootstrap, made.target, PARTITIONS, target or {}, replicas=1)
        return made

    def write(self, topic: str, records: Sequence[Sent], idempotent: bool = True) -> None:
        """In order, and all of them. Formats before Kafka 0.11 take no idempotent producer."""
        options = {"enable.idempotence": idempotent, "max.in.flight.requests.per.connection": 5 if idempotent else 1}
        producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 20, **options})
        _send(producer, topic, records)
        assert producer.flush(60) == 0

    def write_transactions(self, topic: str, records: Sequence[Sent], size: int = 100) -> None:
        """The same in transactions; before every third one, its records are sent and given up."""
        producer = Producer({"bootstrap.servers": self.bootstrap, "transactional.id": topic, "linger.ms": 5})
        producer.init_transactions(30)
        for start in range(0, len(records), size):
            some = records[start : start + size]
            if start // size % 3 == 0:
                producer.begin_transaction()
                _send(producer, topic, some)
                assert producer.flush(30) == 0
                producer.abort_transaction()
            producer.begin_transaction()
            _send(producer, topic, some)
            producer.commit_transaction()

    def both(self, records: Sequence[Sent]) -> None:
        self.write(self.source, records)
        self.write(self.target, records)


def _send(producer: Producer, topic: str, records: Sequence[Sent]) -> None:
    for one in records:
        headers: list[tuple[str, str | bytes | None]] = list(one.headers)
        place = (topic, one.value, one.key, one.partition, _delivered)
        producer.produce(*place, timestamp=one.timestamp, headers=headers)
        producer.poll(0)


def _delivered(error: KafkaError | None, message: Message) -> None:
    """Raise what prevented it; librdkafka's own poll or flush passes it on."""
    if error is not None:
        raise AssertionError(f"{message.topic()}: {error}")


def read(bootstrap: str, topic: str) -> list[Message]:
    """All that an independent client reads now, committed records only, in the order of each partition."""
    options = {"auto.offset.reset": "earliest", "enable.partition.eof": True}
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "witness", **options})
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in range(PARTITIONS)])
    found: list[Message] = []
    ended = 0
    while ended < PARTITIONS:
        message = consumer.poll(60)
        assert message is not None
        if message.error() is None:
            found.append(message)
        else:
            ended += 1
    consumer.close()
    return found


def visible(bootstrap: str, topic: str) -> int:
    """Return the number of records that a client reads."""
    return len(read(bootstrap, topic))


def proof_of(copies: Sequence[Copied], config: ProofConfig) -> ProofConfig:
    """The configuration for these copies, both sides on their cluster."""
    address = Address(copies[0].bootstrap)
    return replace(config, source=address, target=address, topics={copied.source: copied.target for copied in copies})
