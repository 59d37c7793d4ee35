"""The client against listeners that are not Kafka, or silent; against brokers it is tested in tests/integration."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from ansible.module_utils.kraft.cluster import client as client_module
from ansible.module_utils.kraft.cluster import gather
from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.outcome import Unknown, Unreachable, failed, is_late
from ansible.module_utils.kraft.errors import (
    AccessError,
    KraftError,
    LateError,
    ToolError,
    UnansweredError,
    UnreachableError,
)

NOBODY = "127.0.0.1:1"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 0.3)


@pytest.fixture
def listener() -> Iterator[Callable[[bytes], str]]:
    """Listens on loopback: takes what comes and answers with the given bytes (nothing: stays silent)."""
    opened: list[socket.socket] = []

    def serve(sock: socket.socket, answer: bytes) -> None:
        while True:
            try:
                connection, _ = sock.accept()
            except OSError:
                return
            opened.append(connection)
            if answer:
                connection.recv(1000)
                connection.sendall(answer)

    def start(answer: bytes = b"") -> str:
        sock = socket.create_server(("127.0.0.1", 0))
        opened.append(sock)
        threading.Thread(target=serve, args=(sock, answer), daemon=True).start()
        return f"127.0.0.1:{sock.getsockname()[1]}"

    yield start
    for one in opened:
        one.close()


@pytest.fixture
def asking() -> Iterator[Client]:
    with Client({"bootstrap_servers": [NOBODY]}) as made:
        yield made


def question(asking: Client) -> object:
    return asking.request("DescribeClusterRequest")


def test_where_no_one_listens_it_is_said_at_once(asking: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 60.0)  # a wait would be as long
    started = time.monotonic()
    with pytest.raises(UnreachableError, match=r"127\.0\.0\.1:1: nothing listens"):
        asking.send(NOBODY, question(asking))
    with pytest.raises(UnreachableError, match="nothing listens"):
        asking.reach()
    assert time.monotonic() - started < 30


def test_a_name_that_no_one_knows_is_unreachable(asking: Client) -> None:
    with pytest.raises(UnreachableError, match=r"no-such-host\.invalid:9092: DNS"):
        asking.send("no-such-host.invalid:9092", question(asking), seconds=60)


def test_a_listener_that_stays_silent_is_given_up(asking: Client, listener: Callable[[], str]) -> None:
    started = time.monotonic()
    with pytest.raises(UnreachableError, match="accepts connections and does not answer"):
        asking.send(listener(), question(asking), seconds=60)  # it is the connection that is not made in time
    assert time.monotonic() - started < 30


def test_a_listener_that_is_not_kafka_is_an_error_of_ours(asking: Client, listener: Callable[[bytes], str]) -> None:
    with pytest.raises(KraftError):
        asking.send(listener(b"HTTP/1.1 400 Bad Request\r\n\r\n"), question(asking), seconds=0.3)


def test_several_addresses_are_asked_at_once(
    asking: Client, listener: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, they would take 40 s."""
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 1.0)
    silent = [listener() for _ in range(40)]
    started = time.monotonic()
    answers = asking.send_all([Question(one, question(asking)) for one in [*silent, NOBODY]], seconds=0.3)
    assert all(isinstance(one, UnreachableError) for one in answers)
    assert time.monotonic() - started < 25


def test_a_login_against_a_silent_listener_keeps_the_deadline(listener: Callable[[], str]) -> None:
    options = {
        "bootstrap_servers": [listener()],
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": "SCRAM-SHA-512",
        "username": "u",
        "password": "p",
    }
    started = time.monotonic()
    with Client(options) as secured, pytest.raises(KraftError):
        secured.send(secured.addresses[0], question(secured), seconds=0.3)
    assert time.monotonic() - started < 30  # kafka-python would wait for ever


def test_codes_of_answers_become_errors_with_kafkas_words(asking: Client) -> None:
    assert asking.error("topic a", 0, None) is None
    error = asking.error("topic a", 17, "the name is wrong")
    assert isinstance(error, ToolError)
    assert not isinstance(error, AccessError)
    assert str(error) == "topic a: InvalidTopic: the name is wrong"
    assert not error.retriable
    passing = asking.error("topic a", 41, None)
    assert passing is not None
    assert passing.retriable


