"""Listeners as the inventory gives them, and their defaults by ``kafka_security``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.kafka_terms import CLIENT, PLAINTEXT, SASL_SSL, SSL
from ansible.module_utils.kraft.spec.desired.model import MTLS, TLS_SCRAM, Listener, OAuth

#: Default protocol of a listener, by ``kafka_security``: for clients, and between nodes.
OF_SECURITY = {
    "plaintext": (PLAINTEXT, PLAINTEXT),
    "tls": (SSL, SSL),
    MTLS: (SSL, SSL),
    TLS_SCRAM: (SASL_SSL, SSL),
}
REQUIRED = "required"  #: of a listener's ``client_auth``


def listener(entry: Mapping[str, Any], address: str, security: str) -> Listener:
    """Return a listener with the node's address as the default; a wildcard is never advertised by default.

    `security`: ``kafka_security``, which sets the defaults of the entry.
    """
    advertised = entry.get("advertised") or {}
    bind = entry.get("bind", address)
    protocol = entry.get("protocol") or OF_SECURITY[security][entry["purpose"] != CLIENT]
    asks = security == MTLS and entry["purpose"] == CLIENT and protocol == SSL
    return Listener(
        name=entry["name"],
        port=entry["port"],
        protocol=protocol,
        purpose=entry["purpose"],
        bind=bind,
        advertised_host=advertised.get("host") or address,
        advertised_port=advertised.get("port", entry["port"]),
        advertised_given=bool(advertised.get("host")),
        mechanisms=tuple(entry.get("mechanisms") or ()),
        oauth=OAuth(**entry["oauth"]) if entry.get("oauth") else None,
        client_auth=entry["client_auth"] == REQUIRED if entry.get("client_auth") else asks,
    )
