"""From a node's listeners to the properties in which Kafka spreads them out."""

from __future__ import annotations

import re

from ansible.module_utils.kraft import kafka_terms
from ansible.module_utils.kraft.client_config import PEM
from ansible.module_utils.kraft.kafka_terms import CLIENT, INTER_BROKER, MIGRATION, OLD_INTER_BROKER, SSL
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.spec.desired.model import OLD, OPEN, OPENED, SWITCH, Cluster, Listener, Node

#: With certificates that the operator brings: who comes as CN=<user>, first in the subject, is the user of that name. A
#: name without ``=`` is none of a node, whatever the authority of clients has signed. No other name gets in.
GIVEN_RULE = "RULE:^CN=([A-Za-z0-9._-]+)(?:,.*)?$/$1/"

#: Those of TLS 1.3, and of TLS 1.2 the ones with forward secrecy and authenticated encryption (RFC 9325, 4.2). Java's
#: default has CBC with HMAC-SHA1 besides. Certificates that the operator brings may have RSA keys.
CIPHERS = (
    "TLS_AES_256_GCM_SHA384",
    "TLS_AES_128_GCM_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256",
    *(
        f"TLS_ECDHE_{key}_WITH_{cipher}"
        for key in ("ECDSA", "RSA")
        for cipher in ("AES_256_GCM_SHA384", "AES_128_GCM_SHA256", "CHACHA20_POLY1305_SHA256")
    ),
)


def listener_settings(cluster: Cluster, node: Node) -> dict[str, str]:
    """Return every property that follows from the listeners.

    A node that is only a broker opens no controller listener, but needs its name and protocol; one that is only a
    controller opens no other. Advertised addresses are always written down, so that no node falls back on its own
    host name.
    """
    own = node.own_listeners
    foreign = _controllers_of_others(cluster, node)
    names = [each.name for each in (*node.listeners_for("controller"), *foreign)]
    settings = {
        "listeners": ",".join(each.url for each in own),
        "advertised.listeners": ",".join(each.advertised_url for each in own),
        "listener.security.protocol.map": ",".join(f"{each.name}:{each.protocol}" for each in (*own, *foreign)),
        "controller.listener.names": ",".join(names),
    }
    inter_broker = node.listener_for(INTER_BROKER)
    if inter_broker:
        settings["inter.broker.listener.name"] = inter_broker.name
    for each in cluster.listeners_between(node):
        if each.protocol == SSL:
            settings[f"listener.name.{each.name.lower()}.ssl.client.auth"] = "required"
    for each in node.listeners_for(CLIENT) if node.is_broker else ():
        if each.client_auth:
            settings |= _of_mutual(cluster, node, f"listener.name.{each.name.lower()}.ssl")
    return settings | (_certificates(node) if cluster.listener_tls_of(node) else {}) | _on_the_way(cluster, node)


def _on_the_way(cluster: Cluster, node: Node) -> dict[str, str]:
    """Return settings that Kafka ignores. A later run reads from them the phase, and the brokers' own listener."""
    if cluster.migration not in (OPEN, SWITCH):
        return {}
    opened = [each.name for each in node.own_listeners if each.while_migrated == OPENED]
    old = [each.name for each in node.listeners_for(INTER_BROKER) if each.while_migrated == OLD]
    return {
        MIGRATION: cluster.migration,
        kafka_terms.OPENED: ",".join(opened),
        **({OLD_INTER_BROKER: old[0]} if old else {}),
    }


def _of_mutual(cluster: Cluster, node: Node, prefix: str) -> dict[str, str]:
    """Return settings for client certificates of the authority for clients alone."""
    asked = {f"{prefix}.client.auth": "required"}
    tls = cluster.listener_tls_of(node)
    if not tls:
        return asked
    trusted = f"{node.tls_directory}/{certificate.CLIENTS}.pem"
    store = {f"{prefix}.truststore.location": trusted, f"{prefix}.truststore.type": PEM}
    return {
        **asked,
        **store,
        f"{prefix}.principal.mapping.rules": GIVEN_RULE if tls.is_given else user_rule(cluster.name),
    }


def user_rule(cluster: str) -> str:
    """Return the rule that makes the owner of a certificate for clients the user of that name.

    An owner with another name than such a certificate is refused, so no client is ever taken for a node.
    Source: org.apache.kafka.common.security.ssl.SslPrincipalMapper of Kafka 4.3.1.
    """
    return rf"RULE:^CN=([A-Za-z0-9._-]+),OU={certificate.CLIENTS},O={re.escape(cluster)}$/$1/"


def _certificates(node: Node) -> dict[str, str]:
    """Return settings by which the node shows its certificate, trusts only the nodes' authority, and limits ciphers."""
    stores = {"keystore": certificate.NODE, "truststore": f"{certificate.NODES}.pem"}
    places = {f"ssl.{store}.location": f"{node.tls_directory}/{file}" for store, file in stores.items()}
    return {**places, **{f"ssl.{store}.type": PEM for store in stores}, "ssl.cipher.suites": ",".join(CIPHERS)}


def _controllers_of_others(cluster: Cluster, node: Node) -> tuple[Listener, ...]:
    """Return the listener by which a mere broker reaches the controllers."""
    listener = cluster.controller_listener
    return (listener,) if listener and not node.is_controller else ()
