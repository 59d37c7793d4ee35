"""Eligible leader replicas (KIP-966) of a partition whose brokers stop one after the other, on real brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster import shutdown_check
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.health import Expected, unhealthy_reasons
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Snapshot
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until

ROLES = {1: ("broker", "controller"), 2: ("broker",), 3: ("broker",)}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    made = KafkaCluster.start(tmp_path_factory.mktemp("eligible"), roles=ROLES)
    yield made
    made.stop()


def seen(client: Client, done: Callable[[Partition], bool]) -> tuple[Snapshot, Partition]:
    """Return the cluster and its partition, as soon as that is `done`."""

    def look() -> tuple[Snapshot, Partition]:
        snapshot = observe(client, shutdown_check.PARTS)
        [partition] = [one for topic in snapshot.topics or () if topic.name == "kept" for one in topic.partitions]
        return snapshot, partition

    return until(look, lambda found: done(found[1]))


def test_a_stopped_replica_stays_eligible_counts_for_no_minimum_and_leads_again(cluster: KafkaCluster) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    made = admin.create_topics([NewTopic("kept", num_partitions=1, replica_assignment=[[2, 3]])])
    made["kept"].result(20)
    options: dict[str, Any] = {"bootstrap_servers": [f"127.0.0.1:{cluster.nodes[1].client_port}"]}
    with Client(options) as client:
        assert seen(client, lambda one: len(one.isr) == 2)[1].eligible == ()
        cluster.stop_node(2)
        snapshot, partition = seen(client, lambda one: bool(one.eligible))
        assert (partition.isr, partition.eligible, partition.leader) == ((3,), (2,), 3)
        [reason] = shutdown_check.judge(snapshot, [3]).reasons
        assert "eligible leaders 2" in reason
        cluster.stop_node(3)
        snapshot, partition = seen(client, lambda one: one.leader == NO_NODE)
        assert (partition.leader, partition.electable) == (NO_NODE, frozenset({2, 3}))
        blamed = {one: unhealthy_reasons(snapshot, Expected(only=frozenset([one]))) for one in (1, 2, 3)}
        assert [any("kept-0 has no leader" in text for text in blamed[one]) for one in (1, 2, 3)] == [False, True, True]
        cluster.start_node(2)
        partition = seen(client, lambda one: one.leader != NO_NODE)[1]
        assert (partition.leader, partition.isr, partition.eligible) == (2, (2,), (3,))
        cluster.start_node(3)
        assert seen(client, lambda one: len(one.isr) == 2)[1].eligible == ()