def test_a_snapshot_of_no_one_is_unreachable(asking: Client) -> None:
    with pytest.raises(UnreachableError):
        gather.observe(asking)


def test_an_error_in_an_answer_is_raised(asking: Client) -> None:
    with pytest.raises(AccessError, match="DescribeCluster: ClusterAuthorizationFailed"):
        gather.checked(asking, "DescribeCluster", {"error_code": 31, "error_message": None})
    assert gather.checked(asking, "x", {"error_code": 0}) == {"error_code": 0}


@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL"])
def test_the_search_for_a_broker_ends_where_all_are_late(
    listener: Callable[[], str], monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    monkeypatch.setattr(client_module, "ANSWER_SECONDS", 0.3)
    started = time.monotonic()
    options = {"bootstrap_servers": [listener(), NOBODY], "security_protocol": protocol}
    with Client(options) as made, pytest.raises(LateError, match="does not answer"):
        made.reach()
    assert time.monotonic() - started < 30  # kafka-python would wait for ever


def test_what_is_late_and_what_is_not_is_told_apart(asking: Client) -> None:
    assert failed(LateError("k1")) == Unknown("k1", late=True)
    assert failed(UnansweredError("k1")) == Unknown("k1")
    assert failed(UnreachableError("k1")) == Unreachable("k1")
    assert [is_late(asking.error("DescribeQuorum", code, "k1") or KraftError()) for code in (7, 31, 41)] == [
        True,
        False,
        False,
    ]


def test_a_listener_that_breaks_the_handshake_is_not_unreachable(
    listener: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "ANSWER_SECONDS", 60.0)
    options = {"bootstrap_servers": [listener(b"HTTP/1.1 400 Bad Request\r\n\r\n")], "security_protocol": "SSL"}
    with Client(options) as made, pytest.raises(UnansweredError) as caught:
        made.reach()
    assert not isinstance(caught.value, LateError)


def test_with_one_late_and_one_unreadable_answer_the_cluster_is_not_late(
    listener: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "ANSWER_SECONDS", 60.0)  # for the answer of DNS
    options = {"bootstrap_servers": [listener(), "no-such-host.invalid:9092"]}
    with Client(options) as made, pytest.raises(UnansweredError) as caught:
        made.reach()
    assert not isinstance(caught.value, LateError)


def starting(connection: socket.socket) -> None:
    """Act as a broker without a leader: it lists its supported requests, and answers none of them."""
    known = b"".join(struct.pack(">hhh", *one) for one in ((18, 0, 0), (55, 0, 0), (60, 0, 0)))
    while head := connection.recv(4):
        (size,) = struct.unpack(">i", head)
        key, version, number = struct.unpack(">hhi", connection.recv(size, socket.MSG_WAITALL)[:8])
        if key == 18:
            body = struct.pack(">ihi", number, 35 if version else 0, 3) + known
            connection.sendall(struct.pack(">i", len(body)) + body)


def test_each_question_to_a_broker_that_waits_for_a_leader_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time-out ends the connection, and with it the questions behind."""
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 20.0)
    sock = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: starting(sock.accept()[0]), daemon=True).start()
    address = f"127.0.0.1:{sock.getsockname()[1]}"
    with Client({"bootstrap_servers": [address]}) as asking:
        assert asking.reach() == address
        quorum = asking.request("DescribeQuorumRequest", topics=gather.METADATA_LOG)
        answers = asking.send_all([Question(address, question(asking)), Question(address, quorum)], seconds=0.5)
    sock.close()
    assert [type(one) for one in answers] == [LateError, LateError]


def test_silent_listeners_with_tls_share_one_deadline(
    listener: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """kafka-python does not limit the time of a TLS handshake. One deadline for each would be 31 s."""
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 5.0)
    silent = [listener() for _ in range(6)]
    with Client({"bootstrap_servers": silent, "security_protocol": "SSL"}) as made:
        started = time.monotonic()
        answers = made.send_all([Question(one, question(made)) for one in silent], seconds=0.3)
    assert [type(one) for one in answers] == [LateError] * 6
    assert time.monotonic() - started < 20
