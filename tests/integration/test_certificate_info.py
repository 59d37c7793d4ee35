"""kafka_certificate_info in a real run, against a listener with TLS: what openssl reads of the same certificate."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.integration.certificates import certify

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[str]:
    """Require a certificate of every client, as listeners between nodes do."""
    certify(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "node.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def accept() -> None:
            with suppress(OSError):
                context.wrap_socket(plain.accept()[0], server_side=True).close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"127.0.0.1:{plain.getsockname()[1]}"
        thread.join(5)


def asked(directory: Path, *addresses: str) -> dict[str, Any]:
    """Return the module's result in a run of Ansible, in check mode: it only reads."""
    task = {"kafka_certificate_info": {"addresses": list(addresses)}}
    (directory / "play.json").write_text(
        json.dumps([{"hosts": "localhost", "gather_facts": False, "check_mode": True, "tasks": [task]}])
    )
    command = [str(Path(sys.executable).with_name("ansible-playbook")), "-i", "localhost,", "play.json"]
    settings = {"ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json", "ANSIBLE_CALLBACKS_ENABLED": "ansible.posix.json"}
    done = subprocess.run(
        [*command, "-c", "local", "-e", f"ansible_python_interpreter={sys.executable}"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **settings, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["plays"][0]["tasks"][0]["hosts"]["localhost"]
    return found


def test_what_a_listener_shows_is_what_openssl_reads(listener: str, tmp_path: Path) -> None:
    found = asked(tmp_path, listener, "127.0.0.1:1")
    assert found["changed"] is False
    shown, away = found["certificates"]
    assert (away["address"], away["certificate"], bool(away["error"])) == ("127.0.0.1:1", "", True)
    assert shown["certificate"] == (tmp_path / "ca.pem").read_text()
    assert (shown["address"], shown["error"], shown["names"], shown["days_left"]) == (listener, "", ["127.0.0.1"], 1)
    asked_of = ["-serial", "-subject", "-issuer", "-enddate", "-dateopt", "iso_8601", "-nameopt", "RFC2253"]
    command = ["openssl", "x509", "-in", str(tmp_path / "ca.pem"), "-noout", *asked_of]
    read = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert read == [
        f"serial={shown['serial']}",
        f"subject={shown['subject']}",
        f"issuer={shown['issuer']}",
        f"notAfter={shown['not_after'].replace('T', ' ')}",
    ]
