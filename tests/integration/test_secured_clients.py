"""Client listeners with TLS and a login, as validation accepts them: the two clients of the smoke test reach them.

One broker has a plain listener beside them, as every broker has one for its own kind.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import ClientConfig, from_java, java, kafka_python, librdkafka
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import AccessError, KraftError, TrustError, UnansweredError, UnreachableError
from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.spec.desired import java_properties
from ansible.module_utils.kraft.spec.desired.listener_protocols import MECHANISM_OPTION, PROTOCOL_OPTION, missing_option
from ansible.module_utils.kraft.spec.desired.model import Listener
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from spark_jobs import native_smoke_command
from spark_jobs.errors import EXIT_PROVEN, EXIT_UNREACHABLE
from spark_jobs.errors import UnreachableError as UnreachableByNative
from spark_jobs.native import NativeAdmin
from tests.integration import dialects
from tests.integration.certificates import certify
from tests.integration.client_calls import raised
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.secured_cluster import LOGINS, NAME, PASSWORD, SECURITY, start_secured
from tests.integration.spark_topic import create


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = start_secured(tmp_path_factory.mktemp("secured"))
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    user = UserScramCredentialUpsertion(NAME, info, PASSWORD.encode())
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    admin.alter_user_scram_credentials([user])[NAME].result(20)
    yield cluster
    cluster.stop()


def options(cluster: KafkaCluster, protocol: str, mechanism: str = "") -> dict[str, str]:
    """``kafka_smoke_client_options`` as docs/validation.md shows them."""
    module = f"{SECURITY}.{LOGINS.get(mechanism)}"
    login = {
        MECHANISM_OPTION: mechanism,
        "kafka.sasl.jaas.config": f'{module} required username="{NAME}" password="{PASSWORD}";',
    }
    return {
        PROTOCOL_OPTION: protocol,
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": str(cluster.directory / "ca.pem"),
        **(login if mechanism else {}),
    }


def native_smoke_ends(cluster: KafkaCluster, path: Path, listener: str, given: dict[str, str], topic: str) -> int:
    """Exit code of the smoke test's first tier, librdkafka's."""
    content: dict[str, Any] = {
        "run_id": "secured",
        "bootstrap_servers": f"127.0.0.1:{cluster.properties[listener]}",
        "topic": topic,
        "partitions": 2,
        "records": 2000,
        "record_bytes": 100,
        "output_dir": str(path / "out"),
        "native_smoke_seconds": 60 if PROTOCOL_OPTION in given else 3,  # without it there is no answer
        "client_options": given,
    }
    file = path / "smoke.json"
    file.write_text(json.dumps(content))
    return native_smoke_command.main(["--config", str(file)])


def java_sees(cluster: KafkaCluster, path: Path, listener: str, given: dict[str, str]) -> list[str]:
    """The topics that Java's client lists, which Spark hands its options to as they are."""
    file = path / "client.properties"
    file.write_text("".join(f"{key.removeprefix('kafka.')}={value}\n" for key, value in given.items()))
    address = f"127.0.0.1:{cluster.properties[listener]}"
    asked = ["--list", "--bootstrap-server", address, "--command-config", str(file)]
    line = cluster.nodes[1].java("96m", "org.apache.kafka.tools.TopicCommand", *asked)
    return subprocess.run(line, capture_output=True, text=True, timeout=240, check=True).stdout.split()


