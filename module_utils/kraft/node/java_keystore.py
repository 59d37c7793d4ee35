"""A keystore for Java servers that read no PEM files: format JKS, from a key, its chain and trusted certificates. Pure.

Source: ``sun.security.provider.JavaKeyStore`` and ``KeyProtector`` of OpenJDK. The same input gives the same bytes.
The password protects nothing, because it is in this file: only the file's mode and owner do.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Iterator

from ansible.module_utils.kraft.errors import RefusedError

PASSWORD = "of-no-secret"  # noqa: S105 - see above
_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----\s*(.*?)-----END \1-----", re.DOTALL)
_MAGIC, _VERSION, _KEY, _TRUSTED = 0xFEEDFEED, 2, 1, 2
_WHITENER = b"Mighty Aphrodite"
_HASH_BYTES = 20
_LONG = 0x80  #: DER: from this length on, the length has a length
#: AlgorithmIdentifier of Java's own protection of keys: 1.3.6.1.4.1.42.2.17.1.1, NULL.
_PROTECTION = bytes.fromhex("300e060a2b060104012a021101010500")


def keystore(key_and_chain: str, trusted: str) -> bytes:
    """Return a keystore with one key and each certificate of `trusted`; both parameters are PEM.

    Raises RefusedError without a trusted certificate, and for a key that is not plain PKCS#8 (Kafka's own form).
    """
    keys, authorities = blocks(key_and_chain, "PRIVATE KEY"), blocks(trusted, "CERTIFICATE")
    if len(keys) != 1 or not authorities:
        missing = "truststore has no certificate" if keys else "keystore has no unencrypted PKCS#8 key"
        raise RefusedError([f"the node's {missing}. Run the mirror on one host"])
    chain = blocks(key_and_chain, "CERTIFICATE")
    entries = [_entry(_KEY, "node") + _sized(protected(keys[0])) + struct.pack(">I", len(chain))]
    entries[0] += b"".join(map(_certificate, chain))
    for number, one in enumerate(authorities):
        entries.append(_entry(_TRUSTED, f"authority{number}") + _certificate(one))
    body = struct.pack(">III", _MAGIC, _VERSION, len(entries)) + b"".join(entries)
    return body + _sha1(_password() + _WHITENER + body)


def blocks(pem: str, kind: str) -> list[bytes]:
    """Return the decoded PEM blocks of a kind, in order."""
    return [base64.b64decode(body) for found, body in _BLOCK.findall(pem) if found == kind]


def protected(key: bytes) -> bytes:
    """Return Java's EncryptedPrivateKeyInfo (DER) of a PKCS#8 key."""
    salt = _sha1(key)
    stream = b"".join(_digests(salt, len(key)))
    content = salt + bytes(a ^ b for a, b in zip(key, stream)) + _sha1(_password() + key)
    return _der(0x30, _PROTECTION + _der(0x04, content))


def _digests(last: bytes, length: int) -> Iterator[bytes]:
    for _ in range(0, length, _HASH_BYTES):
        last = _sha1(_password() + last)
        yield last


def _password() -> bytes:
    return PASSWORD.encode("utf-16-be")


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content, usedforsecurity=False).digest()  # the format's own


def _entry(kind: int, alias: str) -> bytes:
    return struct.pack(">I", kind) + _text(alias) + bytes(8)  # created in 1970


def _certificate(der: bytes) -> bytes:
    return _text("X.509") + _sized(der)


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode("ascii")


def _sized(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _der(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < _LONG:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, _LONG | len(length))) + length + content
