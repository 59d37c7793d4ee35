"""Two small certificate authorities on the control machine: one for nodes, one for clients.

A directory holds ``<root>.pem``, the trusted certificates, and ``<root>.key``, the key, encrypted with the passphrase.
The first certificate signs; a second one is there while the authority is replaced (``change.py`` of
``operations/certificates``). A certificate of the authority for clients never makes its owner a node: nodes trust the
other authority alone.
The content of a certificate comes from the inventory: only the public key is taken from a request.
"""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
import os
from collections.abc import Iterable
from pathlib import Path

from ansible.module_utils.kraft.control import sealed_key
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES, ROOTS
from ansible.module_utils.kraft.node.files import apply as file_io
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NEXT = ".next"  #: in the names of the files of a successor authority
YEARS = 10  #: lifetime of an authority's own certificate
BACKDATED = datetime.timedelta(hours=1)  #: hosts whose clock is behind accept a new certificate, too
BOTH_SIDES = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]


@dataclasses.dataclass(frozen=True)
class Node:
    """Owner of a certificate, ``CN=<host>,OU=nodes,O=<cluster>`` for Kafka; ``names``: DNS names and addresses."""

    host: str
    cluster: str
    names: tuple[str, ...]

    @property
    def subject(self) -> x509.Name:
        return name_of(self.cluster, NODES, self.host)


@dataclasses.dataclass(frozen=True)
class User:
    """Owner of a certificate, ``CN=<name>,OU=clients,O=<cluster>`` for Kafka."""

    name: str
    cluster: str

    @property
    def subject(self) -> x509.Name:
        return name_of(self.cluster, CLIENTS, self.name)


@dataclasses.dataclass(frozen=True)
class Place:
    """Directory of the authorities, and the passphrase of their keys."""

    directory: Path
    passphrase: str = dataclasses.field(repr=False)


def certificates(directory: Path) -> dict[str, str]:
    """Return root -> trusted certificates as PEM, the signing one first; of existing roots. Needs no passphrase."""
    found = {root: directory / f"{root}.pem" for root in ROOTS}
    return {root: path.read_text() for root, path in found.items() if path.is_file()}


def fault(place: Place) -> str:
    """Return why an existing authority cannot be used; empty if it can, and if there is none yet."""
    begun = [root for root in ROOTS if any(_exists(place, root, kind) for kind in ("key", "pem"))]
    for root in begun:
        try:
            if root == begun[-1] and not _exists(place, root, "pem"):
                _key_before(place, root)  # a killed run has left it: `ensure` continues with it
            elif _open(place, root)[0].not_valid_after_utc < _now():
                return f"{place.directory / root}.pem has expired"
        except RefusedError as error:
            return str(error)
    return ""


def _exists(place: Place, root: str, kind: str) -> bool:
    return (place.directory / f"{root}.{kind}").exists()


def days_left(directory: Path) -> int | None:
    """Return the whole days for which every authority is valid; None without one, or if `fault` reports one."""
    try:
        found = [x509.load_pem_x509_certificate(text.encode()) for text in certificates(directory).values()]
    except (OSError, ValueError):
        return None
    return min(((each.not_valid_after_utc - _now()).days for each in found), default=None)


def ensure(place: Place, cluster: str) -> None:
    """Make the missing roots. Hosts of one run may call this at once: one of them makes them."""
    place.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file_io.locked(str(place.directory)):
        for root in ROOTS:
            if not (place.directory / f"{root}.pem").is_file():
                make(place, root, name_of(cluster, "authorities", f"{cluster} {root}"))
        for stem in (each + kind for each in ROOTS for kind in ("", NEXT)):
            _seal_again(place, stem)


def _seal_again(place: Place, stem: str) -> None:
    """Seal a key again that an earlier version has sealed with fewer rounds."""
    path = place.directory / f"{stem}.key"
    if path.is_file() and sealed_key.rounds_of(path.read_bytes()) < sealed_key.ROUNDS:
        key = _key_before(place, stem)
        if key:
            write(path, sealed_key.sealed(key, place.passphrase), 0o600)


