"""A copy where both sides are secured: a login at the source, the node's certificate at the target."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import ClientConfig, java
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.node.mirror import SECRETS
from ansible.module_utils.kraft.node.storage.log_dir import parse_properties
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from confluent_kafka.admin import AdminClient

from plugins.filter.kraft_mirror import kraft_mirror_public, kraft_mirror_secrets
from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.mirror_service import mirroring, settings_of
from tests.integration.secured_cluster import AWKWARD, ONE_COPY, SecuredNodes, start_secured
from tests.integration.spark_topic import create
from tests.integration.topic_copy import PARTITIONS, Copied, numbered, read

TOPIC, USER = "secured-orders", "mirror"
RECORDS, SECONDS = 3000, 120


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """With a user whose password each dialect must quote."""
    cluster = start_secured(tmp_path_factory.mktemp("source"))
    credential = Credential(USER, "SCRAM-SHA-512")
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        UserAdmin(client, {credential: AWKWARD}, None, awaited=False).put({credential: True})
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("target")
    certify(directory)
    cluster = SecuredNodes.start(directory, 1, ONE_COPY)
    yield cluster
    cluster.stop()


def test_a_login_at_the_source_and_the_nodes_certificate_here_copy_every_record(
    source: KafkaCluster, target: KafkaCluster, run_module: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    create(source.bootstrap_servers, TOPIC, PARTITIONS, {}, replicas=1)
    written = Copied(source.bootstrap_servers, TOPIC, TOPIC)
    written.write(TOPIC, numbered(RECORDS))
    login = ClientConfig(
        bootstrap_servers=(f"127.0.0.1:{source.properties['LOGIN']}",),
        security_protocol="SASL_SSL",
        ca_file=str(source.directory / "ca.pem"),
        sasl_mechanism="SCRAM-SHA-512",
        username=USER,
        password=AWKWARD,
    )
    client = {key: value for key, value in java(login).items() if key != "bootstrap.servers"}
    asked = {"source": {"name": "old", "bootstrap_servers": [*login.bootstrap_servers], "client": client}}
    seen = run_module(
        "kafka_mirror_info",
        client={"bootstrap_servers": [target.bootstrap_servers]},
        mirror=kraft_mirror_public({**asked, "topics": [TOPIC]}),
        secrets=kraft_mirror_secrets(asked),
        known_settings=["retention.ms"],
        replication_factor=1,
    )
    assert seen["plan"]["problems"] == []
    node = target.nodes[1]
    service = settings_of(
        tmp_path,
        f"127.0.0.1:{node.internal_port}",
        seen["service"],
        listener="INTERNAL",
        protocol="SSL",
        secrets=kraft_mirror_secrets(asked, "old."),
    )
    with mirroring(service, parse_properties(node.config.read_text())):
        deadline = monotonic() + SECONDS
        while len(copied := held(target)) < RECORDS:
            assert monotonic() < deadline, (Path(service.home) / "mirror.log").read_text()[-4000:]
            sleep(0.5)
    assert copied == held(source)
    assert (
        "plugin.discovery" not in (Path(service.home) / "mirror.log").read_text()
    )  # it warns after a scan for plugins
    assert "ScramLoginModule" not in (Path(service.home) / "mirror.properties").read_text()
    assert "ScramLoginModule" in (Path(service.home) / SECRETS).read_text()


def held(cluster: KafkaCluster) -> list[tuple[int, bytes | None, bytes | None]]:
    """Partition, key and value of each record, in the order of its partition."""
    if TOPIC not in AdminClient({"bootstrap.servers": cluster.bootstrap_servers}).list_topics(timeout=10).topics:
        return []
    found = read(cluster.bootstrap_servers, TOPIC)
    return sorted(((one.partition() or 0, one.key(), one.value()) for one in found), key=itemgetter(0))
