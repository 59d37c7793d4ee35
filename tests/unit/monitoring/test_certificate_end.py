"""Begin and end of a certificate, as the collector reads them without a trusted authority."""

from __future__ import annotations

import datetime

import pytest
from ansible.module_utils.kraft.monitoring import collector
from ansible.module_utils.kraft.monitoring.collector import of_certificate, validity
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

BEGIN = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    "end", ["2026-12-24T18:30:05", "2049-12-31T23:59:59", "2050-01-01T00:00:00", "2090-06-01T12:00:00"]
)
def test_begin_and_end_of_a_certificate_are_read(end: str) -> None:
    moment = datetime.datetime.fromisoformat(f"{end}+00:00")
    assert validity(made(moment).public_bytes(serialization.Encoding.DER)) == (BEGIN.timestamp(), moment.timestamp())


def made(moment: datetime.datetime) -> x509.Certificate:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "k1")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    return builder.serial_number(1).not_valid_before(BEGIN).not_valid_after(moment).sign(key, hashes.SHA256())


def pem(days: int) -> str:
    return made(BEGIN + datetime.timedelta(days=days)).public_bytes(serialization.Encoding.PEM).decode()


def test_what_is_no_certificate_has_ended() -> None:
    assert validity(b"nothing") == (0, 0)


def test_of_a_broker_and_its_proxies_the_certificate_counts_that_ends_first(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {"k1:19092": pem(9), "10.0.0.1:9404": pem(3), "10.0.0.1:9100": pem(6), "10.0.0.1:1": ""}
    monkeypatch.setattr(collector, "served", lambda asked: [{"certificate": shown[each]} for each in asked])
    proxies = [each for each in shown if each != "k1:19092"]
    plain = {"bootstrap_servers": ["k1:19092", "k2:19092"]}
    secured = {**plain, "security_protocol": "SSL"}
    for client, beside, days in ((secured, (), 9), (secured, proxies, 3), (plain, proxies[1:], 6)):
        found = {each.name: each.value for each in collector.of_certificate(client, beside)}
        assert found["kafka_certificate_end_seconds"] - found["kafka_certificate_begin_seconds"] == days * 86400
    assert list(collector.of_certificate(plain, ["10.0.0.1:1"])) == []


def test_a_broker_without_tls_shows_none() -> None:
    assert list(of_certificate({"bootstrap_servers": ["10.0.0.1:19092"]})) == []
