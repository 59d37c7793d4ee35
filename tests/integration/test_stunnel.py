"""stunnel with the configuration of a proxy, on loopback: who gets in, and what a renewal does. No Kafka, seconds."""

from __future__ import annotations

import http.server
import ssl
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.other_services import metrics_proxy
from ansible.module_utils.kraft.node.served import accepted, served, subjects

from tests.commands import run
from tests.integration.node_pki import ADDRESS, Pki
from tests.integration.patience import until

STUNNEL = "stunnel4"


class Exporter(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"a_metric 1\n")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    return Pki(tmp_path / "pki")


@pytest.fixture
def proxy(pki: Pki, tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port of an exporter behind the proxy, and the proxy's process."""
    exporter = http.server.ThreadingHTTPServer((metrics_proxy.LOOPBACK, 0), Exporter)
    threading.Thread(target=exporter.serve_forever, daemon=True).start()
    port = exporter.server_address[1]
    given = {"name": "metrics", "address": ADDRESS, "port": port, "user": "prometheus", "behind": "kafka"}
    config = tmp_path / "metrics.conf"
    config.write_text(metrics_proxy.config_text(given, str(pki.tls)))
    process = subprocess.Popen([STUNNEL, str(config)])
    try:
        assert until(lambda: serial(port))
        yield port, process
    finally:
        process.terminate()
        process.wait(10)
        exporter.shutdown()
        exporter.server_close()


def serial(port: int) -> str:
    return served([f"{ADDRESS}:{port}"])[0]["certificate"]


def scrape(port: int, pki: Pki, pair: Path | None, scheme: str = "https") -> str:
    context = ssl.create_default_context(cafile=str(pki.tls / "nodes.pem"))
    if pair:
        context.load_cert_chain(pair)
    with urllib.request.urlopen(f"{scheme}://{ADDRESS}:{port}/", timeout=10, context=context) as answer:  # noqa: S310
        return str(answer.read().decode())


def test_only_the_scraper_gets_in(pki: Pki, proxy: tuple[int, subprocess.Popen[bytes]], tmp_path: Path) -> None:
    port, _ = proxy
    assert scrape(port, pki, pki.user("prometheus")) == "a_metric 1\n"
    refused = {
        "nobody": None,
        "another user": pki.user("stranger"),
        "the user of another authority": Pki(tmp_path / "other").user("prometheus"),
        "a node": pki.tls / "node.pem",
    }
    for pair in refused.values():
        with pytest.raises(OSError, match=r"."):
            scrape(port, pki, pair)
    with pytest.raises(OSError, match=r"."):
        scrape(port, pki, None, "http")
    assert accepted(f"{ADDRESS}:{port}") == subjects(run, (pki.tls / "clients.pem").read_text())