@pytest.mark.parametrize(
    ("listener", "protocol", "mechanism"),
    [("TLS", "SSL", ""), ("LOGIN", "SASL_SSL", "PLAIN"), ("LOGIN", "SASL_SSL", "SCRAM-SHA-512")],
)
def test_what_validation_accepts_is_reached_and_what_it_refuses_is_not(
    secured: KafkaCluster, tmp_path: Path, listener: str, protocol: str, mechanism: str
) -> None:
    described = Listener(listener, 1, protocol, CLIENT, "", "", 1)
    topic = create(secured.bootstrap_servers, f"reached-{protocol}-{mechanism}", 2, replicas=1)
    good = options(secured, protocol, mechanism)
    assert not missing_option(described, good)
    assert native_smoke_ends(secured, tmp_path, listener, good, topic) == EXIT_PROVEN
    assert topic in java_sees(secured, tmp_path, listener, good)
    bad = {key: value for key, value in good.items() if key != PROTOCOL_OPTION}
    assert missing_option(described, bad)
    assert native_smoke_ends(secured, tmp_path, listener, bad, topic) == EXIT_UNREACHABLE


def as_client(cluster: KafkaCluster, listener: str, protocol: str, mechanism: str = "") -> ClientConfig:
    return from_java(options(cluster, protocol, mechanism), f"127.0.0.1:{cluster.properties[listener]}")


@pytest.mark.parametrize(
    ("listener", "protocol", "mechanism"),
    [("TLS", "SSL", ""), ("LOGIN", "SASL_SSL", "PLAIN"), ("LOGIN", "SASL_SSL", "SCRAM-SHA-512")],
)
def test_each_dialect_of_one_client_reads_what_every_other_sent(
    secured: KafkaCluster, tmp_path: Path, listener: str, protocol: str, mechanism: str
) -> None:
    config, node = as_client(secured, listener, protocol, mechanism), secured.nodes[1]
    topic = create(secured.bootstrap_servers, f"dialects-{protocol}-{mechanism}", 2, replicas=1)
    file, sent = tmp_path / "java.properties", {"java", "librdkafka", "kafka_python"}
    file.write_text(java_properties.text_of(java(config)))
    dialects.java_sends(node, file, topic, "java")
    dialects.librdkafka_sends(librdkafka(config), topic, "librdkafka")
    dialects.kafka_python_sends(kafka_python(config), topic, "kafka_python")
    assert dialects.java_reads(node, file, topic, 3) == sent
    assert dialects.librdkafka_reads(librdkafka(config), topic, 3) == sent
    assert dialects.kafka_python_reads(kafka_python(config), topic, 3) == sent


def asked_with(config: ClientConfig, silent: bool = False) -> KraftError | None:
    """Return the error of a module's request; a broker that is not `silent` answers, if late on a busy machine."""

    def ask() -> None:
        with Client(dataclasses.asdict(config)) as client:
            client.send(client.addresses[0], client.request("DescribeClusterRequest"))

    return until(lambda: raised(ask), lambda error: silent or not isinstance(error, UnreachableError))


def test_errors_tell_who_refuses_whom(secured: KafkaCluster, tmp_path: Path) -> None:
    tls, login = as_client(secured, "TLS", "SSL"), as_client(secured, "LOGIN", "SASL_SSL", "PLAIN")
    certify(tmp_path)
    stranger = str(tmp_path / "ca.pem")
    plain = f"127.0.0.1:{secured.nodes[1].client_port}"
    for config in (tls, login):
        assert type(asked_with(dataclasses.replace(config, ca_file=stranger))) is TrustError
    assert type(asked_with(dataclasses.replace(login, password=NAME))) is AccessError
    assert type(asked_with(dataclasses.replace(login, sasl_mechanism="SCRAM-SHA-256"))) is AccessError
    assert type(asked_with(as_client(secured, "MUTUAL", "SSL"))) is AccessError
    assert type(asked_with(dataclasses.replace(tls, bootstrap_servers=(plain,)), silent=True)) is UnansweredError
    nowhere = dataclasses.replace(tls, bootstrap_servers=("127.0.0.1:1",))
    assert type(asked_with(nowhere, silent=True)) is UnreachableError


