"""Certificates for brokers of tests."""

from __future__ import annotations

import subprocess
from pathlib import Path


def certify(directory: Path) -> None:
    """Make a key and a self-signed certificate for 127.0.0.1: ``key.pem``, ``ca.pem``, and both in ``node.pem``."""
    names = ["-subj", "/CN=node", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(directory / "key.pem"), "-out", str(directory / "ca.pem")]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    subprocess.run(made, check=True, capture_output=True)
    (directory / "node.pem").write_text((directory / "key.pem").read_text() + (directory / "ca.pem").read_text())
