"""Faults of certificates that the operator provides. Pure: certificates in, faults out."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterator, Sequence
from typing import Any

from ansible.module_utils.kraft.control import given_constraints
from ansible.module_utils.kraft.control.given import CHAIN, DATES, ENDS, ROOT, SUBJECT, USAGE, WEAK, Fault
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Certificate = x509.Certificate
Chain = Sequence[Certificate]

SOON = datetime.timedelta(days=7)
LEAST_BITS = 2048  #: of an RSA key. Source: NIST SP 800-57, part 1
CURVES = frozenset({"secp256r1", "secp384r1", "secp521r1"})  #: that Java 17 reads
BROKEN = frozenset({"md5", "sha1"})
BOTH_SIDES = {ExtendedKeyUsageOID.SERVER_AUTH: "servers", ExtendedKeyUsageOID.CLIENT_AUTH: "clients"}
#: Keywords of Java's ``X500Principal.getName()``, by which Kafka names the owner (RFC 2253).
KEYWORDS = {
    NameOID.COMMON_NAME: "CN",
    NameOID.ORGANIZATION_NAME: "O",
    NameOID.ORGANIZATIONAL_UNIT_NAME: "OU",
    NameOID.LOCALITY_NAME: "L",
    NameOID.STATE_OR_PROVINCE_NAME: "ST",
    NameOID.COUNTRY_NAME: "C",
    NameOID.STREET_ADDRESS: "STREET",
    NameOID.DOMAIN_COMPONENT: "DC",
    NameOID.USER_ID: "UID",
}
PLAIN = frozenset(" ._-@:/()'&")  #: beside letters and digits: characters that need no escape in a name

ASK = "ask your authority for another certificate"
REMOVE = "remove it from the file, once no certificate in use was signed by it; the file has another root"
FIRST = "give the node's own certificate first, then each authority that has signed the one before"


def name(certificate: Certificate) -> str:
    return certificate.subject.rfc4514_string() or f"serial {certificate.serial_number:x}"


def is_signed(certificate: Certificate, by: Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(by)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def is_anchored(chain: Chain, roots: Chain) -> bool:
    """Check that a client that trusts `roots` trusts this chain."""
    return bool(chain) and any(chain[-1] == root or is_signed(chain[-1], root) for root in roots)


def of_chain(chain: Chain, roots: Chain, path: str, trusted: str, now: datetime.datetime) -> Iterator[Fault]:
    """Yield faults of a node's certificates. `trusted`: the file with `roots`, which are not checked here."""
    own = chain[0]
    if is_authority(own):
        yield Fault(CHAIN, f"The file begins with an authority ({name(own)})", FIRST, path)
    elif broken := _broken(chain):
        yield Fault(CHAIN, broken, FIRST, path)
    elif roots and not is_anchored(chain, roots):
        message = f"The chain is incomplete: no root in {trusted} has signed {name(chain[-1])}, the last one"
        yield Fault(CHAIN, message, f"append the authorities up to the root, or put the root into {trusted}", path)
    for authority, other in given_constraints.broken(own, (*chain[1:], *roots)):
        message = f"The certificate is not valid for {other}: name constraints of {name(authority)} exclude it"
        yield Fault(CHAIN, message, f"{ASK}, by an authority that may sign this name", path)
    for each in chain:
        yield from _dates(each, path, now)
        weak = _weak_key(each) or _weak_signature(each)
        if weak:
            yield Fault(
                WEAK, f"{name(each)} {weak}", f"{ASK}: RSA of {LEAST_BITS} bits or EC P-256, with SHA-256", path
            )
    if usage := _usage(own):
        yield Fault(USAGE, usage, f"{ASK}, for servers and clients (serverAuth, clientAuth)", path)
    if unsure := _unsure(own.subject):
        yield Fault(SUBJECT, f"The subject {unsure}: Kafka's name of the owner is unknown", ASK, path)


def of_roots(roots: Chain, path: str, now: datetime.datetime) -> Iterator[Fault]:
    for root in roots:
        if root.issuer != root.subject or not is_authority(root):
            message = f"{name(root)} is not a root: {root.issuer.rfc4514_string()} has signed it"
            remedy = "give the root alone; the authorities below it belong in the file of each node, after its own"
            yield Fault(ROOT, message if is_authority(root) else f"{name(root)} is not an authority", remedy, path)
        spare = any(one.not_valid_after_utc > now for one in roots if one is not root)
        for fault in _dates(root, path, now):
            yield dataclasses.replace(fault, remedy=REMOVE) if spare and fault.kind == DATES else fault
        if weak := _weak_key(root):
            yield Fault(WEAK, f"{name(root)} {weak}", "use another authority", path)


