"""Replicas that have arrived are in sync, and clients wait for them: a throttle must not hold them back."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kafka_host_info
import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.reassignment.admin import ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.model import SPREAD, Goal, Move
from ansible.module_utils.kraft.operations.reassignment.run import Run
from ansible.module_utils.kraft.operations.reassignment.throttle import MARK, RATES, Alteration, marked_rate
from ansible.module_utils.kraft.operations.reassignment.work import Desired
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.killed_modules import kills
from tests.integration.patience import until

PARTITIONS = {"heavy": 6, "small": 8}
KILOBYTES = 5000  # in each partition that is heavy
RATE = 1_000_000  # bytes per second
PATIENCE = 0.5  # of the time of the moves; 0.8 if everything stays throttled until the last one has arrived


@pytest.fixture
def topics(kafka_cluster: KafkaCluster) -> Iterator[None]:
    with placed(kafka_cluster):
        yield


@contextmanager
def placed(cluster: KafkaCluster) -> Iterator[None]:
    """Both on brokers 1 and 2 alone, one of them with much to copy."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    sides = [[1, 2], [2, 1]]
    new = [
        NewTopic(name, num_partitions=count, replica_assignment=(sides * count)[:count])
        for name, count in PARTITIONS.items()
    ]
    for made in admin.create_topics(new).values():
        made.result()
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(PARTITIONS["heavy"] * KILOBYTES):
        producer.produce("heavy", value=os.urandom(1000), partition=number % PARTITIONS["heavy"])
        producer.poll(0)
    assert producer.flush(60) == 0
    yield
    for gone in admin.delete_topics(list(PARTITIONS)).values():
        gone.result()


@contextmanager
def writing(cluster: KafkaCluster) -> Iterator[dict[int, list[float]]]:
    """While it goes on, a client writes to the small topic; gives partition -> when it acknowledged."""
    acknowledged: dict[int, list[float]] = {number: [] for number in range(PARTITIONS["small"])}
    stopping = threading.Event()
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})

    def note(error: Any, message: Message) -> None:
        if error is None:
            acknowledged[message.partition() or 0].append(time.monotonic())

    def write() -> None:
        while not stopping.is_set():
            for number in acknowledged:
                producer.produce("small", value=b"x", partition=number, on_delivery=note)
            producer.poll(0.05)
        producer.flush(60)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield acknowledged
    finally:
        stopping.set()
        thread.join()


