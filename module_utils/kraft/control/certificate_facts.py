"""Facts of a certificate, in plain values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.control.authority import names_of
from cryptography import x509

MOMENT = "%Y-%m-%dT%H:%M:%SZ"


def with_facts(shown: Iterable[Mapping[str, str]], asked_at: float) -> list[dict[str, Any]]:
    """Add the facts of the certificate to each of `shown` (``address``, ``certificate`` as PEM, ``error``)."""
    now = datetime.datetime.fromtimestamp(asked_at, datetime.timezone.utc)
    return [_read(one, now) for one in shown]


def _read(one: Mapping[str, str], now: datetime.datetime) -> dict[str, Any]:
    if one["error"]:
        return dict(one)
    try:
        found = x509.load_pem_x509_certificate(one["certificate"].encode())
    except ValueError as error:
        return {**one, "certificate": "", "error": f"its certificate cannot be read: {error}"}
    return {**one, **facts(found, now)}


def facts(found: x509.Certificate, now: datetime.datetime) -> dict[str, Any]:
    """Return the facts; ``serial`` as openssl prints it; ``days_left`` is negative after the expiry."""
    digits = f"{found.serial_number:X}"
    return {
        "subject": found.subject.rfc4514_string(),
        "issuer": found.issuer.rfc4514_string(),
        "serial": digits.zfill(len(digits) + len(digits) % 2),
        "names": sorted(names_of(found)),
        "not_before": found.not_valid_before_utc.strftime(MOMENT),
        "not_after": found.not_valid_after_utc.strftime(MOMENT),
        "days_left": (found.not_valid_after_utc - now).days,
    }
