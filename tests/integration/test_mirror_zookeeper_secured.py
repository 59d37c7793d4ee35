"""A source on ZooKeeper as old clusters are: logins over TLS, ACLs, users, quotas, and settings of its brokers.

Topics have no settings: retention, largest record and elections are those of the broker. The copy is proven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import ClientConfig, java
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from ansible.module_utils.kraft.spec.desired.mirror import parted
from confluent_kafka import Producer
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ResourcePatternType,
    ResourceType,
)

from spark_jobs import session
from spark_jobs.progress import Progress
from spark_jobs.proof.command import begun, prove
from spark_jobs.proof.config import Address, ProofConfig
from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.mirror_service import mirroring, settings_of
from tests.integration.mirror_sides import KNOWN
from tests.integration.secured_cluster import AWKWARD, ONE_COPY, SECURITY
from tests.integration.spark_topic import create
from tests.integration.test_spark_zookeeper_source import commit
from tests.integration.topic_copy import PARTITIONS, Copied, numbered, read
from tests.integration.zookeeper_cluster import ZooKeeperCluster

pytestmark = pytest.mark.long
VERSION, RECORDS, SECONDS = "3.9.2", 3000, 120
USER, MECHANISM, GROUP = "mirror", "SCRAM-SHA-512", "readers"
OLD, LARGE, AUTO = TOPICS = ("kept-for-ever", "large-records", "made-by-a-writer")
YEAR_MS = 366 * 86_400_000
LARGE_BYTES = 3_000_000
BROKER = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "auto.create.topics.enable": "true",
    "log.retention.ms": "-1",
    "message.max.bytes": "8388608",
    "num.partitions": str(PARTITIONS),
    "super.users": "User:ANONYMOUS",
    "unclean.leader.election.enable": "true",
}
TARGET = {
    **ONE_COPY,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
QUOTAS = [{"user": "orders-writer", "producer_byte_rate": 10_485_760}, {"user": "*", "consumer_byte_rate": 52_428_800}]
Run = Callable[..., dict[str, Any]]


def rule(kind: str, name: str, user: str, operation: str, pattern: str = "LITERAL") -> AclBinding:
    one = ResourceType[kind], name, ResourcePatternType[pattern], f"User:{user}", "*"
    return AclBinding(*one, AclOperation[operation], AclPermissionType.ALLOW)


#: The rights of the login that copies: they suffice.
RIGHTS = [
    *(rule("TOPIC", "*", USER, operation) for operation in ("READ", "DESCRIBE_CONFIGS")),
    rule("GROUP", "*", USER, "DESCRIBE"),
    rule("BROKER", "kafka-cluster", USER, "DESCRIBE"),
]
#: ACLs of users: kind, name, user, operation, pattern. Only the first is copied.
USED = [
    rule("TOPIC", OLD, "reader", "READ"),
    rule("TOPIC", OLD, "writer", "WRITE"),
    rule("TOPIC", "kept-", "reader-of-all", "READ", "PREFIXED"),
    rule("GROUP", GROUP, "reader", "READ"),
    rule("TRANSACTIONAL_ID", "orders", "writer", "WRITE"),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperCluster]:
    directory = tmp_path_factory.mktemp("source")
    certify(directory)
    (port,) = free_ports(1)
    login = {
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,LOGIN:SASL_SSL",
        "inter.broker.listener.name": "PLAINTEXT",
        "listener.name.login.sasl.enabled.mechanisms": MECHANISM,
        f"listener.name.login.{MECHANISM.lower()}.sasl.jaas.config": f"{SECURITY}.scram.ScramLoginModule required;",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(directory / "node.pem"),
    }
    cluster = ZooKeeperCluster.start(directory, VERSION, 1, {**BROKER, **login}, f",LOGIN://127.0.0.1:{port}")
    try:
        filled(cluster.bootstrap_servers)
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("target"), 1, TARGET)
    yield cluster
    cluster.stop()


def filled(bootstrap: str) -> None:
    """Users, ACLs, a group, records of a year ago and large ones; the third topic is created by its first record."""
    with Client({"bootstrap_servers": [bootstrap]}) as client:
        credentials = {Credential(user, MECHANISM): AWKWARD for user in (USER, "reader", "writer")}
        UserAdmin(client, credentials, {}, awaited=False).put(dict.fromkeys(credentials, True))
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for made in admin.create_acls([*RIGHTS, *USED]).values():
        made.result(20)
    for name in (OLD, LARGE):
        create(bootstrap, name, PARTITIONS, {}, replicas=1)
    before = int(time() * 1000) - YEAR_MS
    Copied(bootstrap, OLD, OLD).write(OLD, [one._replace(timestamp=before) for one in numbered(RECORDS)])
    producer = Producer({"bootstrap.servers": bootstrap, "message.max.bytes": 8_388_608})
    for number in range(PARTITIONS):
        producer.produce(LARGE, bytes(LARGE_BYTES), key=b"%d" % number, partition=number)
        producer.flush(30)
        producer.produce(AUTO, b"first", key=b"%d" % number)
    assert producer.flush(60) == 0
    commit(bootstrap, GROUP, OLD, [RECORDS // PARTITIONS] * PARTITIONS)


def login_of(source: ZooKeeperCluster) -> ClientConfig:
    return ClientConfig(
        bootstrap_servers=(source.listeners.rpartition("//")[2],),
        security_protocol="SASL_SSL",
        ca_file=str(source.directory / "ca.pem"),
        sasl_mechanism=MECHANISM,
        username=USER,
        password=AWKWARD,
    )


def asked_of(source: ZooKeeperCluster) -> dict[str, Any]:
    """The variable ``kafka_mirror``."""
    login = login_of(source)
    client = {key: value for key, value in java(login).items() if key != "bootstrap.servers"}
    servers = [*login.bootstrap_servers]
    return {"source": {"name": "old", "bootstrap_servers": servers, "client": client}}


def rights(target: KafkaCluster) -> set[tuple[str, str, str, str]]:
    """Principal, operation, kind and name of each ACL."""
    anything: Any = None
    admin = AdminClient({"bootstrap.servers": target.bootstrap_servers})
    every = AclBindingFilter(
        ResourceType.ANY,
        anything,
        ResourcePatternType.ANY,
        anything,
        anything,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    found = admin.describe_acls(every).result(20)
    return {(one.principal, one.operation.name, one.restype.name, one.name) for one in found}


def effective(target: KafkaCluster, topic: str) -> dict[str, str]:
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    admin = AdminClient({"bootstrap.servers": target.bootstrap_servers})  # a future ends with its client
    return {name: one.value for name, one in admin.describe_configs([resource])[resource].result(20).items()}


def held(bootstrap: str, topic: str) -> list[tuple[int, bytes | None, int]]:
    found = read(bootstrap, topic)
    return sorted((one.partition() or 0, one.key(), one.timestamp()[1]) for one in found)


def test_what_the_brokers_of_an_old_cluster_give_is_copied_and_what_is_not_is_as_documented(
    source: ZooKeeperCluster, target: KafkaCluster, run_module: Run, tmp_path: Path
) -> None:
    set_here = run_module("kafka_quota", client={"bootstrap_servers": [source.bootstrap_servers]}, quotas=QUOTAS)
    assert len(set_here["steps"]) == len(QUOTAS)
    asked = {**asked_of(source), "topics": [*TOPICS], "groups": [GROUP]}
    client = {"bootstrap_servers": [target.bootstrap_servers]}
    seen = run_module("kafka_mirror_info", client=client, **parted(asked), known_settings=KNOWN, replication_factor=1)
    assert "plan" in seen, seen["msg"]
    assert seen["plan"]["problems"] == []
    made = run_module("kafka_topic", client=client, topics=seen["plan"]["settings"])
    assert not made.get("failed"), made["msg"]
    secrets = parted(asked, "old.")["secrets"]
    with mirroring(settings_of(tmp_path, target.bootstrap_servers, seen["service"], secrets=secrets)):
        deadline = monotonic() + SECONDS
        while lacking := [name for name in TOPICS if len(read_here(target, name)) < len(held_there(source, name))]:
            assert monotonic() < deadline, (lacking, (tmp_path / "mirror/mirror.log").read_text()[-4000:])
            sleep(1)
        while not rights(target):
            assert monotonic() < deadline, (tmp_path / "mirror/mirror.log").read_text()[-4000:]
            sleep(1)
    for name in TOPICS:
        settings = effective(target, name)
        assert settings["retention.ms"] == "-1"
        assert settings["max.message.bytes"] == BROKER["message.max.bytes"]
        assert held(target.bootstrap_servers, name) == held(source.bootstrap_servers, name)
    assert rights(target) == {("User:reader", "READ", "TOPIC", OLD)}
    left = run_module("kafka_quota", check_mode=True, client=client, quotas=QUOTAS)
    assert len(left["steps"]) == len(QUOTAS)  # none of them is here
    with Client({"bootstrap_servers": [target.bootstrap_servers]}) as connected:
        assert UserAdmin(connected, {}, {}, awaited=False).read_current({}) == {}


def test_the_copy_is_proven_by_the_login(source: ZooKeeperCluster, target: KafkaCluster, tmp_path: Path) -> None:
    login = login_of(source)
    options = {f"kafka.{key}": value for key, value in java(login).items() if key != "bootstrap.servers"}
    addresses = Address(login.bootstrap_servers[0], options), Address(target.bootstrap_servers)
    config = ProofConfig("zookeeper-secured", *addresses, {name: name for name in TOPICS}, tmp_path)
    opened, progress = session.open_session("zookeeper-secured"), Progress(tmp_path)
    try:
        draft = begun(config, progress)
        prove(opened, config, draft, progress)
    finally:
        opened.stop()
    assert draft["verdict"]["outcome"] == "proven", draft["verdict"]
    assert [one["paired"] for one in draft["topics"]] == [RECORDS, PARTITIONS, PARTITIONS]


def read_here(target: KafkaCluster, name: str) -> list[Any]:
    known = AdminClient({"bootstrap.servers": target.bootstrap_servers}).list_topics(timeout=10).topics
    return read(target.bootstrap_servers, name) if name in known else []


def held_there(source: ZooKeeperCluster, name: str) -> list[Any]:
    return read(source.bootstrap_servers, name)
