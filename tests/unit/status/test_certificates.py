"""The certificates that listeners show: who signed them, and which must be renewed."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.served import served
from ansible.module_utils.kraft.status import certificates
from ansible.module_utils.kraft.status.json_report import report
from ansible.module_utils.kraft.status.screen import lines

from tests.integration.certificates import certify
from tests.unit.status.test_status import LOOKED, seen

DAY = 86400


@pytest.fixture(scope="module")
def pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for two days."""
    directory = tmp_path_factory.mktemp("served")
    certify(directory)
    return directory / "node.pem"


@pytest.fixture
def listener(pem: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Show the certificate, and require one of every client."""
    monkeypatch.setattr("ansible.module_utils.kraft.node.served.SECONDS", 60.0)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def accept() -> None:
            with contextlib.suppress(OSError):
                context.wrap_socket(plain.accept()[0], server_side=True).close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"127.0.0.1:{plain.getsockname()[1]}"
        thread.join(5)


def test_what_a_listener_shows_is_seen_without_a_certificate_of_ours(listener: str, pem: Path) -> None:
    found = served([listener])
    assert [(one["address"], one["error"]) for one in found] == [(listener, "")]
    assert found[0]["certificate"].strip() in pem.read_text()


def test_a_listener_that_is_away_or_speaks_without_tls_is_an_error(listener: str) -> None:
    assert [bool(one["error"]) for one in served(["127.0.0.1:1"])] == [True]
    served([listener])  # ends the fixture's thread


def shown(pem: Path, days_later: float = 0) -> dict[str, Any]:
    """Return a host's report this number of days after the certificate was made."""
    text = pem.read_text()
    text = text[text.index("-----BEGIN CERTIFICATE") :]
    one = {"address": "k1:19092", "certificate": text, "error": ""}
    silent = {"address": "k1:9093", "certificate": "", "error": "x"}
    return {**LOOKED["view"], "asked_at": time.time() + days_later * DAY, "certificates": [one, silent]}


def test_days_issuer_and_names_are_those_that_are_shown(pem: Path) -> None:
    found = certificates.certificates({"view": shown(pem)})
    assert found == (certificates.Certificate("k1:19092", 1, "CN=node", ("127.0.0.1",)),)
    assert certificates.certificates({"view": None}) == ()


@pytest.mark.parametrize(("least", "later", "said"), [(1, 0, 0), (2, 0, 1), (1, 3, 1)])
def test_a_certificate_that_ends_soon_is_a_difference(pem: Path, least: int, later: float, said: int) -> None:
    found = certificates.certificates({"view": shown(pem, later)})
    assert len(list(certificates.ending(found, {"certificate": {"renew_before_days": least}}))) == said


def test_a_certificate_that_you_bring_is_told_of_thirty_days_before(pem: Path) -> None:
    found = certificates.certificates({"view": shown(pem)})
    plenty = [dataclasses.replace(found[0], days=30)]
    assert len(list(certificates.ending(found, {}))) == 1
    assert list(certificates.ending(plenty, {"certificate": None})) == []


@pytest.mark.parametrize(("days", "said"), [(13, 1), (14, 0), (-1, 1)])
def test_what_a_process_was_started_with_is_a_difference_shortly_before_its_end(
    pem: Path, days: int, said: int
) -> None:
    """A listener's certificate of as many days is none here: `renew_before_days` counts for that."""
    shown_first = certificates.certificates({"view": shown(pem)})[0]
    own = dataclasses.replace(shown_first, address="", own=True, days=days)
    assert len(list(certificates.ending([own], {"certificate": {"renew_before_days": 60}}))) == said


def test_the_status_shows_what_a_process_was_started_with(pem: Path) -> None:
    later = {**shown(pem), "own_certificate": shown(pem)["certificates"][0]["certificate"]}
    status = seen(kafka1={"view": later})
    assert [one.own for one in status.nodes[0].certificates] == [False, True]
    assert [label for label in status.counts if label in ("Certificates", "Of processes")] == [
        "Certificates",
        "Of processes",
    ]
    assert sum("was started with" in text for text in status.nodes[0].drift) == 1
    assert "Of processes" not in seen(kafka1={"view": shown(pem)}).counts


def test_the_status_names_the_first_to_end_and_fails_below_the_threshold(pem: Path) -> None:
    status = seen(kafka1={"view": shown(pem)})
    assert not status.good
    assert status.nodes[0].certificates[0].days == 1
    assert any("Certificates" in line and "kafka1" in line for line in lines(status))
    assert report(status, "now")["nodes"][0]["certificates"][0]["issuer"] == "CN=node"
    assert "Certificates" not in seen().counts


def test_openssl_reads_the_same_names(pem: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    command = ["openssl", "x509", "-in", str(pem), "-noout", "-ext", "subjectAltName"]
    assert "127.0.0.1" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