class Noting(ReassignmentAdmin):
    """Notes topics with a throttled partition when its move begins."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.throttled: set[str] = set()

    def submit(self, moves: Sequence[Move]) -> None:
        lists = self.throttles(self.observe()).lists
        limited = {
            (topic, int(one.partition(":")[0]))
            for topic, values in lists.items()
            for one in ",".join(values.values()).split(",")
            if one != MARK
        }
        self.throttled |= {one.topic for one in moves if one.name in limited}
        super().submit(moves)


def longest_wait(cluster: KafkaCluster) -> float:
    """Return the longest time between two acknowledgements of a partition, as a part of the time of the moves."""
    with (
        placed(cluster),
        writing(cluster) as acknowledged,
        Client({"bootstrap_servers": cluster.bootstrap_servers}) as it,
    ):
        admin = Noting(it)
        run = Run(admin, Desired(Goal(SPREAD, frozenset([3])), rate=RATE))
        work = run.work()
        assert {one.topic for one in work.moves if one.adding} >= set(PARTITIONS)
        began = time.monotonic()
        assert run.apply(work)
        took = time.monotonic() - began
    assert admin.throttled == {"heavy"}
    assert all(acknowledged.values())
    return max(later - earlier for times in acknowledged.values() for earlier, later in zip(times, times[1:])) / took


@pytest.mark.later
def test_clients_hardly_wait_for_replicas_that_have_arrived_under_a_throttle(kafka_cluster: KafkaCluster) -> None:
    """A throttle makes them wait in each move; a busy machine, which can stop a broker for seconds, in one of two."""
    waits: list[float] = []
    while len(waits) < 2 and min(waits, default=PATIENCE) >= PATIENCE:
        waits.append(longest_wait(kafka_cluster))
    assert min(waits) < PATIENCE, waits


def test_a_limit_that_a_killed_run_left_is_seen_in_the_look_until_its_remedy_was_followed(
    kafka_cluster: KafkaCluster, run_module: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = {"bootstrap_servers": kafka_cluster.bootstrap_servers}
    monkeypatch.setattr(kafka_host_info, "observe_host", lambda *_: {"service": {"pid": 1}})

    def left() -> list[int]:
        asked = {"client": client, "expected": {"brokers": [1, 2, 3]}}
        looks = [run_module("kafka_host_info", health={**asked, "node_id": one}) for one in (1, 2, 3)]
        return [look["found"]["health"]["rate_left"] for look in looks]

    with Client(client) as asked:
        admin = ReassignmentAdmin(asked)
        admin.throttle(admin.observe(), [Alteration(broker=2, values=dict.fromkeys(RATES, marked_rate(RATE)))])
    limited = [0, int(marked_rate(RATE)), 0]
    assert until(left, lambda rates: rates == limited) == limited  # a broker hears of its settings a moment later
    done = run_module("kafka_reassignment", client=client, state="balanced")  # as rebalance.yml does
    assert not done.get("failed"), done["msg"]
    assert until(left, lambda rates: rates == [0, 0, 0]) == [0, 0, 0]


@contextmanager
def numbering(cluster: KafkaCluster) -> Iterator[set[bytes]]:
    """While it goes on, an idempotent producer writes numbers to the small topic; gives the acknowledged ones."""
    acknowledged: set[bytes] = set()
    stopping = threading.Event()
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "enable.idempotence": True})

    def note(error: Any, message: Message) -> None:
        if error is None:
            acknowledged.add(message.value() or b"")

    def write() -> None:
        for number in itertools.count():
            if stopping.is_set():
                break
            producer.produce("small", b"%d" % number, partition=number % PARTITIONS["small"], on_delivery=note)
            producer.poll(0.005)
        producer.flush(60)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield acknowledged
    finally:
        stopping.set()
        thread.join()


def received(cluster: KafkaCluster) -> list[bytes]:
    """Every record of the small topic."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "x", "enable.partition.eof": True})
    consumer.assign([TopicPartition("small", number, 0) for number in range(PARTITIONS["small"])])
    found, ended = [], 0
    while ended < PARTITIONS["small"]:
        message = consumer.poll(30)
        assert message is not None
        ended += message.error() is not None
        found += [] if message.error() else [message.value() or b""]
    consumer.close()
    return found


@pytest.mark.usefixtures("topics")
def test_moves_whose_module_is_killed_after_each_of_its_changes_are_finished_by_the_next_run(
    kafka_cluster: KafkaCluster, run_module: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    client = {"bootstrap_servers": kafka_cluster.bootstrap_servers}
    goal = {"client": client, "state": "balanced", "throttle": RATE * 4, "together": 2, "timeout": 60}
    with numbering(kafka_cluster) as acknowledged:
        died = kills(lambda: run_module("kafka_reassignment", **goal), tmp_path / "log")
        again = run_module("kafka_reassignment", **goal)
    assert died >= 5  # two lists and three rates at least; how many moves follow depends on how fast brokers copy
    assert not again["changed"], again["steps"]
    with Client(client) as asked:
        admin = ReassignmentAdmin(asked)
        now = admin.observe()
        assert (now.reassignments, admin.throttles(now).ours) == ((), False)
    held = {part.replicas for one in now.topics or () if one.name in PARTITIONS for part in one.partitions}
    assert 3 in {broker for replicas in held for broker in replicas}
    found = received(kafka_cluster)
    assert len(found) == len(set(found))
    assert acknowledged <= set(found)
