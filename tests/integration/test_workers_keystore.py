"""The keystore that Java reads: its own tool lists and converts it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.java_keystore import PASSWORD, keystore


def openssl(*arguments: str, stdin: str | None = None) -> str:
    return subprocess.run(["openssl", *arguments], input=stdin, capture_output=True, text=True, check=True).stdout


@pytest.fixture(params=["rsa", "ec"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A key and its certificate."""
    kind = {"rsa": ["rsa:2048"], "ec": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]}[request.param]
    line = ["req", "-x509", "-newkey", *kind, "-nodes", "-subj", "/CN=node"]
    openssl(*line, "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "own.pem"))
    return (tmp_path / "key.pem").read_text(), (tmp_path / "own.pem").read_text()


def test_java_reads_the_key_and_every_certificate(pair: tuple[str, str], tmp_path: Path) -> None:
    key, own = pair
    (tmp_path / "made.jks").write_bytes(keystore(key + own, own * 2))
    source = ["-srckeystore", str(tmp_path / "made.jks"), "-srcstorepass", PASSWORD]
    target = [
        "-destkeystore",
        str(tmp_path / "made.p12"),
        "-deststoretype",
        "PKCS12",
        "-deststorepass",
        "for-this-test",
    ]
    done = subprocess.run(
        ["keytool", "-importkeystore", "-noprompt", *source, *target], capture_output=True, check=True
    )
    assert all(name in done.stderr.decode() for name in ("node", "authority0", "authority1"))
    read = openssl("pkcs12", "-in", str(tmp_path / "made.p12"), "-passin", "pass:for-this-test", "-nodes", "-nocerts")
    assert openssl("pkey", stdin=read) == key
