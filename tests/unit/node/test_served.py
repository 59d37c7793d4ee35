"""Which authorities of clients a listener names, asked with the real openssl."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.served import accepted, subjects

from tests.integration.certificates import certify

SECONDS = 20.0


def run(command: list[str], data: str = "") -> tuple[int, str, str]:
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(params=[True, False])
def listener(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[str, bool]]:
    """Asks for a certificate of the authority ``ca.pem``, or for none."""
    certify(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    asks = ["-Verify", "1", "-CAfile", str(tmp_path / "ca.pem")] if request.param else []
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
    yield f"127.0.0.1:{port}", request.param
    server.kill()
    server.wait()


def test_a_listener_names_the_authorities_of_clients_that_it_trusts(listener: tuple[str, bool], tmp_path: Path) -> None:
    address, asks = listener
    trusted = subjects(run, (tmp_path / "ca.pem").read_text())
    assert trusted == {"CN = node"}
    assert accepted(run, address) == (trusted if asks else frozenset())


def test_who_is_away_names_nobody() -> None:
    assert accepted(run, "127.0.0.1:1") == frozenset()


def test_no_certificate_has_no_name() -> None:
    asked: list[Any] = []
    assert subjects(lambda *given, **_: asked.append(given), "") == frozenset()
    assert asked == []
