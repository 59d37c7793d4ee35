"""Certificates that listeners present to clients."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

from ansible.module_utils.kraft.client_config import split_host_port
from ansible.module_utils.kraft.node.certificate import CERTIFICATE

SECONDS = 2.0
OPENSSL_SECONDS = 10.0
#: TLS 1.2, in which certificates are not encrypted. Source: RFC 5246, 6.2.1 and 7.4.
HANDSHAKE, CERTIFICATES = 22, 11
HEADER, LENGTH = 5, 3


def served(addresses: Iterable[str]) -> list[dict[str, str]]:
    """Return ``address`` (``host:port``) of each with ``certificate`` as PEM or an ``error``. Nothing is trusted."""
    return [{"address": address, **_asked(address)} for address in addresses]


def showing_other(addresses: Iterable[str], certificate: str) -> list[str]:
    """Return those of `addresses` that do not present this `certificate` (PEM)."""
    wanted = ssl.PEM_cert_to_DER_cert(certificate)
    shown = ((one["address"], one["certificate"]) for one in served(addresses))
    return [address for address, text in shown if not text or ssl.PEM_cert_to_DER_cert(text) != wanted]


def accepted(address: str) -> frozenset[str]:
    """Return the names of the authorities whose client certificates `address` accepts; none if it requests none.

    openssl prints the listener's request before it refuses us. It may end before it reads its input, so it has none:
    ``AnsibleModule.run_command`` fails with a broken pipe. A listener that hangs is ended after OPENSSL_SECONDS.
    """
    command = ["openssl", "s_client", "-connect", address]
    try:
        done = subprocess.run(  # noqa: S603
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=OPENSSL_SECONDS, check=False
        )
        said = done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace")
    _, _, rest = said.partition("Acceptable client certificate CA names\n")
    return frozenset(takewhile(lambda line: "=" in line, rest.splitlines()))


def subjects(run: Callable[..., Any], text: str) -> frozenset[str]:
    """Return the names of the certificates of a PEM text, as openssl writes them."""
    found = (run(["openssl", "x509", "-noout", "-subject"], data=each)[1] for each in CERTIFICATE.findall(text))
    return frozenset(each.strip().removeprefix("subject=").strip() for each in found)


def _asked(address: str) -> dict[str, str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(split_host_port(address), SECONDS) as connection:
            shown = _shown(connection, context)
    except (OSError, ValueError) as error:
        return {"certificate": "", "error": str(error)}
    return {"certificate": ssl.DER_cert_to_PEM_cert(shown) if shown else "", "error": ""}


def _shown(connection: socket.socket, context: ssl.SSLContext) -> bytes:
    """Return the certificate as DER. With TLS 1.2 a server that requests ours refuses us after it has sent its own."""
    incoming, outgoing, heard = ssl.MemoryBIO(), ssl.MemoryBIO(), b""
    secured = context.wrap_bio(incoming, outgoing)
    try:
        while True:
            with contextlib.suppress(ssl.SSLWantReadError):
                secured.do_handshake()
                return secured.getpeercert(binary_form=True) or b""
            connection.sendall(outgoing.read())
            answer = connection.recv(1 << 16)
            heard += answer
            if answer:
                incoming.write(answer)
            else:
                incoming.write_eof()
    except OSError:
        shown = first_certificate(heard)
        if not shown:
            raise
        return shown
    finally:
        with contextlib.suppress(OSError):
            connection.sendall(outgoing.read())


def first_certificate(heard: bytes) -> bytes:
    """Return the server's own certificate as DER from its unencrypted messages; empty if there is none."""
    messages = b"".join(_records(heard))
    while len(messages) > LENGTH:
        kind, rest = messages[0], messages[1:]
        body, messages = _vector(rest)
        if kind == CERTIFICATES:
            certificates, _ = _vector(body)
            return _vector(certificates)[0]
    return b""


def _records(heard: bytes) -> Iterator[bytes]:
    """Yield the records of the handshake, up to the encrypted ones."""
    while len(heard) >= HEADER and heard[0] == HANDSHAKE:
        end = HEADER + int.from_bytes(heard[3:HEADER], "big")
        yield heard[HEADER:end]
        heard = heard[end:]


def _vector(data: bytes) -> tuple[bytes, bytes]:
    """Return the content after a length of three bytes, and the rest."""
    end = LENGTH + int.from_bytes(data[:LENGTH], "big")
    return data[LENGTH:end], data[end:]
