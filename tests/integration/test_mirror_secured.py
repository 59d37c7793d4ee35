"""A copy with both sides secured: a login at the source, the node's certificate at the target."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import ClientConfig, java
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.other_services.mirror_service import SECRETS
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin
from ansible.module_utils.kraft.spec.desired.mirror import parted
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports
from tests.integration.mirror_service import mirroring, settings_of
from tests.integration.patience import until
from tests.integration.secured_cluster import AWKWARD, ONE_COPY, SecuredNodes, start_secured
from tests.integration.spark_topic import create
from tests.integration.topic_copy import PARTITIONS, Copied, numbered, read

TOPIC, USER = "secured-orders", "mirror"
RECORDS, SECONDS = 3000, 120
#: Settings of the target: it keeps ACLs, and its nodes may do all.
AUTHORIZED = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS;User:CN=node",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Start a source with a user whose password each dialect must quote."""
    cluster = start_secured(tmp_path_factory.mktemp("source"))
    credential = Credential(USER, "SCRAM-SHA-512")
    with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
        UserAdmin(client, {credential: AWKWARD}, {}, awaited=False).put({credential: True})
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("target")
    certify(directory)
    cluster = SecuredNodes.start(directory, 1, {**ONE_COPY, **AUTHORIZED})
    yield cluster
    cluster.stop()


def asked_of(source: KafkaCluster) -> dict[str, Any]:
    """The variable ``kafka_mirror``, with the login."""
    login = ClientConfig(
        bootstrap_servers=(f"127.0.0.1:{source.properties['LOGIN']}",),
        security_protocol="SASL_SSL",
        ca_file=str(source.directory / "ca.pem"),
        sasl_mechanism="SCRAM-SHA-512",
        username=USER,
        password=AWKWARD,
    )
    client = {key: value for key, value in java(login).items() if key != "bootstrap.servers"}
    return {"source": {"name": "old", "bootstrap_servers": [*login.bootstrap_servers], "client": client}}


def mirror_info(run: Callable[..., dict[str, Any]], asked: dict[str, Any], target: KafkaCluster) -> dict[str, Any]:
    seen = run(
        "kafka_mirror_info",
        client={"bootstrap_servers": [target.bootstrap_servers]},
        **parted(asked),
        known_settings={"retention.ms": "log.retention.ms"},
        replication_factor=1,
    )
    assert "plan" in seen, seen["msg"]
    return seen


