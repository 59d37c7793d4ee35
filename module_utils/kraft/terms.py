"""Kafka's own words for nodes and listeners, as the inventory writes them."""

from __future__ import annotations

BROKER = "broker"
CONTROLLER = "controller"
#: What a node can be: ``process.roles``.
ROLES = (BROKER, CONTROLLER)

CLIENT = "client"
INTER_BROKER = "inter_broker"
#: Whom a listener is for.
PURPOSES = (CLIENT, INTER_BROKER, CONTROLLER)

PLAINTEXT = "PLAINTEXT"
SSL = "SSL"
SASL_PLAINTEXT = "SASL_PLAINTEXT"
SASL_SSL = "SASL_SSL"
#: What a listener can speak: ``security.protocol``.
PROTOCOLS = (PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL)
#: Those without encryption.
IN_THE_OPEN = frozenset({PLAINTEXT, SASL_PLAINTEXT})
#: How a client can log in with a name and a password; Java, librdkafka and kafka-python have these.
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
OAUTHBEARER = "OAUTHBEARER"  #: a login with a token of somebody who knows the client

#: Settings of our own in a node's properties while its security is migrated; Kafka passes over them.
MIGRATION = "kraftwright.migration"
OPENED = "kraftwright.opened.listener.names"
OLD_INTER_BROKER = "kraftwright.old.inter.broker.listener.name"
