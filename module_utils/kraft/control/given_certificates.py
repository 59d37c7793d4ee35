"""Certificates that the operator provides (``kafka_tls.authority: given``): their files on the control machine.

A directory holds ``nodes.pem`` and ``clients.pem``, the trusted roots; ``nodes/<host>.pem``, a node's certificate with
the authorities between it and the root; ``nodes/<host>.key``, its private key; and ``users/<name>.pem``, key and
certificate of a user. Nothing is written here.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.kraft.control import given_faults
from ansible.module_utils.kraft.control.authority import names_of
from ansible.module_utils.kraft.control.given import FILE, GIVEN, KEY, Fault, Given
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES, ROOTS
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization

VAULT = "$ANSIBLE_VAULT"
PRIVATE = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
PKCS8 = re.compile(r"-----BEGIN PRIVATE KEY-----")
ENCRYPTED = re.compile(r"BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED", re.MULTILINE)
PEM = serialization.Encoding.PEM
PUT = {
    NODES: "put the roots there of the nodes' certificates",
    CLIENTS: "put the roots there of the clients' certificates",
}
PUT_CHAIN = "put the node's certificate there, then the authorities between it and the root"
PUT_KEY = "put the node's private key there, as PEM"
OPEN = "give what it was encrypted with as kafka_tls.passphrase, from a vault"
Certificates = tuple[x509.Certificate, ...]


@dataclasses.dataclass(frozen=True)
class Source:
    """Place of a node's files, and means to open its key: a passphrase, and the vaults of the run's `loader`.

    ``host_key``: path of the key on the host, in place of this machine.
    """

    directory: Path
    host: str
    passphrase: str = dataclasses.field(default="", repr=False)
    loader: Any = None
    host_key: str = ""

    @property
    def chain(self) -> Path:
        return self.directory / NODES / f"{self.host}.pem"

    @property
    def key(self) -> Path:
        return self.directory / NODES / f"{self.host}.key"


def is_given(values: Mapping[str, Any]) -> bool:
    """Check that the operator provides certificates, by the inventory; `values`: a host's variables."""
    tls = values.get("kafka_tls")
    return isinstance(tls, Mapping) and tls.get("authority") == GIVEN and isinstance(tls.get("directory"), str)


def read(host: str, values: Mapping[str, Any], loader: Any) -> Given | None:
    """Return the certificates of `host`; None if none are provided. `loader`: of the run, which opens vaults."""
    if not is_given(values):
        return None
    now, directory = datetime.datetime.now(datetime.timezone.utc), Path(values["kafka_tls"]["directory"])
    secret, host_key = (str(values["kafka_tls"].get(part) or "") for part in ("passphrase", "key_on_host"))
    source = Source(directory, host, secret, loader, host_key)
    roots = {root: _certificates(directory / f"{root}.pem") for root in ROOTS}
    chain = _certificates(source.chain)
    return Given(
        is_read=isinstance(chain, tuple),
        principal=given_faults.principal(chain[0].subject) if isinstance(chain, tuple) else "",
        names=frozenset(each.lower() for each in names_of(chain[0])) if isinstance(chain, tuple) else frozenset(),
        faults=tuple(_of_node(source, chain, roots[NODES], now)),
        shared=tuple(_of_all(directory, roots, now)),
        clients=(directory / f"{CLIENTS}.pem").is_file(),
        users={
            path.stem: _of_user(path, roots[CLIENTS], now) if path.stem == values.get("kafka_client_user") else ""
            for path in directory.glob("users/*.pem")
        },
    )


def _of_all(directory: Path, roots: Mapping[str, Certificates | str], now: datetime.datetime) -> Iterator[Fault]:
    for root, found in roots.items():
        path = directory / f"{root}.pem"
        if isinstance(found, str):
            if root == NODES or path.exists():  # there may be none of clients
                yield Fault(FILE, found, PUT[root], str(path))
        else:
            yield from _open_key(path)
            yield from given_faults.of_roots(found, str(path), now)
    for user in sorted(directory.glob("users/*.pem")):
        if user.is_file() and user.stat().st_mode & 0o077:
            yield Fault(KEY, "Others can read the file, which has the key of a user", "chmod 600 it", str(user))
    nodes, clients = roots[NODES], roots[CLIENTS]
    if isinstance(nodes, tuple) and isinstance(clients, tuple):
        yield from given_faults.of_both(nodes, clients, str(directory / f"{CLIENTS}.pem"))


def _open_key(path: Path) -> Iterator[Fault]:
    """A private key among certificates, in a file that hosts and clients get."""
    if "PRIVATE KEY-----" in path.read_text(encoding="utf-8", errors="replace"):
        message = "The file contains a private key, and all hosts and clients get this file"
        yield Fault(KEY, message, "remove the key from the file; it may be known, so replace it", str(path))


def _readable_key(path: Path) -> Iterator[Fault]:
    """A private key among a node's certificates. Hosts get the certificates alone, but others here can read the key."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if PRIVATE.search(text) and not ENCRYPTED.search(text) and path.stat().st_mode & 0o077:
        message = "The file contains a private key, and others can read it"
        yield Fault(KEY, message, "remove the key from the file; it may be known, so replace it", str(path))


def _of_user(path: Path, roots: Certificates | str, now: datetime.datetime) -> str:
    """Return why our own client could not connect with a user's file, as a sentence; empty if it can. Java reads it."""
    found = _certificates(path)
    if isinstance(found, str):
        return found
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        key = _opened(text, "")
    except _UnusableKeyError as error:
        return "The key is encrypted, and Kraftwright cannot open it" if ENCRYPTED.search(text) else str(error)
    if not PKCS8.search(text):
        return "The key is not PKCS#8: Java cannot read it"
    if key.public_key() != found[0].public_key():
        return "The key does not belong to the first certificate"
    return given_faults.of_user(found, roots if isinstance(roots, tuple) else (), path.stem, now)


