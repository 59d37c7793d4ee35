"""Kafka's own words for what a node does and what a listener is for, as the inventory writes them."""

from __future__ import annotations

BROKER = "broker"
CONTROLLER = "controller"
#: What a node can be: ``process.roles``.
ROLES = (BROKER, CONTROLLER)

CLIENT = "client"
INTER_BROKER = "inter_broker"
#: Whom a listener is for.
PURPOSES = (CLIENT, INTER_BROKER, CONTROLLER)