def of_both(nodes: Chain, clients: Chain, path: str) -> Iterator[Fault]:
    """Yield roots that nodes and clients share: the owner of a client's certificate must not pass for a node."""
    known = [node.public_key() for node in nodes]
    remedy = "use another root for clients than for nodes: nodes accept each other by a certificate of theirs"
    for client in clients:
        if client.public_key() in known:
            yield Fault(ROOT, f"{name(client)} is also a root of nodes", remedy, path)


def of_user(chain: Chain, roots: Chain, user: str, now: datetime.datetime) -> str:
    """Return why listeners would reject this chain for `user`, as a sentence. `roots`: of clients."""
    own = chain[0]
    head = own.subject.rfc4514_string().partition(",")[0]
    if head != f"CN={user}":
        return f"The file has the certificate of {head or 'an unknown owner'}"
    if not own.not_valid_before_utc <= now < own.not_valid_after_utc:
        between = f"{own.not_valid_before_utc:%Y-%m-%d %H:%M} to {own.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
        return f"The certificate is valid from {between}"
    broken = _broken(chain)
    if broken or (roots and not is_anchored(chain, roots)):
        return broken or f"The chain is incomplete: no root in clients.pem has signed {name(chain[-1])}, the last one"
    return ""


def principal(subject: x509.Name) -> str:
    """Return Kafka's name of the owner; empty if Java's form of it is unsure."""
    parts = [(KEYWORDS.get(each.oid, ""), str(each.value)) for each in reversed(list(subject))]
    return "" if _unsure(subject) else ",".join(f"{keyword}={value}" for keyword, value in parts)


def is_authority(certificate: Certificate) -> bool:
    found = _extension(certificate, x509.BasicConstraints)
    return bool(found and found.ca)


def _broken(chain: Chain) -> str:
    for one, following in zip(chain, chain[1:]):
        if not is_authority(following):
            return f"The file has {name(following)}, which is not an authority, after the node's own certificate"
        if not is_signed(one, following):
            elsewhere = any(is_signed(one, each) for each in chain if each != one)
            fault = "The chain is in the wrong order" if elsewhere else "The chain is incomplete"
            return f"{fault}: {name(one)} is followed by {name(following)}, which has not signed it"
    return ""


def _dates(one: Certificate, path: str, now: datetime.datetime) -> Iterator[Fault]:
    begin, end = one.not_valid_before_utc, one.not_valid_after_utc
    if end <= now:
        yield Fault(DATES, f"{name(one)} has expired ({end:%Y-%m-%d %H:%M} UTC)", ASK, path)
    elif begin > now:
        message = f"{name(one)} is not valid before {begin:%Y-%m-%d %H:%M} UTC"
        yield Fault(DATES, message, f"wait until then, check the clock of this machine, or {ASK}", path)
    elif end - now < SOON:
        message = f"{name(one)} expires within a week ({end:%Y-%m-%d %H:%M} UTC)"
        yield Fault(ENDS, message, ASK, path)


def _weak_key(one: Certificate) -> str:
    key = one.public_key()
    if isinstance(key, rsa.RSAPublicKey):
        return f"has an RSA key of {key.key_size} bits, which can be broken" if key.key_size < LEAST_BITS else ""
    if isinstance(key, ec.EllipticCurvePublicKey):
        return "" if key.curve.name in CURVES else f"has a key on the curve {key.curve.name}, which Java cannot read"
    return f"has a key of the kind {type(key).__name__.removesuffix('PublicKey')}, which Kafka cannot read"


def _weak_signature(one: Certificate) -> str:
    try:
        found = one.signature_hash_algorithm
    except UnsupportedAlgorithm:
        return "is signed by an unknown algorithm"
    return f"is signed with {found.name.upper()}, which can be forged" if found and found.name in BROKEN else ""


def _usage(own: Certificate) -> str:
    """Check the usage. Java and OpenSSL accept a certificate without a usage for any."""
    extended, key_usage = _extension(own, x509.ExtendedKeyUsage), _extension(own, x509.KeyUsage)
    lacking = [side for oid, side in BOTH_SIDES.items() if extended is not None and oid not in extended]
    if lacking:
        return f"The certificate is not for {' and '.join(lacking)}: nodes are servers and clients of each other"
    if key_usage is not None and not key_usage.digital_signature:
        return "The certificate may not sign (keyUsage lacks digitalSignature), but each TLS handshake does"
    return ""


def _unsure(subject: x509.Name) -> str:
    """Return why Java's form of a name is unsure, as a clause."""
    every = list(subject)
    if not every:
        return "is empty"
    if len(every) != len(subject.rdns):
        return "has parts that are joined by +"
    for each in every:
        if each.oid not in KEYWORDS:
            return f"has {each.oid._name} ({each.oid.dotted_string})"
        text = str(each.value)
        if text != text.strip() or any(not letter.isalnum() and letter not in PLAIN for letter in text):
            return f"has the part {text!r}"
    return ""


def _extension(certificate: Certificate, kind: Any) -> Any:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None
