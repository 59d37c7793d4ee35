"""With ``tls_scram`` or ``mtls``: clients say who they are, nodes show certificates, and all else is refused."""

from __future__ import annotations

from ansible.module_utils.kraft.spec.desired.model import LEAVE, MTLS, OPEN, SWITCH, TLS_SCRAM, Cluster, Node
from ansible.module_utils.kraft.terms import CLIENT

AUTHORIZER = "authorizer.class.name"
STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
SUPER_USERS = "super.users"
#: Who a client is that does not log in, a node among others.
ANONYMOUS = "User:ANONYMOUS"
SCRAM = "SCRAM-SHA-512"
LOGIN_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
#: Milliseconds after which a client logs in anew, so that a user who was removed is out.
LOGIN_LASTS = 900_000


def principal(cluster: Cluster, node: Node) -> str:
    """As whom a node with a certificate of the cluster's own authority is known; without TLS it is nobody's name."""
    return f"User:CN={node.host},OU=nodes,O={cluster.name}"


def access_settings(cluster: Cluster, node: Node) -> dict[str, str]:
    """The authorizer, with the nodes as super users, and the login of each client listener that wants one."""
    if cluster.security not in (TLS_SCRAM, MTLS):
        return {}
    settings = _authorizer(cluster)
    for listener in node.listeners_for(CLIENT) if node.is_broker else ():
        if listener.protocol.startswith("SASL"):
            prefix = f"listener.name.{listener.name.lower()}"
            settings[f"{prefix}.sasl.enabled.mechanisms"] = SCRAM
            settings[f"{prefix}.{SCRAM.lower()}.sasl.jaas.config"] = LOGIN_MODULE
            settings[f"{prefix}.connections.max.reauth.ms"] = str(LOGIN_LASTS)
    return settings


def _authorizer(cluster: Cluster) -> dict[str, str]:
    """None while nodes come without a certificate. Then it judges who logs in as in the end, and lets all others.

    So each client that moves to a secured listener sees at once what it may do, and can go back (ADR 42).
    """
    if cluster.migration in (OPEN, LEAVE):
        return {}
    nodes = sorted(principal(cluster, each) for each in cluster.nodes)
    nodes += [ANONYMOUS] if cluster.migration == SWITCH else []
    return {AUTHORIZER: STANDARD, SUPER_USERS: ";".join(nodes)}
