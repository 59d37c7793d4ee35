"""Kafka's own words for nodes and listeners, as the inventory writes them."""

from __future__ import annotations

BROKER = "broker"
CONTROLLER = "controller"
#: Roles of a node: ``process.roles``.
ROLES = (BROKER, CONTROLLER)

CLIENT = "client"
INTER_BROKER = "inter_broker"

PLAINTEXT = "PLAINTEXT"
SSL = "SSL"
SASL_PLAINTEXT = "SASL_PLAINTEXT"
SASL_SSL = "SASL_SSL"
#: Protocols of a listener: ``security.protocol``.
PROTOCOLS = (PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL)
#: Protocols without encryption.
IN_THE_OPEN = frozenset({PLAINTEXT, SASL_PLAINTEXT})
#: Logins of clients with a name and a password; Java, librdkafka and kafka-python have these.
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
OAUTHBEARER = "OAUTHBEARER"  #: a login with a token of an identity provider

#: Settings of our own in a node's properties during a migration of its security; Kafka ignores them.
MIGRATION = "kraftwright.migration"
OPENED = "kraftwright.opened.listener.names"
OLD_INTER_BROKER = "kraftwright.old.inter.broker.listener.name"
