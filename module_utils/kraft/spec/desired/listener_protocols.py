"""Listeners that Kraftwright itself can use: the one place that SASL between nodes would extend.

Modules ask brokers at the listener with purpose inter_broker, and controllers at their own: without TLS, or with the
certificate of the node on whose host they run (``cluster/connections.py``). Applications bring their own client, so
client listeners may have any protocol. The first one of the first broker is also used by the smoke test and the probe,
which need its protocol in their client options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import PREFIX, ClientConfig, spark
from ansible.module_utils.kraft.kafka_terms import (
    CLIENT,
    CONTROLLER,
    INTER_BROKER,
    MECHANISMS,
    PLAINTEXT,
    PROTOCOLS,
    SSL,
)
from ansible.module_utils.kraft.node.certificate import NODES
from ansible.module_utils.kraft.spec.desired.access import SCRAM
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.desired.model import Cluster, Listener
from ansible.module_utils.kraft.spec.resources.users import mechanism, user_certificate

#: purpose -> protocols of a listener with which a cluster can be deployed, asked and changed.
OPERABLE: Mapping[str, frozenset[str]] = {
    INTER_BROKER: frozenset({PLAINTEXT, SSL}),
    CONTROLLER: frozenset({PLAINTEXT, SSL}),
    CLIENT: frozenset(PROTOCOLS),
}

SMOKE = "kafka_smoke_client_options"
PROBE = "kafka_probe_client_options"
KEYSTORE_OPTION = "kafka.ssl.keystore.location"
PROTOCOL_OPTION = "kafka.security.protocol"
MECHANISM_OPTION = "kafka.sasl.mechanism"
#: Options that the smoke test sets, or whose other values would prove nothing (spark_jobs/config.py).
DECIDED = ("kafka.bootstrap.servers", "kafka.acks", "kafka.enable.idempotence", "kafka.isolation.level")


def is_operable(listener: Listener) -> bool:
    """Check that Kraftwright can use `listener`; an unknown purpose is reported by the reader of the inventory."""
    return listener.protocol in OPERABLE.get(listener.purpose, PROTOCOLS)


def client_options(cluster: Cluster) -> dict[str, str]:
    """Return our own clients' options if the inventory sets none: they trust the cluster's own authority.

    Without the password, which ``own_clients.with_login`` adds at the start of a client.
    """
    for node in cluster.brokers:
        listener = cluster.client_listener(node)
        if (
            not listener
            or not node.tls
            or not listener.uses_tls
            or (_authenticates(listener) and not cluster.client_user)
        ):
            continue
        config = ClientConfig(
            security_protocol=listener.protocol,
            ca_file=f"{node.tls.authority}/{NODES}.pem",
            keystore_file=user_certificate(node.tls.authority, cluster.client_user) if listener.client_auth else "",
            sasl_mechanism="" if listener.protocol == SSL else _mechanism(cluster),
        )
        return {name: value for name, value in spark(config).items() if value}
    return {}


def _mechanism(cluster: Cluster) -> str:
    """Return the mechanism by which our own clients' user logs in."""
    first = cluster.nodes[0]
    given = () if "kafka_users" in first.broken else first.variables.get("kafka_users") or ()
    return next((mechanism(user) for user in given if user["name"] == cluster.client_user), "") or SCRAM


def _authenticates(listener: Listener) -> bool:
    return listener.protocol != SSL or listener.client_auth


def as_texts(options: Any) -> dict[str, str]:
    """Convert a client's options to texts; a value that is no mapping is refused by its role."""
    return {str(key): value_text(each) for key, each in options.items()} if isinstance(options, Mapping) else {}


def foreign_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return option -> why the smoke test refuses it, as a clause; accepted ones are left out."""
    unnamed = {name: f"The option does not begin with {PREFIX}" for name in options if not name.startswith(PREFIX)}
    return {**unnamed, **{name: "The smoke test sets this option itself" for name in options if name in DECIDED}}


def missing_option(listener: Listener, options: Mapping[str, str]) -> str:
    """Return the option that a client with `options` lacks for `listener`, as ``option: value``; empty if none."""
    if options.get(PROTOCOL_OPTION, PLAINTEXT) != listener.protocol:
        return f"{PROTOCOL_OPTION}: {listener.protocol}"
    if listener.protocol.startswith("SASL") and options.get(MECHANISM_OPTION) not in MECHANISMS:
        return f"{MECHANISM_OPTION}: {' or '.join(MECHANISMS)}"
    if listener.client_auth and not options.get(KEYSTORE_OPTION):
        return f"{KEYSTORE_OPTION}: a certificate and its key"
    return ""
