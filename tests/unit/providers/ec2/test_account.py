"""A call that AWS throttles is repeated after random pauses, against a server that throttles."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from ansible.module_utils.kraft.providers.ec2 import account, unasked
from botocore.exceptions import EndpointConnectionError, HTTPClientError  # type: ignore[attr-defined]

THROTTLED = (
    "<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>slower</Message></Error></Errors></Response>"
)
KEYS = "<DescribeKeyPairsResponse><keySet><item><keyName>orders</keyName></item></keySet></DescribeKeyPairsResponse>"


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A server that throttles three calls, then answers; what it said."""
    said: list[int] = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            code, text = (503, THROTTLED) if len(said) < 3 else (200, KEYS)
            said.append(code)
            self.send_response(code)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-loopback")
    yield said
    server.shutdown()
    server.server_close()


def test_a_throttled_call_is_repeated_after_pauses_of_random_length(
    busy: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", pauses.append)
    found = account.client("ec2", "eu-central-1").describe_key_pairs()["KeyPairs"]
    assert [each["KeyName"] for each in found] == ["orders"]
    assert busy == [503, 503, 503, 200]
    assert len(set(pauses)) == 3


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{listening.getsockname()[1]}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-loopback")
        monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
        yield listening


@pytest.mark.parametrize("service", ["ec2", "ssm"])
def test_a_call_without_an_answer_is_sent_three_times(silent: socket.socket, service: str) -> None:
    client = account.client(service, "eu-central-1", read=0.05)
    asked = {"ec2": "describe_key_pairs", "ssm": "describe_parameters"}[service]
    with pytest.raises(HTTPClientError):
        getattr(client, asked)()
    silent.setblocking(False)
    taken = [silent.accept()[0] for _ in range(account.SILENT_TRIES)]
    with pytest.raises(BlockingIOError):
        silent.accept()
    for each in taken:
        each.close()


def test_a_port_that_is_closed_is_tried_three_times(silent: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    silent.close()
    pauses: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time.sleep", pauses.append)
    with pytest.raises(EndpointConnectionError):
        account.client("ec2", "eu-central-1").describe_key_pairs()
    assert len(pauses) == account.SILENT_TRIES - 1


def test_a_long_wait_is_named_once_and_a_short_one_never() -> None:
    shown: list[str] = []
    with unasked.announced(shown.append, 60.0):
        pass
    assert shown == []
    with unasked.announced(shown.append, 0.0):
        deadline = time.monotonic() + 60
        while not shown and time.monotonic() < deadline:
            time.sleep(0.01)
    assert shown == [unasked.WAITING]
