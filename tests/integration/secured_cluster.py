"""Nodes that show each other certificates, and a broker with secured listeners beside the plain ones."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.spec.desired.listener_properties import CIPHERS, user_rule

from tests.integration.certificates import certify
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import KafkaNode, free_ports

NAME, PASSWORD = "smoke", "drawn-for-this-test"
#: With what an inventory may hold: quotes, a backslash, a comma, an equals sign, a placeholder, a letter beyond ASCII.
AWKWARD = 'a"b\\c,d=e;${f:g} {{h}} ü'
LOGINS = {"PLAIN": "plain.PlainLoginModule", "SCRAM-SHA-512": "scram.ScramLoginModule"}
#: Listeners beside the usual ones; MUTUAL wants a certificate of the client, USERS one of the authority for clients.
SECURED = {"TLS": "SSL", "LOGIN": "SASL_SSL", "MUTUAL": "SSL", "USERS": "SSL"}
CLUSTER = "demo"  #: in the names of certificates
SECURITY = "org.apache.kafka.common.security"
ONE_COPY = {
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}


class SecuredCluster(KafkaCluster):
    """One node with listeners TLS, LOGIN, MUTUAL and USERS beside the usual ones."""

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        usual = super().server_properties(node)
        more = ",".join(f"{name}://127.0.0.1:{self.properties[name]}" for name in SECURED)
        protocols = ",".join(f"{name}:{protocol}" for name, protocol in SECURED.items())
        users = f'username="n" password="{PASSWORD}" user_{NAME}="{PASSWORD}"'
        return {
            **{key: value for key, value in usual.items() if key not in SECURED},
            "listeners": f"{usual['listeners']},{more}",
            "advertised.listeners": f"{usual['advertised.listeners']},{more}",
            "listener.security.protocol.map": f"{usual['listener.security.protocol.map']},{protocols}",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "allow.everyone.if.no.acl.found": "true",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.directory / "node.pem"),
            "ssl.cipher.suites": ",".join(CIPHERS),
            "listener.name.mutual.ssl.client.auth": "required",
            "listener.name.users.ssl.client.auth": "required",
            "listener.name.users.ssl.truststore.type": "PEM",
            "listener.name.users.ssl.truststore.location": str(own_authority(self.directory).directory / "clients.pem"),
            "listener.name.users.ssl.principal.mapping.rules": user_rule(CLUSTER),
            "listener.name.login.sasl.enabled.mechanisms": ",".join(LOGINS),
            "listener.name.login.plain.sasl.jaas.config": f"{SECURITY}.plain.PlainLoginModule required {users};",
            "listener.name.login.scram-sha-512.sasl.jaas.config": f"{SECURITY}.scram.ScramLoginModule required;",
        }


class SecuredNodes(KafkaCluster):
    """Nodes that show each other certificates."""

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        required = {f"listener.name.{name}.ssl.client.auth": "required" for name in ("internal", "controller")}
        return {
            **super().server_properties(node),
            **required,
            "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:SSL,CONTROLLER:SSL",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.directory / "node.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.directory / "ca.pem"),
            "ssl.cipher.suites": ",".join(CIPHERS),
        }


def own_authority(directory: Path) -> authority.Place:
    """That of the users who show certificates."""
    return authority.Place(directory / "tls", PASSWORD)


def start_secured(directory: Path, **more: str) -> KafkaCluster:
    """One node; its certificate is ``ca.pem`` in `directory`, its ports are properties by the listeners' names.

    `more`: other properties of the listener LOGIN, with ``_`` for ``.``.
    """
    certify(directory)
    authority.ensure(own_authority(directory), CLUSTER)
    ports = dict(zip(SECURED, map(str, free_ports(len(SECURED)))))
    own = {f"listener.name.login.{name.replace('_', '.')}": value for name, value in more.items()}
    return SecuredCluster.start(directory, 1, {**ONE_COPY, **ports, **own})
