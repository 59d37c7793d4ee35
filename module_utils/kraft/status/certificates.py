"""The certificates that a cluster shows: who signed them, and for how long they are good. Pure."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.control.authority import names_of
from cryptography import x509

#: Days before the end of a certificate that you bring; one of the cluster's own authority has ``renew_before_days``.
WARN_DAYS = 30


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What a listener shows. ``days``: left, negative once it has expired."""

    address: str
    days: int
    issuer: str
    names: tuple[str, ...]


def certificates(results: Mapping[str, Any]) -> tuple[Certificate, ...]:
    """Those that a node's listeners showed; `results`: what was registered on the host (``view``)."""
    view = results.get("view") or {}
    now = datetime.datetime.fromtimestamp(view.get("asked_at", 0), datetime.timezone.utc)
    return tuple(_read(one, now) for one in view.get("certificates") or () if one["certificate"])


def _read(one: Mapping[str, str], now: datetime.datetime) -> Certificate:
    found = x509.load_pem_x509_certificate(one["certificate"].encode())
    names = tuple(sorted(names_of(found)))
    return Certificate(one["address"], (found.not_valid_after_utc - now).days, found.issuer.rfc4514_string(), names)


def ending(found: Iterable[Certificate], node: Mapping[str, Any]) -> Iterator[str]:
    """A line for each certificate that must be renewed; `node`: its entry of ``kafka_desired``."""
    least = (node.get("certificate") or {}).get("renew_before_days", WARN_DAYS)
    remedy = "a deployment issues another one" if node.get("certificate") else "bring another one, and restart the node"
    for one in found:
        if one.days < least:
            when = f"expires in {one.days} days" if one.days >= 0 else "has expired"
            yield f"shows a certificate at {one.address} that {when}: {remedy}"


def first_to_end(nodes: Mapping[str, Iterable[Certificate]]) -> str:
    """The certificate that ends first, in words; empty where none was shown. `nodes`: host -> its certificates."""
    every = [(one.days, host, one) for host, found in nodes.items() for one in found]
    if not every:
        return ""
    days, host, one = min(every, key=lambda item: item[:2])
    return f"the first expires in {days} days: {host} at {one.address}, by {one.issuer}, for {', '.join(one.names)}"
