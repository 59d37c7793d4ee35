"""After a switch new records go back to the former source, each once, also after a kill; nothing goes round."""

from __future__ import annotations

from collections.abc import Iterator
from operator import gt
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.mirror_service import mirroring, settings_of
from tests.integration.mirror_sides import (
    PARTITIONS,
    SECONDS,
    Run,
    arrive,
    caught_up,
    create,
    ends,
    hasty,
    held,
    planned,
    write,
    write_transactions,
    writing,
)
from tests.integration.patience import until
from tests.integration.secured_cluster import ONE_COPY

TOPIC, GROUP = "switched-orders", "switched-readers"
BEFORE = 3000
QUICK = ("sync.group.offsets.interval.seconds", "emit.checkpoints.interval.seconds", "refresh.groups.interval.seconds")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("source"), nodes=1, properties=ONE_COPY)
    yield cluster
    cluster.stop()


def quick(service: dict[str, Any]) -> dict[str, Any]:
    made = hasty(service)
    return {**made, "properties": {**made["properties"], **dict.fromkeys(QUICK, "1")}}


def commit(cluster: KafkaCluster, offsets: list[int]) -> None:
    """The group has read so far, and left."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": GROUP})
    places = [TopicPartition(TOPIC, number, offset) for number, offset in enumerate(offsets)]
    deadline = monotonic() + SECONDS
    while True:
        try:
            consumer.commit(offsets=places, asynchronous=False)
            break
        except KafkaException:  # a new cluster makes its topic of offsets first
            assert monotonic() < deadline
            sleep(0.5)
    consumer.close()


def committed(cluster: KafkaCluster) -> list[int]:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": GROUP})
    found = consumer.committed([TopicPartition(TOPIC, number) for number in range(PARTITIONS)], timeout=30)
    consumer.close()
    return [one.offset for one in found]


@pytest.mark.long
def test_new_records_go_back_once_and_nothing_goes_round(
    run_module: Run, source: KafkaCluster, kafka_cluster: KafkaCluster, tmp_path: Path
) -> None:
    here, asked = kafka_cluster, {"topics": [TOPIC], "replicas": 3}

    def opened(ends: dict[str, Any], **more: Any) -> dict[str, Any]:
        mirror = {"source": {"name": "old", "bootstrap_servers": [source.bootstrap_servers]}, "topics": [TOPIC]}
        client = {"bootstrap_servers": here.bootstrap_servers.split(",")}
        asked = {"client": client, "mirror": mirror, "ends": ends, "replication_factor": 3}
        return run_module("kafka_mirror", state="reversed", **asked, **more)

    create(source, TOPIC)
    write_transactions(source, TOPIC)  # offsets of both sides differ from here on
    write(source, TOPIC, range(BEFORE))
    commit(source, at_first := ends(source, TOPIC))
    seen = planned(run_module, source, here, **asked)
    with mirroring(settings_of(tmp_path, here.bootstrap_servers, quick(seen["service"]))):
        caught_up(run_module, source, here, **asked, wait=SECONDS)
    proven = planned(run_module, source, here, **asked)["progress"]["ends"]
    fewer = {**proven, "target": {TOPIC: {**proven["target"][TOPIC], "0": BEFORE // PARTITIONS}}}
    refused = opened(fewer)
    assert refused["failed"]
    assert f"Records were written here since the proof began, to {TOPIC}" in refused["msg"]
    assert opened(proven, check_mode=True)["changed"]
    assert not planned(run_module, source, here, **asked)["progress"]["back"]
    assert opened(proven)["changed"]
    assert not opened(proven)["changed"]

    seen = planned(run_module, source, here, **asked)
    assert (seen["progress"]["back"], seen["progress"]["lag_records"]) == (True, 0)
    assert "go back to old" in seen["plan"]["problems"][0]  # nothing is copied from there any more
    assert seen["service"]["into"] == "old"
    service = settings_of(tmp_path, here.bootstrap_servers, quick(seen["service"]))
    with writing(here, TOPIC):
        for _ in range(2):
            with mirroring(service):
                arrive(source, TOPIC)
    commit(here, ends(here, TOPIC))
    with mirroring(service):
        caught_up(run_module, source, here, **asked)
        went = until(lambda: committed(source), lambda now: all(map(gt, now, at_first)), SECONDS)
        assert all(map(gt, went, at_first)), (went, at_first)
    assert all(now <= end for now, end in zip(committed(source), ends(source, TOPIC)))
    assert held(source, TOPIC) == held(here, TOPIC)
    assert sum(map(len, held(here, TOPIC).values())) > BEFORE + 60
