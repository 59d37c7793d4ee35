"""With ``tls_scram`` or ``mtls``: clients say who they are, nodes show certificates, and all else is refused."""

from __future__ import annotations

from ansible.module_utils.kraft.spec.desired.model import MTLS, TLS_SCRAM, Cluster, Node
from ansible.module_utils.kraft.terms import CLIENT

AUTHORIZER = "authorizer.class.name"
STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
SUPER_USERS = "super.users"
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
    settings = {
        AUTHORIZER: STANDARD,
        SUPER_USERS: ";".join(sorted(principal(cluster, each) for each in cluster.nodes)),
    }
    for listener in node.listeners_for(CLIENT) if node.is_broker else ():
        if listener.protocol.startswith("SASL"):
            prefix = f"listener.name.{listener.name.lower()}"
            settings[f"{prefix}.sasl.enabled.mechanisms"] = SCRAM
            settings[f"{prefix}.{SCRAM.lower()}.sasl.jaas.config"] = LOGIN_MODULE
            settings[f"{prefix}.connections.max.reauth.ms"] = str(LOGIN_LASTS)
    return settings
