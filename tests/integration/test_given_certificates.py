"""A node with a certificate of the operator's own authority: who gets in, and how another file is loaded live."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import given_certificates, given_faults
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.served import served
from ansible.module_utils.kraft.operations.certificates.renewal import Verdict
from ansible.module_utils.kraft.operations.certificates.requirements import judge
from ansible.module_utils.kraft.spec.desired.listener_properties import GIVEN_RULE
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter
from ansible.parsing.dataloader import DataLoader
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from cryptography import x509

from tests.commands import run
from tests.given_pki import PKCS8, Pair, Pki, make, rsa_key
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import KafkaNode, free_ports
from tests.integration.patience import until
from tests.integration.secured_cluster import ONE_COPY

Module = Callable[..., dict[str, Any]]
NAMES = ["127.0.0.1"]


class Given(KafkaCluster):
    """One node; beside the usual listeners USERS, which wants a certificate of the clients' root."""

    @property
    def tls(self) -> Path:
        return self.directory / "tls"

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        usual, users = super().server_properties(node), f"USERS://127.0.0.1:{self.properties['USERS']}"
        chain = given_certificates.chain_of(self.directory / "pki", "k1")
        return {
            **{key: value for key, value in usual.items() if key != "USERS"},
            "listeners": f"{usual['listeners']},{users}",
            "advertised.listeners": f"{usual['advertised.listeners']},{users}",
            "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:SSL,CONTROLLER:SSL,USERS:SSL",
            **{f"listener.name.{name}.ssl.client.auth": "required" for name in ("internal", "controller", "users")},
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:ANONYMOUS;User:{given_faults.principal(chain[0].subject)}",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.tls / "node.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.tls / "nodes.pem"),
            "listener.name.users.ssl.truststore.type": "PEM",
            "listener.name.users.ssl.truststore.location": str(self.tls / "clients.pem"),
            "listener.name.users.ssl.principal.mapping.rules": GIVEN_RULE.replace("\\", "\\\\"),
        }

    def address(self, listener: str) -> str:
        node = self.nodes[1]
        ports = {"INTERNAL": node.internal_port, "CONTROLLER": node.controller_port, "USERS": self.properties["USERS"]}
        return f"127.0.0.1:{ports[listener]}"


def bring(pki: Pki, directory: Path, live: bool = False) -> None:
    """Install the certificate, as kafka_certificate does."""
    pair = given_certificates.material(given_certificates.Source(pki.directory, "k1", "", DataLoader()))
    trust = given_certificates.trust(pki.directory)
    certificate.install(str(directory), "root", pair["key"] + pair["certificate"], trust, live)


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    """Make a PKI with a key in PKCS#1, and a subject of several kinds of parts."""
    made = Pki(tmp_path_factory.mktemp("given") / "pki")
    made.node("k1", NAMES, key=rsa_key(), subject="CN=broker-1,OU=Data Platform,DC=example,DC=org,C=DE")
    return made


@pytest.fixture(scope="module")
def cluster(pki: Pki) -> Iterator[Given]:
    directory = pki.directory.parent
    bring(pki, directory / "tls")
    made = Given.start(directory, 1, {**ONE_COPY, "USERS": str(free_ports(1)[0])})
    admin = AdminClient({"bootstrap.servers": made.bootstrap_servers})
    admin.create_topics([NewTopic("orders", 1)])["orders"].result(20)
    line = ("User:app", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW)
    allowed = AclBinding(ResourceType.TOPIC, "orders", ResourcePatternType.LITERAL, *line)
    admin.create_acls([allowed])[allowed].result(20)
    yield made
    made.stop()