def issue(place: Place, request: str, node: Node, days: int) -> str:
    """Issue a node's certificate for the key of `request` (PEM), for servers and clients.

    Raises RefusedError if the passphrase does not open the authority's key, or its own key has not signed the request.
    """
    asked = x509.load_pem_x509_csr(request.encode())
    if not asked.is_signature_valid:
        raise RefusedError([f"{node.host}: the request for a certificate is not signed with its own key"])
    names = x509.SubjectAlternativeName([_general(name) for name in node.names])
    extensions = [names, x509.ExtendedKeyUsage(BOTH_SIDES)]
    return _signed(place, NODES, _leaf(node.subject, asked.public_key(), extensions), days)


def issue_to_user(place: Place, user: User, days: int) -> str:
    """Return a new private key and its certificate, for clients alone, as one PEM text."""
    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])]
    issued = _signed(place, CLIENTS, _leaf(user.subject, key.public_key(), extensions), days)
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form).decode() + issued


def _leaf(
    subject: x509.Name, key: CertificatePublicKeyTypes, extensions: Iterable[x509.ExtensionType]
) -> x509.CertificateBuilder:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )
    for each in extensions:
        builder = builder.add_extension(each, critical=False)
    return builder


def _usage(**used: bool) -> x509.KeyUsage:
    """Return the key usage with only `used` set."""
    others = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement")
    more = ("key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{**dict.fromkeys((*others, *more), False), **used})


def _signed(place: Place, root: str, builder: x509.CertificateBuilder, days: int) -> str:
    authority, key = _open(place, root)
    begin = _now() - BACKDATED
    end = min(begin + BACKDATED + datetime.timedelta(days=days), authority.not_valid_after_utc)
    whole = (
        builder.issuer_name(authority.subject)
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    )
    return _pem(whole.sign(key, hashes.SHA256()))


def names_of(certificate: x509.Certificate) -> set[str]:
    """Return the DNS names and addresses of a certificate."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    addresses = map(str, found.get_values_for_type(x509.IPAddress))
    return {*found.get_values_for_type(x509.DNSName), *addresses}


def make(place: Place, stem: str, name: x509.Name) -> None:
    """Make an authority in ``<stem>.key`` and ``<stem>.pem``, the key first. A killed run may have left one alone."""
    key, begin = _key_before(place, stem) or ec.generate_private_key(ec.SECP256R1()), _now() - BACKDATED
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=365 * YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(digital_signature=True, key_cert_sign=True, crl_sign=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    write(place.directory / f"{stem}.key", sealed_key.sealed(key, place.passphrase), 0o600)
    write(place.directory / f"{stem}.pem", _pem(builder.sign(key, hashes.SHA256())).encode(), 0o644)


def _key_before(place: Place, stem: str) -> ec.EllipticCurvePrivateKey | None:
    """Return an existing key; None without one. Raises RefusedError if it cannot be used."""
    path = place.directory / f"{stem}.key"
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), place.passphrase.encode())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusedError([f"{error.filename} cannot be read ({error.strerror})"]) from error
    except (ValueError, TypeError) as error:
        raise RefusedError([f"{path} cannot be opened with kafka_tls.passphrase"]) from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise RefusedError([f"{path} is no key of an authority that was made here"])
    return key


def _open(place: Place, root: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Return the signing certificate and its key; while the authority is replaced, one of two keys."""
    path = place.directory / f"{root}.key"
    following = place.directory / f"{root}{NEXT}.key"
    try:
        certificate = x509.load_pem_x509_certificate(path.with_suffix(".pem").read_bytes())
        for one in (path, following) if following.is_file() else (path,):
            key = serialization.load_pem_private_key(one.read_bytes(), place.passphrase.encode())
            if isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == certificate.public_key():
                return certificate, key
    except OSError as error:
        raise RefusedError([f"{error.filename} cannot be read ({error.strerror})"]) from error
    except (ValueError, TypeError) as error:
        raise RefusedError([f"{path} cannot be opened with kafka_tls.passphrase"]) from error
    raise RefusedError([f"{path} and {root}.pem do not belong together"])


def name_of(organization: str, unit: str, common: str) -> x509.Name:
    parts = ((NameOID.ORGANIZATION_NAME, organization), (NameOID.ORGANIZATIONAL_UNIT_NAME, unit))
    return x509.Name([x509.NameAttribute(kind, text) for kind, text in (*parts, (NameOID.COMMON_NAME, common))])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def write(path: Path, content: bytes, mode: int) -> None:
    file_io.write_file(str(path), content, os.geteuid(), os.getegid(), mode)
