"""TLS and SASL of the listeners that can be operated (``desired.listener_protocols``): keys, and mechanisms."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.client_config import node_setting
from ansible.module_utils.kraft.kafka_terms import CLIENT, CONTROLLER, SSL
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.listener_protocols import is_operable
from ansible.module_utils.kraft.spec.desired.model import Listener, Node
from ansible.module_utils.kraft.spec.desired.oauth import token_settings
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.wording import named

VARIABLE = "kafka_listeners"
#: Settings that a listener between nodes needs: setting -> value; empty: the path of a file.
BETWEEN_NODES = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": "",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": "",
    "ssl.client.auth": "required",
}
KEY_MATERIAL = ("ssl.keystore.location", "ssl.keystore.key", "ssl.engine.factory.class")


def _setting(settings: dict[str, str], listener: Listener, key: str) -> str:
    return node_setting(settings, listener.name, key)


def _mechanisms(settings: dict[str, str], listener: Listener) -> list[str]:
    return [each.strip() for each in _setting(settings, listener, "sasl.enabled.mechanisms").split(",") if each.strip()]


def _listeners(subject: Subject) -> Iterator[tuple[Node, Listener, dict[str, str]]]:
    for node in subject.cluster.nodes:
        settings = subject.settings[node.host]
        for listener in filter(is_operable, node.own_listeners):
            yield node, listener, settings


def certificates(subject: Subject) -> Iterator[Problem]:
    """Require a key for a client listener with TLS, its own or the node's."""
    for node, listener, settings in _listeners(subject):
        if (
            listener.purpose == CLIENT
            and listener.protocol.endswith("SSL")
            and not any(_setting(settings, listener, key) for key in KEY_MATERIAL)
        ):
            message = f"The listener uses {listener.protocol}, but has neither key nor certificate"
            setting = f"listener.name.{listener.name.lower()}.ssl.keystore.location"
            remedy = f"give kafka_tls, or set {setting} (and type) in kafka_config"
            yield Problem("listener_key", message, remedy, f"{VARIABLE}[{listener.name}]", node.host)


def node_certificates(subject: Subject) -> Iterator[Problem]:
    """Require PEM certificates between nodes, since modules act as the node on their host in Python."""
    for node in subject.cluster.nodes:
        settings = subject.settings[node.host]
        for listener in subject.cluster.listeners_between(node):
            for key, wanted in BETWEEN_NODES.items() if listener.protocol == SSL else ():
                found = _setting(settings, listener, key)
                if found and wanted in ("", found):
                    continue
                setting = f"listener.name.{listener.name.lower()}.{key}"
                message = f"The setting is {found or 'missing'}, but {listener.name} uses {SSL} between nodes"
                remedy = f"set it to {wanted}" if wanted else "give kafka_tls, or the path of a PEM file on the host"
                yield Problem("node_certificate", message, remedy, f"kafka_config[{setting}]", node.host)


def mechanisms(subject: Subject) -> Iterator[Problem]:
    """Require a mechanism for SASL; the controllers' is never SCRAM, whose secrets are in the metadata itself."""
    for node, listener, settings in _listeners(subject):
        if not listener.protocol.startswith("SASL"):
            continue
        found, where = _mechanisms(settings, listener), f"{VARIABLE}[{listener.name}]"
        if not found:
            message = f"The listener uses {listener.protocol}, but has no mechanism"
            remedy = f"set listener.name.{listener.name.lower()}.sasl.enabled.mechanisms in kafka_config"
            yield Problem("listener_mechanism", message, remedy, where, node.host)
        scram = [
            each for each in (*found, settings.get("sasl.mechanism.controller.protocol", "")) if "SCRAM" in each.upper()
        ]
        if listener.purpose == CONTROLLER and scram:
            message = f"The listener uses {scram[0]}: after a stop of all nodes no controller could log in again"
            yield Problem(
                "controller_scram", message, "use TLS with client certificates, or PLAIN over TLS", where, node.host
            )
        for each in found:
            if each.upper() in ("SCRAM-SHA-1", "DIGEST-MD5", "CRAM-MD5"):
                remedy = "use SCRAM-SHA-512 or SCRAM-SHA-256"
                yield Problem("mechanism", f"The listener uses {each}, which Kafka refuses", remedy, where, node.host)


def spoken_mechanism(subject: Subject) -> Iterator[Problem]:
    """Require for brokers and controllers a mechanism that the other side offers."""
    pairs = (
        ("inter_broker", "sasl.mechanism.inter.broker.protocol"),
        (CONTROLLER, "sasl.mechanism.controller.protocol"),
    )
    for node, listener, settings in _listeners(subject):
        for purpose, key in pairs:
            if listener.purpose != purpose or not listener.protocol.startswith("SASL"):
                continue
            wanted, offered = settings.get(key, "GSSAPI"), _mechanisms(settings, listener)
            if offered and wanted not in offered:
                message = f"The mechanism is {wanted}, but the listener {listener.name} offers {named(offered)}"
                yield Problem(
                    "mechanism_differs", message, "use one that is offered", f"kafka_config[{key}]", node.host
                )


def derived(subject: Subject) -> Iterator[Problem]:
    """Refuse settings that derive a client's principal from the listener: set by hand it could be a node's."""
    for node in subject.cluster.nodes:
        found = {
            f"{prefix}.{key}"
            for listener in node.listeners_for(CLIENT)
            for prefix in [f"listener.name.{listener.name.lower()}"]
            for key in _of_listener(node, listener, prefix)
        }
        for layer in node.layers:
            for key in sorted(found & set(layer.settings)):
                remedy = "remove it; client_auth, mechanisms and oauth of the listener decide"
                where = f"{layer.variable}[{key}]"
                yield Problem("setting_derived", f"The setting is derived from {VARIABLE}", remedy, where, node.host)


def _of_listener(node: Node, listener: Listener, prefix: str) -> set[str]:
    """Return the settings of a client listener, without their `prefix`, that follow from its own fields."""
    mutual = (
        {"ssl.client.auth", *(["ssl.principal.mapping.rules"] if node.tls else [])} if listener.client_auth else set()
    )
    own = {"sasl.enabled.mechanisms"} if listener.mechanisms else set()
    return mutual | own | {key.removeprefix(f"{prefix}.") for key in token_settings(node, listener)}


RULES = (certificates, node_certificates, mechanisms, spoken_mechanism, derived)
