"""Access with ``tls_scram`` or ``mtls``: clients log in, nodes show certificates, and everything else is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.client_config import node_setting
from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.spec.desired.model import (
    LEAVE,
    MTLS,
    OPEN,
    SWITCH,
    TLS_SCRAM,
    Cluster,
    Listener,
    Node,
)
from ansible.module_utils.kraft.spec.desired.oauth import token_settings

AUTHORIZER = "authorizer.class.name"
STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
SUPER_USERS = "super.users"
#: The principal of a client that does not log in, a node among others.
ANONYMOUS = "User:ANONYMOUS"
SCRAM = "SCRAM-SHA-512"
LOGIN_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
#: Milliseconds after which a client logs in again, so that a user who was removed is out.
LOGIN_LASTS = 900_000


def principal(cluster: Cluster, node: Node) -> str:
    """Return the principal of a node with a certificate: its whole subject; without TLS no client has this name."""
    if node.tls and node.tls.given and node.tls.given.principal:
        return f"User:{node.tls.given.principal}"
    return f"User:CN={node.host},OU=nodes,O={cluster.name}"


def access_settings(cluster: Cluster, node: Node) -> dict[str, str]:
    """Return the authorizer, with the nodes as super users, and the login of each client listener that wants one."""
    settings = _authorizer(cluster) if cluster.security in (TLS_SCRAM, MTLS) else {}
    for listener in node.listeners_for(CLIENT) if node.is_broker else ():
        mechanisms = logins(cluster, listener)
        if mechanisms:
            prefix = f"listener.name.{listener.name.lower()}"
            settings[f"{prefix}.sasl.enabled.mechanisms"] = ",".join(mechanisms)
            settings[f"{prefix}.connections.max.reauth.ms"] = str(LOGIN_LASTS)
            settings |= {f"{prefix}.{one.lower()}.sasl.jaas.config": LOGIN_MODULE for one in _scram(mechanisms)}
            settings |= token_settings(node, listener)
    return settings


def super_users_on_the_way(cluster: Cluster, settings: Mapping[str, str]) -> dict[str, str]:
    """Keep nodes without a certificate as super users during the migration, for any list of the inventory.

    `settings`: all of a node.
    """
    given = settings.get(SUPER_USERS, "")
    known = [each.strip() for each in given.split(";")]
    if cluster.migration not in (OPEN, SWITCH, LEAVE) or not settings.get(AUTHORIZER) or ANONYMOUS in known:
        return {}
    return {SUPER_USERS: ";".join(filter(None, (given, ANONYMOUS)))}


def logins(cluster: Cluster, listener: Listener) -> tuple[str, ...]:
    """Return the mechanisms of a client listener with SASL: its own, or else that of ``kafka_security``."""
    if not listener.protocol.startswith("SASL"):
        return ()
    return listener.mechanisms or ((SCRAM,) if cluster.security in (TLS_SCRAM, MTLS) else ())


def mechanisms_taken(cluster: Cluster, settings: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """Return client listener with SASL -> mechanisms of each broker. `settings`: host -> all of its node."""
    found: dict[str, list[str]] = {}
    for node in cluster.brokers:
        for listener in node.listeners_for(CLIENT):
            if listener.protocol.startswith("SASL"):
                taken = enabled_mechanisms(settings[node.host], listener.name)
                found[listener.name] = [each for each in found.get(listener.name, taken) if each in taken]
    return found


def enabled_mechanisms(settings: Mapping[str, str], listener: str) -> list[str]:
    """Return the mechanisms of one node's listener, as Kafka writes them."""
    given = node_setting(settings, listener, "sasl.enabled.mechanisms")
    return [each.strip().upper() for each in given.split(",") if each.strip()]


def _scram(mechanisms: Iterable[str]) -> list[str]:
    return [each for each in mechanisms if each.startswith("SCRAM")]


def _authorizer(cluster: Cluster) -> dict[str, str]:
    """Return the authorizer's settings; None while nodes come without a certificate.

    So each client that moves to a secured listener sees at once what it may do, and can go back (ADR 42).
    """
    if cluster.migration in (OPEN, LEAVE):
        return {}
    nodes = sorted(principal(cluster, each) for each in cluster.nodes)
    nodes += [ANONYMOUS] if cluster.migration == SWITCH else []
    return {AUTHORIZER: STANDARD, SUPER_USERS: ";".join(nodes)}