def test_who_is_known_and_not_permitted_is_refused(secured: KafkaCluster) -> None:
    denied = AclBinding(
        ResourceType.BROKER, "kafka-cluster", ResourcePatternType.LITERAL, f"User:{NAME}", "*",
        AclOperation.DESCRIBE, AclPermissionType.DENY,
    )  # fmt: skip
    admin = AdminClient({"bootstrap.servers": secured.bootstrap_servers})
    admin.create_acls([denied])[denied].result(20)
    config = as_client(secured, "LOGIN", "SASL_SSL", "PLAIN")
    with Client(dataclasses.asdict(config)) as client:  # the broker hears of its ACL a moment later
        ask = partial(gather.quorum_at, client, client.addresses[0])
        error = until(lambda: raised(ask), lambda found: isinstance(found, AccessError))
    assert isinstance(error, AccessError)
    assert "ClusterAuthorizationFailed" in str(error)


#: Without TLS the tool takes the answer for a very long one, and dies of it or waits in vain.
SAID_BY_JAVA = {
    ("LOGIN", "SASL_SSL", "SCRAM-SHA-512"): "invalid credentials",
    ("MUTUAL", "SSL", ""): "post-handshake messages|SSL handshake failed",
    ("TLS", "PLAINTEXT", ""): "thread has exited|Timed out",
}


@pytest.mark.parametrize("way", SAID_BY_JAVA)
def test_javas_tools_are_refused_like_every_other_client(
    secured: KafkaCluster, tmp_path: Path, way: tuple[str, str, str]
) -> None:
    """A wrong password, no certificate, no TLS. With what is right they get in, in a test above."""
    listener, protocol, mechanism = way
    given = options(secured, protocol, mechanism)
    wrong = {key: value.replace(f'"{PASSWORD}"', '"guessed"') for key, value in given.items()}
    # A refusal comes at once, but a busy machine starts TLS slowly. Without TLS nothing comes.
    seconds = 5 if protocol == "PLAINTEXT" else 60
    wrong |= {"kafka.default.api.timeout.ms": f"{seconds}000", "kafka.request.timeout.ms": f"{seconds - 1}000"}
    with pytest.raises(subprocess.CalledProcessError) as refused:
        java_sees(secured, tmp_path, listener, wrong)
    assert re.search(SAID_BY_JAVA[way], refused.value.stdout)


REFUSALS = {
    "authority": (("TLS", "SSL", ""), "we do not trust its certificate: "),
    "password": (("LOGIN", "SASL_SSL", "PLAIN"), "refuses us: "),
    "certificate": (("MUTUAL", "SSL", ""), "refuses us: "),
}


@pytest.mark.parametrize("wrong", REFUSALS)
def test_the_native_client_tells_who_refuses_whom(secured: KafkaCluster, tmp_path: Path, wrong: str) -> None:
    (listener, protocol, mechanism), told = REFUSALS[wrong]
    certify(tmp_path)
    given = options(secured, protocol, mechanism)
    if wrong == "authority":
        given["kafka.ssl.truststore.location"] = str(tmp_path / "ca.pem")
    if wrong == "password":
        given["kafka.sasl.jaas.config"] = given["kafka.sasl.jaas.config"].replace(PASSWORD, NAME)
    address = f"127.0.0.1:{secured.properties[listener]}"
    # librdkafka tries again until the time is over, though it is refused. A busy machine needs the longer times.
    for seconds in (3, 10, 30):
        with pytest.raises(UnreachableByNative) as error:
            NativeAdmin(address, given, seconds).describe_topic("none")
        if f"{address}: {told}" in str(error.value):
            break
    assert f"{address}: {told}" in str(error.value)


def test_the_native_client_does_not_take_silence_for_a_refusal(secured: KafkaCluster) -> None:
    for address in ("127.0.0.1:1", f"127.0.0.1:{secured.nodes[1].client_port}"):
        with pytest.raises(UnreachableByNative) as error:
            NativeAdmin(address, options(secured, "SSL"), 4).describe_topic("none")
        assert "no answer from" in str(error.value)
