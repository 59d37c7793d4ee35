"""Attempts of intruders against every listener: each is refused for the right reason, after a permitted client got in.

Called with the project's directory and the address of one broker and of one controller. By OpenSSL (Python's ``ssl``),
sslscan and librdkafka. Prints each attempt; exit code 1 if one of them did not end as expected.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import socket
import ssl
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import ansible.module_utils
import scanner
from confluent_kafka import Consumer, KafkaError, Producer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.control import authority  # noqa: E402 - by the path above

CLUSTER, PASSPHRASE = "dedicated", "only-for-this-scenario"
LOGIN, CERTIFICATES, PRIVATE, QUORUM = 29094, 29095, 39092, 19093
#: Seconds in which a server refuses a client; a permitted one hears nothing in them, since it sends nothing.
SILENCE = 2
ACCEPTED, OUT = "accepted", "refused|closed"
NEWEST = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)
KEYSTORE = ("ssl.certificate.location", "ssl.key.location")
OWN = ("ssl.certificate.pem", "ssl.key.pem")  #: a user's certificate and key, as their client files hold them


@dataclasses.dataclass(frozen=True)
class Attempt:
    """An attempt of a client; ``wanted``: a pattern for its end."""

    name: str
    done: Callable[[], str]
    wanted: str


def pair(place: authority.Place, host: str, days: int) -> str:
    """Return key and certificate of a node `host`, as one PEM text, issued at `place`."""
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    issued = authority.issue(
        place, request.public_bytes(serialization.Encoding.PEM).decode(), authority.Node(host, CLUSTER, (host,)), days
    )
    return key.private_bytes(*form).decode() + issued


def certificates(real: authority.Place, directory: Path) -> dict[str, Path]:
    """Return kind -> file. ``impostor``: a node's name, signed by the clients' authority; ``stranger``: by another."""
    swapped, foreign = (authority.Place(directory / name, PASSPHRASE) for name in ("swapped", "foreign"))
    swapped.directory.mkdir()
    for kind in ("key", "pem"):
        shutil.copy(real.directory / f"clients.{kind}", swapped.directory / f"nodes.{kind}")
    authority.ensure(foreign, CLUSTER)
    found = {"node": (real, 1), "expired": (real, 0), "impostor": (swapped, 1), "stranger": (foreign, 1)}
    for name, (place, days) in found.items():
        (directory / f"{name}.pem").write_text(pair(place, "broker1", days))
    return {
        **{name: directory / f"{name}.pem" for name in found},
        "user": real.directory / "users" / "orders-reader.pem",
    }


@dataclasses.dataclass(frozen=True)
class Hello:
    """Begin of a handshake; ``shown``: file with certificate and key; ``name``: the server's expected name."""

    shown: Path | None = None
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2
    name: str = ""
    ciphers: str = ""