def rule(kind: ResourceType, name: str, user: str, operation: AclOperation, permission: str = "ALLOW") -> AclBinding:
    permitted = AclPermissionType[permission]
    return AclBinding(kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*", operation, permitted)


def any_acl_of(kind: ResourceType) -> AclBindingFilter:
    """All ACLs of a kind."""
    anything: Any = None
    any_rule = AclOperation.ANY, AclPermissionType.ANY
    return AclBindingFilter(kind, anything, ResourcePatternType.ANY, anything, anything, *any_rule)


@contextmanager
def ruled(cluster: KafkaCluster, *rules: AclBinding) -> Iterator[None]:
    """These ACLs while the block runs."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    for one in admin.create_acls(list(rules)).values():
        one.result(20)
    try:
        yield
    finally:
        everything = any_acl_of(ResourceType.ANY)
        admin.delete_acls([everything])[everything].result(20)


def rights(cluster: KafkaCluster) -> set[tuple[str, str, str]]:
    """User, operation and topic of each ACL."""
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    found = admin.describe_acls(any_acl_of(ResourceType.TOPIC)).result(20)
    return {(one.principal, one.operation.name, one.name) for one in found}


def answers(port: int, directory: Path) -> dict[str, bool]:
    """Ask for what workers ask each other, as the node and as strangers. Returns who got an answer of HTTP."""
    (foreign := directory / "foreign").mkdir()
    certify(foreign)
    pairs = {"node": directory / "node.pem", "nobody": None, "stranger": foreign / "node.pem", "plain": None}
    found = {}
    for name, pair in pairs.items():
        context = ssl.create_default_context(cafile=str(directory / "ca.pem"))
        if pair:
            context.load_cert_chain(pair)
        secured = HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
        connection = HTTPConnection("127.0.0.1", port, timeout=10) if name == "plain" else secured
        try:
            connection.request("POST", "/old/target/connectors/MirrorSourceConnector/tasks", "[]")
            found[name] = connection.getresponse().status > 0
        except (OSError, HTTPException):
            found[name] = False
        finally:
            connection.close()
    return found


def test_a_login_at_the_source_and_the_nodes_certificate_here_copy_every_record(
    source: KafkaCluster, target: KafkaCluster, run_module: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    create(source.bootstrap_servers, TOPIC, PARTITIONS, {}, replicas=1)
    written = Copied(source.bootstrap_servers, TOPIC, TOPIC)
    written.write(TOPIC, numbered(RECORDS))
    asked = {**asked_of(source), "topics": [TOPIC]}
    seen = mirror_info(run_module, asked, target)
    assert seen["plan"]["problems"] == []
    node = target.nodes[1]
    (port,) = free_ports(1)
    service = settings_of(
        tmp_path,
        f"127.0.0.1:{node.internal_port}",
        seen["service"],
        listener="INTERNAL",
        protocol="SSL",
        port=port,
        hosts=2,
        secrets=parted(asked, "old.")["secrets"],
    )
    users = (USER, "ALL"), ("reader", "READ"), ("reader", "WRITE")
    given = [rule(ResourceType.TOPIC, TOPIC, user, AclOperation[operation]) for user, operation in users]
    with ruled(source, *given), mirroring(service, parse_properties(node.config.read_text())):
        copied = until(lambda: held(target), lambda found: len(found) >= RECORDS, SECONDS)
        assert len(copied) >= RECORDS, (Path(service.home) / "mirror.log").read_text()[-4000:]
        reads = ("User:reader", "READ", TOPIC)
        assert reads in until(lambda: rights(target), lambda found: reads in found, SECONDS)
        assert answers(port, target.directory) == {"node": True, "nobody": False, "stranger": False, "plain": False}
    assert ("User:reader", "WRITE", TOPIC) not in rights(target)  # as planned
    assert copied == held(source)
    assert (
        "plugin.discovery" not in (Path(service.home) / "mirror.log").read_text()
    )  # it warns after a scan for plugins
    assert "ScramLoginModule" not in (Path(service.home) / "mirror.properties").read_text()
    assert "ScramLoginModule" in (Path(service.home) / SECRETS).read_text()


LACKING = (
    "lacks the right READ of topic secured-read",
    "lacks the right DESCRIBE_CONFIGS of topic secured-configs",
    "DESCRIBE of the cluster (for the sizes of log dirs)",
    "DESCRIBE of the cluster (for ACLs; or set kafka_mirror.acls: false)",
    "topic secured-hidden is not on the source, or hidden from its login (DESCRIBE)",
)


def test_each_right_that_the_login_lacks_at_the_source_is_named(
    source: KafkaCluster, target: KafkaCluster, run_module: Callable[..., dict[str, Any]]
) -> None:
    """Nothing is created: the module only looks. A topic that may not be described is not even seen."""
    topics = {"secured-read": "READ", "secured-configs": "DESCRIBE_CONFIGS", "secured-hidden": "DESCRIBE"}
    for topic in topics:
        create(source.bootstrap_servers, topic, PARTITIONS, {}, replicas=1)
    places = [(ResourceType.TOPIC, topic, operation) for topic, operation in topics.items()]
    places.append((ResourceType.BROKER, "kafka-cluster", "DESCRIBE"))
    given = [rule(kind, name, USER, AclOperation.ALL) for kind, name, _ in places]  # all that is not denied
    denied = [rule(kind, name, USER, AclOperation[operation], "DENY") for kind, name, operation in places]
    asked = {**asked_of(source), "topics": [*topics]}

    def problems() -> str:
        return "\n".join(mirror_info(run_module, asked, target)["plan"]["problems"])

    assert until(problems, lambda found: not found, SECONDS) == ""  # each broker has the new topics
    with ruled(source, *given, *denied):  # the broker hears of its ACLs a moment later
        found = until(problems, lambda found: all(one in found for one in LACKING), SECONDS)
    assert [one for one in LACKING if one not in found] == [], found


def held(cluster: KafkaCluster) -> list[tuple[int, bytes | None, bytes | None]]:
    """Partition, key and value of each record, in the order of its partition."""
    if TOPIC not in AdminClient({"bootstrap.servers": cluster.bootstrap_servers}).list_topics(timeout=10).topics:
        return []
    found = read(cluster.bootstrap_servers, TOPIC)
    return sorted(((one.partition() or 0, one.key(), one.value()) for one in found), key=itemgetter(0))
