"""Users in Kafka's metadata log, read as a running node writes it: by log, by snapshot, by both."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.resources.stored_users import stored_users
from ansible.module_utils.kraft.operations.resources.user_admin import MECHANISMS, Credential, UserAdmin

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.secured_cluster import AWKWARD, ONE_COPY

OFTEN = {"metadata.log.max.record.bytes.between.snapshots": "3000"}  #: Kafka's own is 20 MiB
PATIENCE = 60.0
STAYS, CHANGES, GOES = (Credential(name, "SCRAM-SHA-512") for name in ("stays", "changes", "goes"))
SHORT = Credential("stays", "SCRAM-SHA-256")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    started = KafkaCluster.start(tmp_path_factory.mktemp("stored"), 1, {**ONE_COPY, **OFTEN})
    yield started
    started.stop()


def log_of(cluster: KafkaCluster) -> Path:
    return cluster.nodes[1].directory / "data/__cluster_metadata-0"


def newest_snapshot(cluster: KafkaCluster) -> int:
    """The offset that it stands for."""
    return max(int(path.name[:20]) for path in log_of(cluster).glob("*.checkpoint"))


def put(client: Client, passwords: dict[Credential, str]) -> None:
    assert UserAdmin(client, passwords, {}, awaited=False).put(dict.fromkeys(passwords, True)) == []


def assert_stored(client: Client, cluster: KafkaCluster, passwords: dict[Credential, str]) -> None:
    stored = stored_users(client, str(cluster.nodes[1].config))
    assert stored.keys() == {(one.user, MECHANISMS[one.mechanism]) for one in passwords}
    for one, password in passwords.items():
        number = MECHANISMS[one.mechanism]
        assert stored[one.user, number].is_of(password, number)
        assert not stored[one.user, number].is_of(f"{password} ", number)


def test_users_are_read_from_the_log_and_from_snapshots(cluster: KafkaCluster) -> None:
    passwords = {STAYS: AWKWARD, SHORT: "short", CHANGES: "first", GOES: "gone"}
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        assert_stored(client, cluster, {})
        before = newest_snapshot(cluster)
        put(client, passwords)
        assert_stored(client, cluster, passwords)
        deadline = time.monotonic() + PATIENCE
        while newest_snapshot(cluster) == before:
            assert time.monotonic() < deadline, "Kafka wrote no snapshot"
            put(client, {CHANGES: "first"})
        assert_stored(client, cluster, passwords)
        put(client, {CHANGES: "second"})
        assert UserAdmin(client, {}, {}, awaited=False).remove((GOES,)) == []
        kept = {one: password for one, password in passwords.items() if one != GOES}
        assert_stored(client, cluster, {**kept, CHANGES: "second"})


def test_nothing_follows_without_a_node_or_with_one_of_another_cluster(cluster: KafkaCluster, tmp_path: Path) -> None:
    other = tmp_path / "data"
    (other / "__cluster_metadata-0").mkdir(parents=True)
    meta = (cluster.nodes[1].directory / "data/meta.properties").read_text().splitlines()
    strange = ["cluster.id=another" if line.startswith("cluster.id=") else line for line in meta]
    (other / "meta.properties").write_text("\n".join(strange))
    config = tmp_path / "server.properties"
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        assert stored_users(client, str(config)) == {}
        config.write_text(f"node.id=1\nlog.dirs={other}\n")
        assert stored_users(client, str(config)) == {}
