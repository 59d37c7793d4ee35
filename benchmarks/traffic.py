"""Traffic on a lab's cluster, and observations of its brokers: shared by the benchmarks of a running cluster."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Event, Thread

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Snapshot
from ansible.module_utils.kraft.errors import KraftError
from confluent_kafka import Consumer, KafkaError, Message, Producer
from confluent_kafka import TopicPartition as Position
from kafka import KafkaAdminClient
from kafka.admin import NewTopic

from benchmarks.lab import Lab

PARTITIONS = 12
PAUSE, STEADY, PATIENCE = 0.02, 3.0, 120.0
VALUE_BYTES, BATCH = 100, 10_000


@dataclass(frozen=True)
class Reconciled:
    """Records as (partition, sequence): number acknowledged, those that cannot be read, those that were read twice."""

    acknowledged: int
    lost: tuple[tuple[int, int], ...] = ()
    duplicated: tuple[tuple[int, int], ...] = ()


def reconcile(acknowledged: Mapping[int, Iterable[int]], read: Mapping[int, Iterable[int]]) -> Reconciled:
    """Compare acknowledged records with those read back: partition → sequences.

    Counts alone would not do: a record that was written and never acknowledged would replace a lost one.
    """
    promised = {(number, one) for number, sequences in acknowledged.items() for one in sequences}
    found = Counter((number, one) for number, sequences in read.items() for one in sequences)
    twice = (one for one, times in found.items() if times > 1)
    return Reconciled(len(promised), tuple(sorted(promised - found.keys())), tuple(sorted(twice)))


class Traffic:
    """A record for every partition, repeatedly, and the time at which each partition acknowledged it.

    A record's value begins with its sequence number, which counts from 0 in each partition.
    """

    def __init__(self, servers: str, topic: str) -> None:
        self._topic, self._over = topic, Event()
        self.acknowledged: dict[int, list[float]] = {number: [] for number in range(PARTITIONS)}
        self.sequences: dict[int, list[int]] = {number: [] for number in range(PARTITIONS)}
        settings = {"bootstrap.servers": servers, "acks": "all", "enable.idempotence": True, "log_level": 0}
        self._producer = Producer(settings)

    def _noted(self, error: object, message: Message) -> None:
        if error is None:
            partition = message.partition() or 0
            self.acknowledged[partition].append(time.monotonic())
            self.sequences[partition].append(sequence(message))

    def _write(self) -> None:
        for turn in count():
            if self._over.is_set():
                break
            value = f"{turn} ".ljust(VALUE_BYTES, "x")
            for number in range(PARTITIONS):
                self._producer.produce(self._topic, value, partition=number, on_delivery=self._noted)
            self._producer.poll(PAUSE)
        self._producer.flush(PATIENCE)

    @contextmanager
    def flowing(self) -> Iterator[None]:
        thread = Thread(target=self._write)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def wait(self, since: float) -> None:
        """Wait until every partition has acknowledged something after a moment."""
        deadline = time.monotonic() + PATIENCE
        while any(not times or times[-1] < since for times in self.acknowledged.values()):
            if time.monotonic() > deadline:
                raise TimeoutError("a partition acknowledges nothing any more")
            time.sleep(PAUSE)

    def longest_silence(self, since: float = 0.0) -> float:
        """Return the longest silence of the worst partition, in seconds, after a moment."""
        return max(
            later - sooner
            for times in self.acknowledged.values()
            for sooner, later in zip(times, times[1:])
            if sooner >= since
        )


class Cluster:
    """The lab's brokers. Survivors are queried one by one, at their own addresses: no client waits for a dead one."""

    def __init__(self, lab: Lab) -> None:
        self._lab, self._addresses = lab, {host: known["ansible_host"] for host, known in lab.addresses().items()}

    def servers(self, without: str = "") -> list[str]:
        return [f"{address}:9092" for host, address in self._addresses.items() if host != without]

    def host_of(self, node_id: int) -> str:
        return self._lab.hosts[node_id - 1]

    def seen(self, *parts: str, without: str = "") -> Snapshot | None:
        """Return a broker's current snapshot; None if no broker answers."""
        try:
            with Client({"bootstrap_servers": self.servers(without)}) as client:
                snapshot = observe(client, parts)
        except KraftError:
            return None
        return None if snapshot.unanswered else snapshot

    def wait_for(self, what: str, truth: Callable[[Snapshot], bool], *parts: str, without: str = "") -> Snapshot:
        """Return the first snapshot for which something is true."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            snapshot = self.seen(*parts, without=without)
            if snapshot and truth(snapshot):
                return snapshot
            time.sleep(PAUSE)
        raise TimeoutError(f"not within {PATIENCE:g} s: {what}")

    def victim(self, with_controller: bool) -> int:
        leader = self.wait_for("a leader", lambda snapshot: snapshot.controller_id > 0, "quorum").controller_id
        return leader if with_controller else leader % len(self._addresses) + 1

    def make_topic(self, name: str) -> None:
        with KafkaAdminClient(bootstrap_servers=self.servers()) as admin:
            admin.create_topics([NewTopic(name, PARTITIONS, 3)])
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Wait until all brokers serve and every replica is in sync, and that for a while."""
        self.wait_until_in_sync()
        time.sleep(STEADY)

    def wait_until_in_sync(self) -> None:
        """Wait until all brokers serve and every replica is in sync. Raises TimeoutError after PATIENCE."""
        count = len(self._addresses)
        self.wait_for(
            "a whole cluster",
            lambda snapshot: len(snapshot.unfenced) == count and all(len(one.isr) == count for one in every(snapshot)),
            "topics",
        )

    def led_without(self, node_id: int, since: float) -> float:
        """Return the seconds from `since` until all partitions are led by another node than `node_id`."""
        self.wait_for(
            "other leaders",
            lambda snapshot: not {node_id, NO_NODE} & {one.leader for one in every(snapshot)},
            "topics",
            without=self.host_of(node_id),
        )
        return time.monotonic() - since

    def read_back(self, topic: str) -> dict[int, list[int]]:
        """Return partition → the sequences of all records in it, in the order of the log. Raises TimeoutError."""
        settings = {"bootstrap.servers": ",".join(self.servers()), "group.id": "unused", "enable.partition.eof": True}
        reader = Consumer({**settings, "isolation.level": "read_uncommitted", "log_level": 0})
        found: dict[int, list[int]] = {number: [] for number in range(PARTITIONS)}
        reader.assign([Position(topic, number, 0) for number in found])
        left, deadline = set(found), time.monotonic() + PATIENCE
        while left:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not read to the end within {PATIENCE:g} s: partitions {sorted(left)} of {topic}")
            for message in reader.consume(BATCH, PAUSE):
                error = message.error()
                if error is None:
                    found[message.partition() or 0].append(sequence(message))
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition() or 0)
        reader.close()
        return found

    def watched(self, minutes: float) -> tuple[int, int]:
        """Count elections of an active controller, and snapshots with a fenced broker, during idle `minutes`."""
        end, epochs, fenced = time.monotonic() + 60 * minutes, set[int](), 0
        while time.monotonic() < end:
            snapshot = self.seen("quorum")
            if snapshot and snapshot.quorum:
                epochs.add(snapshot.quorum.leader_epoch)
                fenced += len(snapshot.unfenced) < len(self._addresses)
            time.sleep(0.25)
        return max(epochs) - min(epochs), fenced


def sequence(message: Message) -> int:
    """Return the number at the front of a record's value."""
    return int((message.value() or b"").split(b" ", 1)[0])


def every(snapshot: Snapshot) -> list[Partition]:
    return [one for topic in snapshot.topics or () for one in topic.partitions]
