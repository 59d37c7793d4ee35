"""Executors elsewhere get the texts of PEM files; a master on this machine gets the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark_jobs import kafka_io
from spark_jobs.errors import UsageError

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
KEY = "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"


class Session:
    """As much of a session as the options depend on."""

    def __init__(self, master: str) -> None:
        self.sparkContext = self
        self.master = master


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "ca.pem").write_text(CERTIFICATE + "\n")
    (tmp_path / "own.pem").write_text(f"{KEY}\n{CERTIFICATE}\n{CERTIFICATE}\n")
    return {
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": str(tmp_path / "ca.pem"),
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.keystore.location": str(tmp_path / "own.pem"),
    }


def options(master: str, client_options: dict[str, str]) -> dict[str, str]:
    session: Any = Session(master)
    return kafka_io.connection(session, "k1:9093", client_options)


@pytest.mark.parametrize("master", ["yarn", "spark://m:7077", "k8s://https://m:6443", "local-cluster[2,1,512]"])
def test_executors_elsewhere_get_texts_and_no_file(master: str, files: dict[str, str]) -> None:
    found = options(master, files)
    assert [name for name in found if name.endswith(".location")] == []
    assert found["kafka.ssl.truststore.certificates"].strip() == CERTIFICATE
    assert found["kafka.ssl.keystore.key"] == KEY
    assert found["kafka.ssl.keystore.certificate.chain"] == f"{CERTIFICATE}\n{CERTIFICATE}"
    assert found["kafka.ssl.keystore.type"] == "PEM"


def test_a_master_on_this_machine_gets_the_files(files: dict[str, str]) -> None:
    found = options("local[*]", files)
    assert found["kafka.ssl.truststore.location"] == files["kafka.ssl.truststore.location"]
    assert "kafka.ssl.keystore.key" not in found


def test_a_keystore_in_another_form_stays_a_file(files: dict[str, str]) -> None:
    given = {**files, "kafka.ssl.keystore.type": "PKCS12", "kafka.ssl.keystore.location": "/etc/own.p12"}
    assert options("yarn", given)["kafka.ssl.keystore.location"] == "/etc/own.p12"


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), (CERTIFICATE, "has no PKCS#8 key")])
def test_a_file_without_a_key_is_named(files: dict[str, str], content: str | None, said: str) -> None:
    path = Path(files["kafka.ssl.keystore.location"])
    path.unlink()
    if content:
        path.write_text(content)
    with pytest.raises(UsageError, match=f"{path}: {said}"):
        options("yarn", files)
