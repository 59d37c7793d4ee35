"""Offsets that MirrorMaker never translates, with the real client and librdkafka's own broker: no JVM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer

from spark_jobs.kafka_io import Window
from spark_jobs.native import NativeAdmin
from spark_jobs.proof import groups
from spark_jobs.proof.account import Account
from spark_jobs.proof.comparison import Comparison
from spark_jobs.proof.config import Address
from spark_jobs.proof.report_schema import Position
from spark_jobs.proof.topics import Cluster, TopicPair, TopicSide

STARTED = 40  # the source's log start in partition 1
SOURCE, TARGET = "a.old", "a.new"


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    """60 records in partitions 0 and 1; the copy of partition 1 begins with one that was deleted since."""
    settings = {"test.mock.num.brokers": 1, "bootstrap.servers": "replaced", "linger.ms": 0, "log_level": 0}
    producer = Producer(settings)
    (broker,) = producer.list_topics(timeout=60).brokers.values()
    for topic, extra in ((SOURCE, []), (TARGET, [(1, -1)])):
        for partition, number in [*extra, *((n % 2, n) for n in range(120))]:
            producer.produce(topic, key=b"%d" % number, value=b"v", partition=partition, timestamp=1)
    assert producer.flush(60) == 0
    yield f"{broker.host}:{broker.port}"
    producer.flush(0)


def seen(servers: str, group: str) -> tuple[Cluster, list[Position]]:
    spark: Any = None
    cluster = Cluster(spark, Address(servers), NativeAdmin(servers, {}, 60.0))
    pair = TopicPair(
        TopicSide(SOURCE, Window({0: 0, 1: STARTED, 2: 0}, {0: 60, 1: 60, 2: 0})),
        TopicSide(TARGET, Window({0: 0, 1: 1, 2: 0}, {0: 60, 1: 61, 2: 0})),
    )
    both = [cluster, cluster]
    offsets = groups.committed(both, [pair], [group])
    compared = Comparison(both, [pair], lambda _: None, groups.marks([pair], offsets))
    compared.accounts = {SOURCE: Account(False)}
    compared._natively([(SOURCE, number) for number in pair.partitions])
    return cluster, groups.positions(compared, offsets, groups.ends(both, [pair]))


def test_they_are_set_where_the_pairs_say_to_which(servers: str) -> None:
    cluster, _ = seen(servers, "late")
    assert cluster.admin.commit("late", {(SOURCE, 0): 60, (SOURCE, 1): 10, (SOURCE, 2): 0}) == ""
    cluster, positions = seen(servers, "late")
    found = {one["partition"]: (one["outcome"], one["set_to"]) for one in positions}
    assert found == {0: ("absent", 60), 1: ("outside_source", STARTED + 1), 2: ("absent", 0)}
    marked = groups.to_set(positions)
    assert {one["outcome"] for one in marked} == {"set"}
    assert groups.set_offsets(cluster, positions, {SOURCE: TARGET}) == []  # none was asked to be set
    assert cluster.admin.committed("late", [(TARGET, 0)]) == {}
    assert groups.set_offsets(cluster, marked, {SOURCE: TARGET}) == []
    assert cluster.admin.committed("late", [(TARGET, n) for n in range(3)]) == {
        (TARGET, 0): 60,
        (TARGET, 1): STARTED + 1,
        (TARGET, 2): 0,
    }
    assert {one["outcome"] for one in seen(servers, "late")[1]} == {"same"}  # a second switch finds nothing to do


def test_an_offset_that_was_set_too_far_or_lies_behind_the_end_is_not_excused(servers: str) -> None:
    cluster, _ = seen(servers, "astray")
    cluster.admin.commit("astray", {(SOURCE, 1): 10, (TARGET, 1): STARTED + 5, (SOURCE, 0): 90})
    found = {one["partition"]: (one["outcome"], one["set_to"]) for one in seen(servers, "astray")[1]}
    assert found == {0: ("outside_source", None), 1: ("outside_source", None)}


def test_an_offset_that_the_target_alone_has_would_skip_records(servers: str) -> None:
    cluster, _ = seen(servers, "stale")
    cluster.admin.commit("stale", {(TARGET, 0): 25, (TARGET, 2): 0})
    found = [
        (one["partition"], one["outcome"], one["source_offset"], one["records"]) for one in seen(servers, "stale")[1]
    ]
    assert found == [(0, "target_alone", None, 25)]
