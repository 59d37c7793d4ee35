"""When a certificate begins and ends, as the collector reads it without trusting anybody."""

from __future__ import annotations

import datetime

import pytest
from ansible.module_utils.kraft.monitoring.collector import of_certificate, validity
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@pytest.mark.parametrize(
    "end", ["2026-12-24T18:30:05", "2049-12-31T23:59:59", "2050-01-01T00:00:00", "2090-06-01T12:00:00"]
)
def test_begin_and_end_of_a_certificate_are_read(end: str) -> None:
    moment = datetime.datetime.fromisoformat(f"{end}+00:00")
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "k1")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    begin = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    made = builder.serial_number(1).not_valid_before(begin).not_valid_after(moment).sign(key, hashes.SHA256())
    assert validity(made.public_bytes(serialization.Encoding.DER)) == (begin.timestamp(), moment.timestamp())


def test_what_is_no_certificate_has_ended() -> None:
    assert validity(b"nothing") == (0, 0)


def test_a_broker_without_tls_shows_none() -> None:
    assert list(of_certificate({"bootstrap_servers": ["10.0.0.1:19092"]})) == []
