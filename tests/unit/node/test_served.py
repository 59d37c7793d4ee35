"""Client authorities that a listener names, queried with the real openssl."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.served import accepted, first_certificate, served, showing_other, subjects

from tests.commands import run
from tests.integration.certificates import certify

SECONDS = 60.0


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes an answer late, not wrong."""
    monkeypatch.setattr("ansible.module_utils.kraft.node.served.SECONDS", SECONDS)
    monkeypatch.setattr("ansible.module_utils.kraft.node.served.OPENSSL_SECONDS", SECONDS)


@pytest.fixture(params=[(True, ""), (False, ""), (True, "-tls1_2"), (False, "-tls1_2")])
def listener(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[str, bool]]:
    """Require a certificate of the authority ``ca.pem``, or none."""
    certify(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    asked, version = request.param
    asks = ["-Verify", "1", "-CAfile", str(tmp_path / "ca.pem")] if asked else []
    asks += [version] if version else []
    own = ["-cert", str(tmp_path / "node.pem"), "-key", str(tmp_path / "node.pem")]
    server = subprocess.Popen(
        ["openssl", "s_server", "-quiet", "-accept", f"127.0.0.1:{port}", *own, *asks],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                break
    yield f"127.0.0.1:{port}", asked
    server.kill()
    server.wait()


def test_a_listener_names_the_authorities_of_clients_that_it_trusts(listener: tuple[str, bool], tmp_path: Path) -> None:
    address, asks = listener
    trusted = subjects(run, (tmp_path / "ca.pem").read_text())
    assert trusted == {"CN = node"}
    assert accepted(address) == (trusted if asks else frozenset())


def test_a_listener_shows_its_certificate_to_who_has_none(listener: tuple[str, bool], tmp_path: Path) -> None:
    own = certificate.CERTIFICATE.search((tmp_path / "node.pem").read_text())
    assert own
    (found,) = served([listener[0]])
    assert (found["error"], ssl.PEM_cert_to_DER_cert(found["certificate"])) == ("", ssl.PEM_cert_to_DER_cert(own[0]))
    assert showing_other([listener[0]], own[0]) == []


@pytest.mark.parametrize("heard", [b"", b"\x16\x03\x03", b"\x15\x03\x03\x00\x02\x02\x28", b"HTTP/1.1 400 Bad Request"])
def test_who_shows_no_certificate_has_none(heard: bytes) -> None:
    assert first_certificate(heard) == b""


def test_who_is_away_names_no_one() -> None:
    assert accepted("127.0.0.1:1") == frozenset()


def close_the_first(held: socket.socket) -> None:
    held.accept()[0].close()


@pytest.mark.parametrize("hangs", [False, True])
def test_a_listener_that_closes_at_once_or_never_answers_names_no_one(
    hangs: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hangs:
        monkeypatch.setattr("ansible.module_utils.kraft.node.served.OPENSSL_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as held:
        if not hangs:
            threading.Timer(0, close_the_first, [held]).start()
        assert accepted(f"127.0.0.1:{held.getsockname()[1]}") == frozenset()


def test_no_certificate_has_no_name() -> None:
    asked: list[Any] = []
    assert subjects(lambda *given, **_: asked.append(given), "") == frozenset()
    assert asked == []