def s_client(pki: Pki, address: str, shown: Pair) -> str:
    """Return openssl's output as a client that shows this certificate."""
    files = {"key": shown.key_pem(PKCS8), "own": shown.pem, "chain": pki.issuing.pem}
    paths = {name: str(pki.write(f"{name}.tmp", text)) for name, text in files.items()}
    given = ["-cert", paths["own"], "-key", paths["key"], "-cert_chain", paths["chain"]]
    trust = ["-CAfile", str(pki.directory / "nodes.pem"), "-verify_ip", "127.0.0.1", "-brief"]
    done = subprocess.run(
        ["openssl", "s_client", "-connect", address, *given, *trust],
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    return done.stdout + done.stderr


def topics(cluster: Given, pki: Pki, shown: Pair, seconds: float = 60) -> set[str]:
    """Return the topics that librdkafka sees at USERS with this certificate; empty if the broker refuses it."""
    options: dict[str, str | int | float | bool] = {
        "bootstrap.servers": cluster.address("USERS"),
        "security.protocol": "SSL",
        "ssl.ca.location": str(pki.directory / "nodes.pem"),
        "ssl.certificate.pem": shown.pem,
        "ssl.key.pem": shown.key_pem(PKCS8),
        "log_level": 0,
    }
    return set(AdminClient(options).list_topics(timeout=seconds).topics)


def test_openssl_trusts_the_chain_that_each_listener_shows(cluster: Given, pki: Pki) -> None:
    own = make("CN=probe,O=Example", pki.issuing, names=NAMES)
    for listener in ("INTERNAL", "CONTROLLER"):
        said = s_client(pki, cluster.address(listener), own)
        assert "Verification: OK" in said, said
        assert "CN = broker-1" in said, said


def test_a_users_certificate_is_the_user_of_its_first_name_and_no_node(cluster: Given, pki: Pki) -> None:
    assert topics(cluster, pki, pki.user("app")) == {"orders"}
    for subject in ("CN=broker-1,OU=Data Platform,DC=example,DC=org,C=DE", "CN=other,O=Example"):
        assert topics(cluster, pki, make(subject, pki.people)) == set()
    node = make("CN=app,O=Example", pki.issuing)
    for shown in (make("OU=x,CN=app", pki.people), make("O=x\\,CN=app", pki.people), node):
        with pytest.raises(Exception, match=r"_TRANSPORT|_TIMED_OUT|_ALL_BROKERS_DOWN"):
            topics(cluster, pki, shown, 4)


def test_a_file_that_was_replaced_is_loaded_by_every_listener_without_a_restart(
    cluster: Given, pki: Pki, run_module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "STARTED_DIR", str(tmp_path))
    (tmp_path / certificate.STARTED).write_text(cluster.nodes[1].config.read_text())
    asked = {"node": {"host": "k1"}, "authority": str(pki.directory), "given": True}
    assert judge(asked, certificate.observe(run, str(cluster.tls))) == Verdict([])
    subject = "CN=broker-1,OU=Data Platform,DC=example,DC=org,C=DE"
    renewed = pki.node("k1", NAMES, subject=subject)
    verdict = judge(asked, certificate.observe(run, str(cluster.tls)))
    assert (len(verdict.reasons), verdict.live) == (1, True)
    bring(pki, cluster.tls, live=verdict.live)
    listeners = [
        {"name": name, "address": cluster.address(name), "protocol": "SSL", "purpose": purpose}
        for name, purpose in (("INTERNAL", "inter_broker"), ("CONTROLLER", "controller"), ("USERS", "client"))
    ]
    client = {
        **client_parameter(listeners[:2], "/opt/kafka", cluster.cluster_id),
        "node": str(cluster.nodes[1].config),
        "python_path": None,
    }
    process = cluster.nodes[1].process
    found = run_module(
        "kafka_certificate",
        state="loaded",
        client=client,
        node_id=1,
        listeners=listeners,
        directory=str(cluster.tls),
        controllers=[cluster.address("CONTROLLER")],
    )
    assert found.get("addresses") == [each["address"] for each in listeners], found
    # A busy machine may need longer than a handshake is given.
    answers = until(lambda: served(found["addresses"]), lambda seen: all(one["certificate"] for one in seen))
    shown = [x509.load_pem_x509_certificate(one["certificate"].encode()) for one in answers]
    assert {one.serial_number for one in shown} == {renewed.certificate.serial_number}
    assert judge(asked, certificate.observe(run, str(cluster.tls))) == Verdict([])
    assert cluster.nodes[1].process is process
    assert process is not None
    assert process.poll() is None
