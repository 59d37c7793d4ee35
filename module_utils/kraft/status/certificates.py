"""The certificates that a cluster shows: who signed them, and for how long they are good. Pure."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.control.authority import names_of
from ansible.module_utils.kraft.node.certificate import NEAR_END_DAYS
from ansible.module_utils.kraft.node.service.deployed import local_address
from cryptography import x509

#: Days before the end of a certificate that you bring; one of the cluster's own authority has ``renew_before_days``.
WARN_DAYS = 30


@dataclasses.dataclass(frozen=True)
class Certificate:
    """A listener's certificate. ``address``: the advertised one. ``days``: left, negative once it has expired.

    ``own``: no listener shows it. The process was started with it, and connects with it until it restarts.
    """

    address: str
    days: int
    issuer: str
    names: tuple[str, ...]
    own: bool = False


def certificates(results: Mapping[str, Any]) -> tuple[Certificate, ...]:
    """Return those that a node showed, and the process's own.

    `results`: what was registered on the host (``view``, ``deployed``).
    """
    view = results.get("view") or {}
    now = datetime.datetime.fromtimestamp(view.get("asked_at", 0), datetime.timezone.utc)
    shown = [_read(one, now) for one in asked(results) if one["certificate"]]
    if text := view.get("own_certificate"):
        shown.append(dataclasses.replace(_read({"address": "", "certificate": text}, now), own=True))
    return tuple(shown)


def asked(results: Mapping[str, Any]) -> list[Mapping[str, str]]:
    """Return each listener's answer with its advertised address. They were asked where they bind."""
    listeners = (results.get("deployed") or {}).get("listeners") or ()
    names = {local_address(one): one["address"] for one in listeners}
    answers = (results.get("view") or {}).get("certificates") or ()
    return [{**one, "address": names.get(one["address"], one["address"])} for one in answers]


def _read(one: Mapping[str, str], now: datetime.datetime) -> Certificate:
    found = x509.load_pem_x509_certificate(one["certificate"].encode())
    names = tuple(sorted(names_of(found)))
    return Certificate(one["address"], (found.not_valid_after_utc - now).days, found.issuer.rfc4514_string(), names)


def ending(found: Iterable[Certificate], node: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each certificate that must be renewed; `node`: its entry of ``kafka_desired``."""
    own = node.get("certificate") or {}
    least = own.get("renew_before_days", WARN_DAYS)
    remedy = "a deployment issues another one" if own else "bring another one, and restart the node"
    remedy = "replace its files, then run rotate_certificates.yml" if own.get("given") else remedy
    for one in found:
        if one.own and one.days < NEAR_END_DAYS:
            yield f"was started with a certificate that {_when(one)}, and connects with it: a deployment restarts it"
        elif not one.own and one.days < least:
            yield f"shows a certificate at {one.address} that {_when(one)}: {remedy}"


def _when(one: Certificate) -> str:
    return f"expires in {one.days} days" if one.days >= 0 else "has expired"


def first_to_end(nodes: Mapping[str, Iterable[Certificate]]) -> dict[str, str]:
    """Describe the certificate that ends first: of those shown, and of processes' own; only present ones.

    `nodes`: host -> its certificates.
    """
    every = sorted(((one.days, host, one) for host, found in nodes.items() for one in found), key=lambda item: item[:2])
    shown, own = ([item for item in every if item[2].own is which] for which in (False, True))
    said = {}
    for _, host, one in shown[:1]:
        said["Certificates"] = (
            f"the first {_when(one)}: {host} at {one.address}, by {one.issuer}, for {', '.join(one.names)}"
        )
    for _, host, one in own[:1]:
        said["Of processes"] = f"the first {_when(one)}: {host} connects with it until it restarts"
    return said
