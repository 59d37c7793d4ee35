"""The PKI of an operator: a root, an authority below it that signs nodes, another root for clients, and their files."""

from __future__ import annotations

import dataclasses
import datetime
import ipaddress
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID

DAY = datetime.timedelta(days=1)
BOTH = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)
PEM = serialization.Encoding.PEM
PKCS1, PKCS8 = serialization.PrivateFormat.TraditionalOpenSSL, serialization.PrivateFormat.PKCS8


@dataclasses.dataclass(frozen=True)
class Pair:
    certificate: x509.Certificate
    key: Any

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(PEM).decode()

    def key_pem(self, form: serialization.PrivateFormat = PKCS1, passphrase: str = "") -> str:
        form = PKCS8 if isinstance(self.key, ed25519.Ed25519PrivateKey) else form
        sealed = serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else None
        return str(self.key.private_bytes(PEM, form, sealed or serialization.NoEncryption()).decode())


#: Defaults of `make`: issuer, days from now of begin and end, purpose.
DEFAULTS: dict[str, Any] = {
    "ca": False,
    "names": (),
    "key": None,
    "begin": -1,
    "days": 90,
    "usage": BOTH,
    "hashed": None,
    "constraints": None,
}


def make(subject: str, by: Pair | None = None, **more: Any) -> Pair:
    """A key, or the one that is given, and its certificate; `subject`: by RFC 4514; `by`: who signs, else itself."""
    given, now = {**DEFAULTS, **more}, datetime.datetime.now(datetime.timezone.utc)
    key = given["key"] or ec.generate_private_key(ec.SECP256R1())
    name = x509.Name.from_rfc4514_string(subject)
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(by.certificate.subject if by else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + given["begin"] * DAY)
        .not_valid_after(now + given["days"] * DAY)
        .add_extension(x509.BasicConstraints(ca=given["ca"], path_length=None), critical=True)
    )
    if given["names"]:
        names = x509.SubjectAlternativeName([_general(each) for each in given["names"]])
        built = built.add_extension(names, critical=False)
    if given["constraints"]:
        built = built.add_extension(given["constraints"], critical=True)
    if not given["ca"]:
        built = built.add_extension(x509.ExtendedKeyUsage(given["usage"]), critical=False)
    signer = by.key if by else key
    return Pair(built.sign(signer, given["hashed"] or hashes.SHA256()), key)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


class Pki:
    """``directory``: as ``kafka_tls.directory`` names it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.root = make("CN=Root,O=Example", ca=True, days=3650)
        self.issuing = make("CN=Issuing,O=Example", self.root, ca=True, days=1800)
        self.people = make("CN=People,O=Example", ca=True, days=3650)
        (directory / "nodes").mkdir(parents=True)
        (directory / "users").mkdir()
        self.write("nodes.pem", self.root.pem)
        self.write("clients.pem", self.people.pem)

    def write(self, name: str, text: str, mode: int = 0o600) -> Path:
        path = self.directory / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def node(self, host: str, names: Sequence[str], **given: Any) -> Pair:
        """A node's certificate with the authority that signed it, and its key in PKCS#1 or SEC 1."""
        made = make(given.pop("subject", f"CN={host},OU=kafka,O=Example"), self.issuing, names=names, **given)
        self.place(host, made)
        return made

    def place(self, host: str, made: Pair) -> None:
        self.write(f"nodes/{host}.pem", made.pem + self.issuing.pem, 0o644)
        self.write(f"nodes/{host}.key", made.key_pem())

    def user(self, name: str) -> Pair:
        made = make(f"CN={name},O=Example", self.people, usage=BOTH[1:])
        self.write(f"users/{name}.pem", made.key_pem(PKCS8) + made.pem)
        return made

    def nodes(self, hosts: Mapping[str, Sequence[str]], **given: Any) -> dict[str, Pair]:
        return {host: self.node(host, names, **given) for host, names in hosts.items()}
