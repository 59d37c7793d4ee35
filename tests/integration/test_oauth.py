"""Clients log in with tokens of an external issuer, by the settings that are derived from a listener's ``oauth``."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.control import key_sets
from ansible.module_utils.kraft.spec.desired import oauth
from ansible.module_utils.kraft.spec.desired.access import access_settings
from ansible.module_utils.kraft.spec.desired.model import Cluster, Listener, Node, OAuth
from confluent_kafka import Producer
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import KafkaNode, free_ports
from tests.integration.patience import until
from tests.integration.secured_cluster import ONE_COPY
from tests.integration.spark_topic import create

RunModule = Callable[..., dict[str, Any]]
ISSUER, AUDIENCE, TOPIC = "https://id.example.org/", "kafka", "tokens"
LISTENERS = ("FILE", "ISSUER")
ACL = {"principal": "User:reporter", "topic": TOPIC, "operations": ["write", "describe"]}


def coded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def number(value: int) -> str:
    return coded(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Key:
    """A key of an issuer, by its id."""

    def __init__(self, name: str) -> None:
        self._name, self._key = name, rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def public(self) -> dict[str, str]:
        numbers = self._key.public_key().public_numbers()
        return {"kty": "RSA", "use": "sig", "kid": self._name, "n": number(numbers.n), "e": number(numbers.e)}

    def token(self, lasts: float = 300, **claims: Any) -> str:
        now = int(time.time())
        content = {"iss": ISSUER, "aud": AUDIENCE, "sub": "reporter", "iat": now - 600, "exp": int(now + lasts)}
        header = {"alg": "RS256", "kid": self._name}
        signed = ".".join(coded(json.dumps(part).encode()) for part in (header, {**content, **claims}))
        return f"{signed}.{coded(self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


class Issuer:
    """Serves its public keys by https on loopback, with a self-made certificate."""

    def __init__(self, directory: Path) -> None:
        self.keys: list[Key] = []
        certify(directory)
        issuer = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = json.dumps({"keys": [each.public for each in issuer.keys]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "node.pem")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.truststore = directory / "issuer.jks"
        made = ["keytool", "-importcert", "-noprompt", "-storetype", "JKS", "-storepass", "changeit"]
        files = ["-alias", "issuer", "-file", str(directory / "ca.pem"), "-keystore", str(self.truststore)]
        subprocess.run([*made, *files], check=True, capture_output=True)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._server.server_port}/keys"

    @property
    def trusted(self) -> list[str]:
        """Return the options by which Java trusts it (docs/runbooks/give_access.md)."""
        return [f"-Djavax.net.ssl.trustStore={self.truststore}"]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class WithTokens(KafkaCluster):
    """One node with listeners FILE and ISSUER, by where their keys are, beside the usual ones."""

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        usual, own = super().server_properties(node), described(self.directory, self.properties)
        more = own.listeners
        return {
            **{key: value for key, value in usual.items() if key not in {"FILE", "ISSUER", "ADDRESS"}},
            **access_settings(Cluster("demo", "", "4.4.0", (own,), security="tls"), own),
            "listeners": ",".join([usual["listeners"], *(each.url for each in more)]),
            "advertised.listeners": ",".join([usual["advertised.listeners"], *(each.advertised_url for each in more)]),
            "listener.security.protocol.map": ",".join(
                [usual["listener.security.protocol.map"], *(f"{each.name}:{each.protocol}" for each in more)]
            ),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.directory / "node.pem"),
        }


def described(directory: Path, given: Mapping[str, str]) -> Node:
    """The node as the inventory describes it; its file of keys is in `directory`. `given`: ports, and an address."""
    keys = {"FILE": str(directory / "keys.json"), "ISSUER": given["ADDRESS"]}
    listeners = tuple(
        Listener(
            name,
            int(given[name]),
            "SASL_SSL",
            "client",
            "127.0.0.1",
            "127.0.0.1",
            int(given[name]),
            mechanisms=("OAUTHBEARER",),
            oauth=OAuth(ISSUER, AUDIENCE, jwks),
        )
        for name, jwks in keys.items()
    )
    return Node("kafka1", 1, ("broker",), "127.0.0.1", listeners, (), install_dir=str(directory))


def give_keys(directory: Path, *keys: Key) -> None:
    """Install changed keys, as a deployment does after a change of the file on the control machine."""
    source, target = directory / "keys.json", directory / "config/jwks-file.json"
    source.write_text(json.dumps({"keys": [each.public for each in keys]}))
    assert key_sets.fault(str(source)) == ""
    target.parent.mkdir(exist_ok=True)
    source.replace(target)


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Issuer]:
    made = Issuer(tmp_path_factory.mktemp("issuer"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def key() -> Key:
    return Key("first")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory, key: Key, issuer: Issuer) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("oauth")
    certify(directory)
    give_keys(directory, key)
    issuer.keys = [key]
    given = {**dict(zip(("FILE", "ISSUER"), map(str, free_ports(2)), strict=True)), "ADDRESS": issuer.url}
    with pytest.MonkeyPatch.context() as patch:
        options = [*oauth.token_options(described(directory, given)), *issuer.trusted]
        patch.setenv("JDK_JAVA_OPTIONS", " ".join(options))
        cluster = WithTokens.start(directory, 1, {**ONE_COPY, **given})
    create(cluster.bootstrap_servers, TOPIC, 1, replicas=1)
    yield cluster
    cluster.stop()


def sent(broker: KafkaCluster, listener: str, token: str) -> str:
    """``stored``, or the first error of a producer with that token."""
    met: list[str] = []
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{broker.properties[listener]}",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "OAUTHBEARER",
            "ssl.ca.location": str(broker.directory / "ca.pem"),
            "oauth_cb": lambda _: (token, time.time() + 300),
            "error_cb": lambda error: met.append(error.name()),
            "message.timeout.ms": 60_000,
        }
    )
    producer.produce(TOPIC, b"1", on_delivery=lambda error, _: met.append(error.name() if error else "stored"))
    end = time.monotonic() + 60
    while not met and time.monotonic() < end:
        producer.poll(0.2)
    producer.purge()
    return met[0] if met else "nothing"


def test_a_user_without_a_right_is_known_and_may_not_write(broker: KafkaCluster, key: Key) -> None:
    assert {sent(broker, each, key.token()) for each in LISTENERS} == {"TOPIC_AUTHORIZATION_FAILED"}


@pytest.mark.parametrize("listener", LISTENERS)
def test_a_token_opens_the_listener_for_its_owner_and_another_ones_does_not(
    broker: KafkaCluster, key: Key, run_module: RunModule, listener: str
) -> None:
    run_module("kafka_acl", client={"bootstrap_servers": [broker.bootstrap_servers]}, acls=[ACL])
    assert sent(broker, listener, key.token()) == "stored"
    assert sent(broker, listener, key.token(sub="somebody")) == "TOPIC_AUTHORIZATION_FAILED"
    refused = {
        "audience": key.token(aud="another"),
        "issuer": key.token(iss="https://another.example.org/"),
        "expired": key.token(lasts=-120),
        "signed by another": Key("first").token(),
        "unknown key": Key("second").token(),
        "changed": key.token().replace(".", f".{coded(b'x')}", 1),
    }
    found = {name: sent(broker, listener, token) for name, token in refused.items()}
    assert found == dict.fromkeys(refused, "_AUTHENTICATION")


@pytest.mark.parametrize("listener", LISTENERS)
def test_other_keys_count_without_a_restart(
    broker: KafkaCluster, key: Key, issuer: Issuer, run_module: RunModule, listener: str
) -> None:
    run_module("kafka_acl", client={"bootstrap_servers": [broker.bootstrap_servers]}, acls=[ACL])
    other = Key("other")
    give_keys(broker.directory, other)
    issuer.keys = [other]
    # The first token with an unknown key has the issuer asked.
    assert until(lambda: sent(broker, listener, other.token()), lambda found: found == "stored", 120) == "stored"
    assert sent(broker, listener, key.token()) == "_AUTHENTICATION"
