"""A private key sealed by a passphrase: PKCS #8 by PBES2 (RFC 8018), with PBKDF2, SHA-256 and AES-256 in CBC mode.

``cryptography`` and ``openssl`` open it. ``BestAvailableEncryption`` derives with 2,048 rounds only, and has no option.
The number of rounds is that of OWASP's password storage cheat sheet: a quarter of a second for each guess.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import textwrap

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ROUNDS = 600_000
#: Object identifiers as DER.
PBES2, PBKDF2 = bytes.fromhex("06092a864886f70d01050d"), bytes.fromhex("06092a864886f70d01050c")
HMAC_SHA256, AES256_CBC = bytes.fromhex("06082a864886f70d02090500"), bytes.fromhex("060960864801650304012a")
LONG_FORM = 0x80  #: from this length on, a length has a byte that counts its bytes
SEQUENCE, OCTETS, INTEGER = 0x30, 0x04, 0x02
SALTED = re.compile(re.escape(PBKDF2) + rb"\x30.\x04(.)", re.DOTALL)
LABEL = "ENCRYPTED PRIVATE KEY"


def sealed(key: ec.EllipticCurvePrivateKey, passphrase: str) -> bytes:
    """Return the key as PEM."""
    form = (serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    padder = padding.PKCS7(algorithms.AES.block_size).padder()
    plain = padder.update(key.private_bytes(*form)) + padder.finalize()
    salt, begin = os.urandom(16), os.urandom(16)
    derived = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), salt, ROUNDS, dklen=32)
    encryptor = Cipher(algorithms.AES(derived), modes.CBC(begin)).encryptor()
    rounds = ROUNDS.to_bytes(ROUNDS.bit_length() // 8 + 1, "big")
    parameters = _der(SEQUENCE, _der(OCTETS, salt), _der(INTEGER, rounds), _der(SEQUENCE, HMAC_SHA256))
    derivation = _der(SEQUENCE, PBKDF2, parameters)
    cipher = _der(SEQUENCE, AES256_CBC, _der(OCTETS, begin))
    algorithm = _der(SEQUENCE, PBES2, _der(SEQUENCE, derivation, cipher))
    whole = _der(SEQUENCE, algorithm, _der(OCTETS, encryptor.update(plain) + encryptor.finalize()))
    lines = textwrap.wrap(base64.b64encode(whole).decode(), 64)
    return "\n".join([f"-----BEGIN {LABEL}-----", *lines, f"-----END {LABEL}-----", ""]).encode()


def rounds_of(pem: bytes) -> int:
    """Return the number of rounds of a sealed key; 0 if it cannot be read."""
    body = re.search(rf"BEGIN {LABEL}-----([\sA-Za-z0-9+/=]+)-----END".encode(), pem)
    whole = base64.b64decode(body[1]) if body else b""
    salt = SALTED.search(whole)
    if not salt:
        return 0
    rest = whole[salt.end() + salt[1][0] :]
    return int.from_bytes(rest[2 : 2 + rest[1]], "big") if rest[:1] == bytes([INTEGER]) else 0


def _der(tag: int, *content: bytes) -> bytes:
    """Return a value of ASN.1 in DER."""
    whole = b"".join(content)
    size = len(whole).to_bytes((len(whole).bit_length() + 7) // 8, "big")
    return bytes([tag, *([len(whole)] if len(whole) < LONG_FORM else [LONG_FORM | len(size), *size])]) + whole
