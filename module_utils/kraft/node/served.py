"""The certificates that listeners show to whoever connects."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

from ansible.module_utils.kraft.node.certificate import CERTIFICATE

SECONDS = 2.0


def served(addresses: Iterable[str]) -> list[dict[str, str]]:
    """``address`` (``host:port``) of each, with its ``certificate`` as PEM or an ``error``. Nothing is trusted."""
    return [{"address": address, **_asked(address)} for address in addresses]


def showing_other(addresses: Iterable[str], certificate: str) -> list[str]:
    """Those of `addresses` that do not show this `certificate` (PEM)."""
    wanted = ssl.PEM_cert_to_DER_cert(certificate)
    shown = ((one["address"], one["certificate"]) for one in served(addresses))
    return [address for address, text in shown if not text or ssl.PEM_cert_to_DER_cert(text) != wanted]


def accepted(run: Callable[..., Any], address: str) -> frozenset[str]:
    """The authorities by whose certificates a client gets in at `address`, by name; none where it asks for none.

    `run`: as ``AnsibleModule.run_command``. openssl tells what the listener asks for before it refuses us.
    """
    _, said, _ = run(["openssl", "s_client", "-connect", address], data="Q\n")
    _, _, rest = said.partition("Acceptable client certificate CA names\n")
    return frozenset(takewhile(lambda line: "=" in line, rest.splitlines()))


def subjects(run: Callable[..., Any], text: str) -> frozenset[str]:
    """The names of the certificates of a PEM text, as openssl writes them."""
    found = (run(["openssl", "x509", "-noout", "-subject"], data=each)[1] for each in CERTIFICATE.findall(text))
    return frozenset(each.strip().removeprefix("subject=").strip() for each in found)


def _asked(address: str) -> dict[str, str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    host, _, port = address.rpartition(":")
    try:
        connection = socket.create_connection((host.strip("[]"), int(port)), SECONDS)
        with connection, context.wrap_socket(connection) as secured:
            shown = secured.getpeercert(binary_form=True) or b""
    except (OSError, ValueError) as error:
        return {"certificate": "", "error": str(error)}
    return {"certificate": ssl.DER_cert_to_PEM_cert(shown) if shown else "", "error": ""}
