"""Decision whether a node needs another certificate, with reasons. Pure."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.control.authority import names_of
from ansible.module_utils.kraft.node.certificate import NEAR_END_DAYS, NODES, trusted
from cryptography import x509
from cryptography.exceptions import InvalidSignature

TRUST, UNLOADED = "trusts other authorities", "has not loaded its certificate yet"


@dataclasses.dataclass(frozen=True)
class Verdict:
    """``reasons``: what is wrong, in words. ``live``: a running node can load what it gets, so it need not restart."""

    reasons: list[str]
    live: bool = False


@dataclasses.dataclass(frozen=True)
class Desired:
    """``trust``: root -> certificates as PEM, the one that signs first; empty while authorities are still to be made.

    ``root`` signs. ``renew``: one that is right is replaced as well.
    """

    subject: x509.Name
    names: Sequence[str]
    renew_before_days: int
    trust: Mapping[str, str]
    root: str = NODES
    renew: bool = False


@dataclasses.dataclass(frozen=True)
class Current:
    """State of the host. ``certificate``: PEM, or empty; ``key_fits``: it belongs to the private key beside it."""

    certificate: str = ""
    key_fits: bool = False
    trust: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_facts(cls, found: Mapping[str, Any]) -> Current:
        return cls(found.get("certificate") or "", bool(found.get("key_fits")), found.get("trust") or {})


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a certificate is issued. ``ages``: it is right for a while yet, so the process that shows it goes on."""

    text: str
    ages: bool = False

    def __str__(self) -> str:
        return self.text


def reasons(desired: Desired, current: Current, now: datetime.datetime) -> list[Reason]:
    """Return why a new certificate is issued; none if the present one will do."""
    if not current.certificate:
        return [Reason("has no certificate")]
    try:
        certificate = x509.load_pem_x509_certificate(current.certificate.encode())
    except ValueError:
        return [Reason("has a certificate that cannot be read")]
    return list(_faults(desired, current, certificate, now))


def _faults(
    desired: Desired, current: Current, certificate: x509.Certificate, now: datetime.datetime
) -> Iterator[Reason]:
    left = (certificate.not_valid_after_utc - now).days
    if not current.key_fits:
        yield Reason("has a certificate that does not belong to its key")
    if not is_signed(certificate, desired.trust.get(desired.root, "")):
        yield Reason("has a certificate of another authority")
    if certificate.subject != desired.subject:
        yield Reason(f"has the certificate of {certificate.subject.rfc4514_string()}")
    lacking = [name for name in desired.names if name not in names_of(certificate)]
    if lacking:
        yield Reason(f"has a certificate without {', '.join(lacking)}")
    if left < desired.renew_before_days:
        text = f"has a certificate that expires in {left} days" if left >= 0 else "has a certificate that has expired"
        yield Reason(text, ages=left >= NEAR_END_DAYS)
    elif desired.renew:
        yield Reason("gets another certificate, as all nodes", ages=left >= NEAR_END_DAYS)


def is_signed(certificate: x509.Certificate, authority: str) -> bool:
    """Check the signature. `authority`: PEM; its first certificate counts."""
    try:
        certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.encode()))
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def trust_differs(desired: Desired, current: Current) -> frozenset[str]:
    """Return the roots whose authorities must be installed on the host."""
    return roots_differ(desired.trust, current.trust)


def roots_differ(one: Mapping[str, str], other: Mapping[str, str]) -> frozenset[str]:
    """Return the roots whose certificates differ between `one` and `other`, each root -> PEM."""
    wanted, found = ({root: trusted(text) for root, text in each.items()} for each in (one, other))
    return frozenset(root for root in {**wanted, **found} if wanted.get(root) != found.get(root))