def shake_hands(address: tuple[str, int], trusted: Path, hello: Hello) -> str:
    """Return ``accepted``, or the answer of the other side. With TLS 1.3 a refusal comes after the handshake."""
    context = ssl.create_default_context(cafile=str(trusted))
    context.check_hostname = bool(hello.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # old versions are the point
        context.minimum_version = min(hello.newest, ssl.TLSVersion.TLSv1_2)
        context.maximum_version = hello.newest
    if hello.ciphers:
        context.set_ciphers(hello.ciphers)
    if hello.shown:
        context.load_cert_chain(hello.shown)
    try:
        with (
            socket.create_connection(address, 10) as plain,
            context.wrap_socket(plain, server_hostname=hello.name or None) as secured,
        ):
            secured.settimeout(SILENCE)
            return ACCEPTED if secured.recv(1) else "closed"
    except TimeoutError:
        return ACCEPTED
    except (ssl.SSLError, ConnectionError) as error:
        return f"refused: {error}"


def send(options: dict[str, Any], topic: str) -> str:
    """Return ``stored``, or the name of the producer's first error."""
    met: list[str] = []

    def ended(error: KafkaError | None, _: object) -> None:
        met.append(error.name() if error else "stored")

    producer = Producer({**options, "message.timeout.ms": 20_000, "error_cb": lambda error: met.append(error.name())})
    try:
        producer.produce(topic, b"1", on_delivery=ended)
        while not met:
            producer.poll(1)
    finally:
        producer.purge()
    return met[0]


def receive(options: dict[str, Any], topic: str, group: str) -> str:
    """Return ``read``, or the name of the consumer's first error."""
    met: list[str] = []
    consumer, end = Consumer({**options, "group.id": group, "auto.offset.reset": "earliest"}), time.monotonic() + 30
    try:
        consumer.subscribe([topic])
        while not met and time.monotonic() < end:
            message = consumer.poll(1)
            error = message and message.error()
            if message:
                met.append(error.name() if error else "read")
    finally:
        consumer.close()
    return met[0] if met else "nothing"


def between_nodes(place: authority.Place, shown: dict[str, Path], address: tuple[str, int]) -> Iterator[Attempt]:
    """Yield attempts at a node's listener; its port identifies it."""
    door = {PRIVATE: "PRIVATE", QUORUM: "QUORUM"}[address[1]]
    attempt = partial(shake_hands, address, place.directory / "nodes.pem")
    for newest in NEWEST:
        yield Attempt(f"{door}: a node, {newest.name}", partial(attempt, Hello(shown["node"], newest)), ACCEPTED)
        for who in (None, "user", "impostor", "stranger", "expired"):
            done = partial(attempt, Hello(shown[who] if who else None, newest))
            yield Attempt(f"{door}: {who or 'no certificate'}, {newest.name}", done, OUT)
    old = Hello(shown["node"], ssl.TLSVersion.TLSv1_1, ciphers="ALL:@SECLEVEL=0")
    weak = Hello(shown["node"], ciphers="ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0")
    another = Hello(shown["node"], name="stranger.example.org")
    yield Attempt(f"{door}: TLS 1.1", partial(attempt, old), OUT)
    yield Attempt(f"{door}: a cipher that hides nothing", partial(attempt, weak), OUT)
    yield Attempt(f"{door}: a client that expects another name", partial(attempt, another), "refused.*[Hh]ostname")


def with_certificates(place: authority.Place, shown: dict[str, Path], address: tuple[str, int]) -> Iterator[Attempt]:
    """Yield attempts at the listener of clients with certificates."""
    attempt = partial(shake_hands, address, place.directory / "nodes.pem")
    for newest in NEWEST:
        yield Attempt(f"CERTIFICATES: a user, {newest.name}", partial(attempt, Hello(shown["user"], newest)), ACCEPTED)
        for who in (None, "node", "stranger"):
            done = partial(attempt, Hello(shown[who] if who else None, newest))
            yield Attempt(f"CERTIFICATES: {who or 'no certificate'}, {newest.name}", done, OUT)


def of_users(files: Path, impostor: Path) -> Iterator[Attempt]:
    """Yield attempts by librdkafka. The broker checks the name of an impostor at the first request."""

    def given(user: str, listener: str) -> dict[str, Any]:
        found: dict[str, dict[str, Any]] = json.loads((files / user / f"{listener}.librdkafka.json").read_text())
        return found["consumer"]

    writer, reader = given("orders-writer", "LOGIN"), given("orders-reader", "CERTIFICATES")
    plain = {"bootstrap.servers": writer["bootstrap.servers"], "security.protocol": "PLAINTEXT"}
    bare = dict(reader)
    for name in OWN:
        del bare[name]
    wrong, foreign = {**writer, "sasl.password": "another-password"}, {**writer, "sasl.username": "broker1"}
    named = {**bare, **dict.fromkeys(KEYSTORE, str(impostor))}
    yield Attempt("LOGIN: the writer writes its topic", partial(send, writer, "orders"), "stored")
    yield Attempt("LOGIN: another topic", partial(send, writer, "spread"), "TOPIC_AUTHORIZATION_FAILED")
    yield Attempt("LOGIN: a wrong password", partial(send, wrong, "orders"), "_AUTHENTICATION")
    yield Attempt("LOGIN: a user named like a node", partial(send, foreign, "orders"), "_AUTHENTICATION")
    yield Attempt("LOGIN: plaintext", partial(send, plain, "orders"), "_TRANSPORT|_ALL_BROKERS_DOWN")
    yield Attempt("CERTIFICATES: the reader reads", partial(receive, reader, "orders", "orders-reader"), "read")
    yield Attempt(
        "CERTIFICATES: another group", partial(receive, reader, "orders", "other"), "GROUP_AUTHORIZATION_FAILED"
    )
    yield Attempt("CERTIFICATES: the reader writes", partial(send, reader, "orders"), "TOPIC_AUTHORIZATION_FAILED")
    yield Attempt("CERTIFICATES: impostor", partial(send, named, "orders"), "_TRANSPORT|_ALL_BROKERS_DOWN")
    yield Attempt(
        "CERTIFICATES: without its certificate", partial(send, bare, "orders"), "_TRANSPORT|_SSL|_ALL_BROKERS"
    )


def scanned(shown: dict[str, Path], broker: str, controller: str) -> Iterator[Attempt]:
    """Yield attempts by a scanner, which shows a certificate if one is required."""
    doors = {"LOGIN": ((broker, LOGIN), None), "CERTIFICATES": ((broker, CERTIFICATES), shown["user"])}
    doors |= {"PRIVATE": ((broker, PRIVATE), shown["node"]), "QUORUM": ((controller, QUORUM), shown["node"])}
    for name, (address, certificate) in doors.items():
        yield Attempt(f"{name}: sslscan", partial(scanner.scan, address, certificate), f"{scanner.CLEAN}$")


def main(project: str, broker: str, controller: str) -> int:
    place = authority.Place(Path(project) / ".kraftwright" / CLUSTER / "tls", PASSPHRASE)
    with tempfile.TemporaryDirectory() as directory:
        shown = certificates(place, Path(directory))
        attempts = [
            *between_nodes(place, shown, (broker, PRIVATE)),
            *between_nodes(place, shown, (controller, QUORUM)),
            *with_certificates(place, shown, (broker, CERTIFICATES)),
            *scanned(shown, broker, controller),
            *of_users(Path(project) / ".kraftwright" / CLUSTER / "clients", shown["impostor"]),
        ]
        ended = [(attempt, attempt.done()) for attempt in attempts]
    wrong = [attempt for attempt, found in ended if not re.match(attempt.wanted, found)]
    lines = [f"{'WRONG' if attempt in wrong else 'right'}  {attempt.name}: {found}" for attempt, found in ended]
    sys.stdout.write("\n".join([*lines, f"{len(ended)} attempts, {len(wrong)} wrong\n"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
