"""The cluster of the lessons, as its clients see it: topics, the quorum, records, and reads from one replica."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ansible.module_utils.kraft.client_config import split_host_port
from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.operations.mirror.kept import batches
from confluent_kafka import Consumer, Message, Producer, TopicPartition

from spark_jobs.errors import UnreachableError
from spark_jobs.lessons.nodes import Nodes
from spark_jobs.native import Complaints, native_options

WHOLE_SECONDS, PAUSE = 90.0, 0.2
PREFIX = "kraftwright-lesson"
RECORD_BYTES = 100
FETCH_BYTES = 1_000_000


@dataclass(frozen=True)
class Place:
    """Addresses (``host:port``) of a node's client listener and of its controller."""

    client: str
    controller: str


@dataclass
class Writer:
    """A producer of one partition; ``acked``: numbers of acknowledged records, with the moment of each."""

    producer: Producer
    topic: str
    acked: dict[int, float] = field(default_factory=dict)

    def send(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.producer.produce(self.topic, _value(number), partition=0, on_delivery=self._outcome)
            self.producer.poll(0)

    def _outcome(self, error: object, message: Message) -> None:
        if error is None:
            self.acked[_number(message.value() or b"")] = time.monotonic()


class Lab:
    """One cluster, its nodes, and the topics of a run. ``close`` removes the topics."""

    def __init__(self, places: Mapping[int, Place], nodes: Nodes, options: Mapping[str, str], run: str) -> None:
        self.places, self.nodes, self._options, self._run = places, nodes, options, run
        self.bootstrap = ",".join(place.client for place in places.values())
        self._topics: list[str] = []

    def topic(self, name: str, replicas: Sequence[int], at: int = 0, seconds: float = 15.0, **config: str) -> str:
        """Make a topic of one partition on `replicas`, by a request to node `at` (0: the first to answer).

        Returns its name. Raises KraftError.
        """
        full = f"{PREFIX}-{self._run}-{name}"
        self._topics.append(full)
        settings = [(key.replace("_", "."), value) for key, value in config.items()]
        asked: Any = (full, -1, -1, [(0, list(replicas))], settings)
        with self._client(at) as client:
            request = client.request("CreateTopicsRequest", topics=[asked], timeout_ms=int(1000 * seconds))
            for one in client.send(self._address(client, at), request, seconds)["topics"]:
                error = client.error(f"topic {full}", one["error_code"], one.get("error_message"))
                if error:
                    raise error
        return full

    def controller(self, among: Iterable[int] = ()) -> int | None:
        """Return the active controller, by the first of `among` that answers within a second."""
        for node_id in among or self.places:
            with suppress(KraftError), self._client(node_id) as client:
                quorum = observe(client, ("quorum",), self.places[node_id].client, seconds=1.0).quorum
                if quorum is not None:
                    return quorum.leader_id
        return None

    def others(self, *node_ids: int) -> list[int]:
        return [one for one in self.places if one not in node_ids]

    def wait_whole(self, seconds: float = WHOLE_SECONDS) -> None:
        """Wait until all nodes serve, a controller leads, and all replicas are in sync."""
        deadline, reason = time.monotonic() + seconds, "no answer"
        while time.monotonic() < deadline:
            try:
                with self._client(0) as client:
                    reason = incomplete(observe(client, ("topics", "quorum")), set(self.places))
            except KraftError as error:
                reason = str(error)
            if not reason:
                return
            time.sleep(PAUSE)
        raise UnreachableError(f"The cluster is not whole after {seconds:.0f} s: {reason}")

    def writer(self, topic: str, acks: str) -> Writer:
        """Return a producer with retries as the library has them, idempotent with ``acks=all``."""
        more = {"acks": acks, "enable.idempotence": acks == "all", "message.timeout.ms": 90_000}
        return Writer(Producer(self.native(**more)), topic)

    def native(self, **more: object) -> dict[str, Any]:
        """Return options of confluent-kafka."""
        return native_options(self.bootstrap, self._options, Complaints(), **more)

    def reader(self, topic: str, offset: int = 0) -> Consumer:
        """Return a consumer of the topic's partition from `offset` on."""
        consumer = Consumer(self.native(**{"group.id": topic, "enable.auto.commit": False}))
        consumer.assign([TopicPartition(topic, 0, offset)])
        return consumer

    def stored(self, topic: str) -> set[int]:
        """Return the numbers of the records that the topic holds."""
        consumer, found, deadline = self.reader(topic), set[int](), time.monotonic() + WHOLE_SECONDS
        try:
            _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), 30)
            while consumer.position([TopicPartition(topic, 0)])[0].offset < end and time.monotonic() < deadline:
                found |= {_number(one.value() or b"") for one in consumer.consume(1000, 0.5) if not one.error()}
        finally:
            consumer.close()
        return found

    def exists(self, topic: str) -> bool:
        """Check that the cluster has the topic, by a request for all topics, which does not make it."""
        with self._client(0) as client:
            return any(one.name == topic for one in observe(client, ("topics",)).topics or ())

    def held(self, node_id: int, topic: str) -> int:
        """Return the bytes that a node's replica has."""
        with self._client(node_id) as client:
            request = client.request("DescribeLogDirsRequest", topics=[(topic, [0])])
            answer = client.send(self.places[node_id].client, request)
        sizes = [one for each in answer["results"] for item in each["topics"] for one in item["partitions"]]
        return sum(int(one["partition_size"]) for one in sizes)

    def served(self, node_id: int, topic: str, offset: int) -> int:
        """Return how many records a consumer gets from this very node from `offset` on, leader or not (KIP-392)."""
        with self._client(node_id) as client:
            kind, part = "FetchRequest", "FetchTopic"
            asked = client.struct(
                kind, f"{part}.FetchPartition", partition=0, fetch_offset=offset, partition_max_bytes=FETCH_BYTES
            )
            topics = [client.struct(kind, part, topic=topic, partitions=[asked])]
            limits = {"max_wait_ms": 300, "min_bytes": 1, "max_bytes": FETCH_BYTES, "max_version": 12}
            request = client.request(kind, replica_id=-1, isolation_level=0, topics=topics, **limits)
            (answer,) = client.send_all([Question(self.places[node_id].client, request)], raw=True)
            if isinstance(answer, KraftError):
                raise answer
            (one,) = (each for item in answer["responses"] for each in item["partitions"])
            error = client.error(f"{topic}-0 of node {node_id}", one["error_code"], None)
            if error:
                raise error
            return sum(each.next_offset - each.base_offset for each in batches(one["records"] or b""))

    def reachable(self, address: str, seconds: float = 2.0) -> bool:
        """Check whether the address takes a connection from here."""
        with suppress(OSError), socket.create_connection(split_host_port(address), seconds):
            return True
        return False

    def close(self) -> None:
        """Remove the topics of this run, and let the preferred replicas lead again."""
        with suppress(KraftError), self._client(0) as client:
            back = client.request("ElectLeadersRequest", election_type=0, topic_partitions=None, timeout_ms=20_000)
            client.send(client.reach(), back, 25.0)
            request = client.request(
                "DeleteTopicsRequest", topics=[(one, None) for one in self._topics], timeout_ms=20_000
            )
            client.send(client.reach(), request, 25.0)

    def _client(self, node_id: int) -> Client:
        known = [self.places[node_id]] if node_id else list(self.places.values())
        return Client({"bootstrap_servers": [place.client for place in known]})

    def _address(self, client: Client, node_id: int) -> str:
        return self.places[node_id].client if node_id else client.reach()


def incomplete(seen: Snapshot, expected: set[int]) -> str:
    """Return why the cluster is not whole; empty if it is."""
    serving = {one.node_id for one in seen.brokers if not one.fenced}
    if serving != expected:
        return f"brokers {sorted(serving)} serve, of {sorted(expected)}"
    if seen.quorum is None or seen.quorum.leader_id not in expected:
        return "no controller leads"
    if seen.topics is None:
        return "no broker lists the topics"
    late = [topic.name for topic in seen.topics for one in topic.partitions if one.under_replicated or one.leader < 0]
    return f"replicas of {', '.join(sorted(set(late))[:3])} are not in sync" if late else ""


def _value(number: int) -> bytes:
    return str(number).encode().ljust(RECORD_BYTES, b".")


def _number(value: bytes) -> int:
    return int(value.rstrip(b"."))
