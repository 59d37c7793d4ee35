"""A node's certificate that the operator provides, compared with the one on its host."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import given_certificates
from ansible.module_utils.kraft.control.given_faults import is_anchored, principal
from ansible.module_utils.kraft.node.certificate import NEAR_END_DAYS, NODES, ROOTS
from ansible.module_utils.kraft.operations.certificates.renewal import TRUST, UNLOADED, Verdict, roots_differ
from cryptography import x509
from cryptography.hazmat.primitives import serialization

Certificates = tuple[x509.Certificate, ...]


def judge(asked: Mapping[str, Any], found: Mapping[str, Any]) -> Verdict:
    """Decide. `asked`: ``node`` and ``authority``, the directory of provided files; `found`: the files of the host.

    The operator decides which certificate is right, so any other is replaced. A running node loads
    it if Kafka takes it live: the same owner, no name less. Its Raft client goes on with the one before, which must
    be good for a while, and with the roots of before.
    """
    brought, here = _brought(asked), read(found.get("chain") or "")
    wanted, trust = given_certificates.trust(Path(asked["authority"])), found.get("trust") or {}
    # Roots of clients that are no longer provided stay on the host, where no listener reads them.
    differs = roots_differ(wanted, {root: text for root, text in trust.items() if root in wanted})
    loadable = NODES not in differs
    if not here:
        return Verdict(["has no certificate"])
    if here != brought or not found.get("key_fits"):
        other = "has another certificate than the provided one"
        reason = other if here != brought else "has a certificate that does not belong to its key"
        return Verdict([reason], live=loadable and bool(found.get("key_fits")) and _can_follow(here[0], brought[0]))
    if differs:
        return Verdict([TRUST], live=loadable)
    return Verdict([UNLOADED], live=True) if found.get("unloaded") else Verdict([])


def is_foreign(asked: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Check whether nodes would refuse each other while they restart one by one.

    Those that have not restarted trust the roots of now and show the certificate of now, the others the new ones. So
    each must be trusted by the roots of the other. The trust of a process that has not read its roots yet is unknown.
    """
    theirs = read((found.get("trust") or {}).get(NODES) or "")
    ours = read(given_certificates.trust(Path(asked["authority"])).get(NODES, ""))
    here, brought = read(found.get("chain") or ""), _brought(asked)
    if not theirs or not here:
        return False
    unread = NODES not in (found.get("process") or {}).get("trust", ROOTS)
    return not is_anchored(brought, theirs) or not is_anchored(here, ours) or (unread and here != brought)


def owners(asked: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return the node's principals: by the certificate on its host, and by the provided one."""
    here = read(found.get("chain") or "")
    return [principal(each[0].subject) for each in (here or _brought(asked), _brought(asked))]


def key_fault(asked: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return why the key on the host cannot be used, as a sentence; empty if it can, and if there is none."""
    key = found.get("host_key")
    if not key or key["fault"]:
        return str(key["fault"]) if key else ""
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    fits = _brought(asked)[0].public_key().public_bytes(*form).decode().split() == key["public"].split()
    return "" if fits else "The key does not belong to the provided certificate"


def _brought(asked: Mapping[str, Any]) -> Certificates:
    return given_certificates.chain_of(Path(asked["authority"]), asked["node"]["host"])


def read(text: str) -> Certificates:
    """Parse the certificates of a PEM text; none if it holds none, or is unreadable."""
    try:
        return tuple(x509.load_pem_x509_certificates(text.encode()))
    except ValueError:
        return ()


def _can_follow(old: x509.Certificate, new: x509.Certificate) -> bool:
    """Check Kafka's rule. Source: Kafka 4.3.1, SslFactory's CertificateEntries.ensureCompatible."""
    left = old.not_valid_after_utc - datetime.datetime.now(datetime.timezone.utc)
    return old.subject == new.subject and _names(old) <= _names(new) and left.days >= NEAR_END_DAYS


def _names(certificate: x509.Certificate) -> frozenset[x509.GeneralName]:
    """Return the certificate's alternative names, of every kind."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    return frozenset(found)
