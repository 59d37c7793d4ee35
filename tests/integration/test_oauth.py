"""Clients log in with tokens of somebody else, by the settings that are derived from a listener's ``oauth``."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
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
from tests.integration.secured_cluster import ONE_COPY
from tests.integration.spark_topic import create

RunModule = Callable[..., dict[str, Any]]
ISSUER, AUDIENCE, TOPIC = "https://id.example.org/", "kafka", "tokens"
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


class WithTokens(KafkaCluster):
    """One node with a listener SSO beside the usual ones."""

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        usual, own = super().server_properties(node), sso(self.directory, int(self.properties["SSO"]))
        return {
            **{key: value for key, value in usual.items() if key != "SSO"},
            **access_settings(Cluster("demo", "", "4.3.1", (own,), security="tls"), own),
            "listeners": f"{usual['listeners']},{own.listeners[0].url}",
            "advertised.listeners": f"{usual['advertised.listeners']},{own.listeners[0].advertised_url}",
            "listener.security.protocol.map": f"{usual['listener.security.protocol.map']},SSO:SASL_SSL",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.directory / "node.pem"),
        }


def sso(directory: Path, port: int) -> Node:
    """The node as the inventory describes it; its file of keys is in `directory`."""
    judged = OAuth(ISSUER, AUDIENCE, str(directory / "keys.json"))
    listener = Listener(
        "SSO", port, "SASL_SSL", "client", "127.0.0.1", "127.0.0.1", port, mechanisms=("OAUTHBEARER",), oauth=judged
    )
    return Node("kafka1", 1, ("broker",), "127.0.0.1", (listener,), (), install_dir=str(directory))


def give_keys(directory: Path, *keys: Key) -> None:
    """What a deployment does where the file on the control machine has changed."""
    (name,) = (each["name"] for each in oauth.key_sets(sso(directory, 1)))
    source, target = directory / "keys.json", directory / "config" / name
    source.write_text(json.dumps({"keys": [each.public for each in keys]}))
    assert key_sets.fault(str(source)) == ""
    target.parent.mkdir(exist_ok=True)
    source.replace(target)


@pytest.fixture(scope="module")
def key() -> Key:
    return Key("first")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory, key: Key) -> Iterator[KafkaCluster]:
    directory = tmp_path_factory.mktemp("oauth")
    certify(directory)
    give_keys(directory, key)
    port = free_ports(1)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", " ".join(oauth.token_options(sso(directory, port))))
        cluster = WithTokens.start(directory, 1, {**ONE_COPY, "SSO": str(port)})
    create(cluster.bootstrap_servers, TOPIC, 1, replicas=1)
    yield cluster
    cluster.stop()


def sent(broker: KafkaCluster, token: str) -> str:
    """``stored``, or the first error of a producer with that token."""
    met: list[str] = []
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{broker.properties['SSO']}",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "OAUTHBEARER",
            "ssl.ca.location": str(broker.directory / "ca.pem"),
            "oauth_cb": lambda _: (token, time.time() + 300),
            "error_cb": lambda error: met.append(error.name()),
            "message.timeout.ms": 20_000,
        }
    )
    producer.produce(TOPIC, b"1", on_delivery=lambda error, _: met.append(error.name() if error else "stored"))
    end = time.monotonic() + 20
    while not met and time.monotonic() < end:
        producer.poll(0.2)
    producer.purge()
    return met[0] if met else "nothing"


def test_a_token_opens_the_listener_for_its_owner_and_another_ones_does_not(
    broker: KafkaCluster, key: Key, run_module: RunModule
) -> None:
    assert sent(broker, key.token()) == "TOPIC_AUTHORIZATION_FAILED"
    run_module("kafka_acl", client={"bootstrap_servers": [broker.bootstrap_servers]}, acls=[ACL])
    assert sent(broker, key.token()) == "stored"
    assert sent(broker, key.token(sub="somebody")) == "TOPIC_AUTHORIZATION_FAILED"
    refused = {
        "audience": key.token(aud="another"),
        "issuer": key.token(iss="https://another.example.org/"),
        "expired": key.token(lasts=-120),
        "signed by another": Key("first").token(),
        "unknown key": Key("second").token(),
        "changed": key.token().replace(".", f".{coded(b'x')}", 1),
    }
    found = {name: sent(broker, token) for name, token in refused.items()}
    assert found == dict.fromkeys(refused, "_AUTHENTICATION")


def test_other_keys_count_without_a_restart(broker: KafkaCluster, key: Key, run_module: RunModule) -> None:
    run_module("kafka_acl", client={"bootstrap_servers": [broker.bootstrap_servers]}, acls=[ACL])
    other = Key("other")
    give_keys(broker.directory, other)
    assert sent(broker, other.token()) == "stored"
    assert sent(broker, key.token()) == "_AUTHENTICATION"