def _of_node(
    source: Source, chain: Certificates | str, roots: Certificates | str, now: datetime.datetime
) -> Iterator[Fault]:
    path, trusted, key = str(source.chain), str(source.directory / f"{NODES}.pem"), source.key
    if isinstance(chain, str):
        yield Fault(FILE, chain, PUT_CHAIN, path)
    else:
        yield from _readable_key(source.chain)
        yield from given_faults.of_chain(chain, roots if isinstance(roots, tuple) else (), path, trusted, now)
    if source.host_key:  # checked on the host
        return
    try:
        text = _text(source)
        found = _opened(text, source.passphrase)
    except _UnusableKeyError as error:
        yield Fault(KEY, str(error), error.remedy, str(key))
        return
    if isinstance(chain, tuple) and found.public_key() != chain[0].public_key():
        yield Fault(KEY, f"The key does not belong to the certificate in {path}", PUT_KEY, str(key))
    if key.stat().st_mode & 0o077 and not ENCRYPTED.search(text) and not key.read_text().startswith(VAULT):
        yield Fault(KEY, "Others can read the key", "chmod 600 it, or encrypt it with ansible-vault", str(key))


class _UnusableKeyError(Exception):
    def __init__(self, message: str, remedy: str = PUT_KEY) -> None:
        super().__init__(message)
        self.remedy = remedy


def _certificates(path: Path) -> Certificates | str:
    """Return the certificates of a file; a sentence if there are none."""
    try:
        found = tuple(x509.load_pem_x509_certificates(path.read_bytes()))
        for each in found:
            each.public_key()
    except UnsupportedAlgorithm:
        return "A certificate has a kind of key that neither Java nor this machine can read"
    except OSError as error:
        return f"The file cannot be read: {error.strerror}"
    except ValueError:
        return "The file has no certificate that can be read as PEM"
    return next(filter(None, map(_unreadable, found)), found)


def _unreadable(certificate: x509.Certificate) -> str:
    """Return why a certificate cannot be evaluated, as a sentence; empty if it can."""
    try:
        certificate.extensions  # noqa: B018 - they are read here, and a name in Latin-1 is an error
    except (ValueError, x509.DuplicateExtension) as error:
        return f"A certificate has an extension that cannot be read ({error})"
    return ""


def _text(source: Source) -> str:
    """Return a key as PEM; Ansible Vault decrypts one that it has encrypted. Raises _UnusableKeyError."""
    try:
        source.key.stat()
        return str(source.loader.get_text_file_contents(str(source.key)))
    except OSError as error:
        raise _UnusableKeyError(f"The file cannot be read: {error.strerror}") from error
    except AnsibleError as error:
        remedy = "give the vault's password (--vault-password-file), or put another file there"
        raise _UnusableKeyError("Ansible Vault cannot open the file, or it is not text", remedy) from error


def _opened(text: str, passphrase: str) -> Any:
    found = PRIVATE.search(text)
    if not found:
        raise _UnusableKeyError("The file has no private key as PEM")
    sealed = bool(ENCRYPTED.search(text))
    if sealed and not passphrase:
        raise _UnusableKeyError("The key is encrypted, but kafka_tls.passphrase is not set", OPEN)
    try:
        return serialization.load_pem_private_key(found.group(0).encode(), passphrase.encode() if sealed else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if sealed:
            raise _UnusableKeyError("kafka_tls.passphrase does not open the key", OPEN) from error
        raise _UnusableKeyError("The file has a private key that cannot be read") from error


def trust(directory: Path) -> dict[str, str]:
    """Return root -> its trusted certificates, as PEM in one canonical form; of existing roots."""
    found = {root: _certificates(directory / f"{root}.pem") for root in ROOTS}
    return {root: _pem(each) for root, each in found.items() if isinstance(each, tuple)}


def chain_of(directory: Path, host: str) -> Certificates:
    """Return a node's certificate, and the authorities above it. Raises RefusedError."""
    path = Source(directory, host).chain
    found = _certificates(path)
    if isinstance(found, str):
        raise RefusedError([f"{path} {found}"])
    return found


def material(source: Source) -> dict[str, str]:
    """Return ``certificate`` and ``key``, as PEM, or ``key_file`` on the host.

    Kafka reads PKCS#8 alone, so a key of PKCS#1 or SEC 1 is converted.
    Raises RefusedError if a file has changed since the inventory was validated.
    """
    found = chain_of(source.directory, source.host)
    if source.host_key:
        return {"certificate": _pem(found), "key_file": source.host_key}
    try:
        key = _opened(_text(source), source.passphrase)
    except _UnusableKeyError as error:
        raise RefusedError([f"{source.key} {error}"]) from error
    if key.public_key() != found[0].public_key():
        raise RefusedError([f"{source.key} does not belong to the certificate in {source.chain}"])
    form = (PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {"certificate": _pem(found), "key": key.private_bytes(*form).decode()}


def _pem(found: Certificates) -> str:
    return "".join(each.public_bytes(PEM).decode() for each in found)
