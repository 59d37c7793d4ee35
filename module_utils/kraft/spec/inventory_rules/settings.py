"""Every key and value of server.properties against Kafka's own definitions, layer by layer."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.secret_values import shown
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.desired.model import Layer, Node
from ansible.module_utils.kraft.spec.desired.server_properties import OWNED
from ansible.module_utils.kraft.spec.inventory.definitions import Definitions, Setting, load, nearest_version
from ansible.module_utils.kraft.spec.inventory.removed import LIVE_ONLY, REMOVED_VALUES, removal
from ansible.module_utils.kraft.spec.inventory.setting_values import value_problem
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.wording import named

#: Keys that Kafka's parts read beside the definitions (StandardAuthorizer).
BESIDE = {
    "allow.everyone.if.no.acl.found": Setting("allow.everyone.if.no.acl.found", "boolean"),
    "super.users": Setting("super.users", "string"),
}
#: Keys that go as they are to what the key on the right loads.
PASSED_ON = {
    "config.providers.": "config.providers",
    "rlmm.config.": "remote.log.metadata.manager.class.name",
    "rsm.config.": "remote.log.storage.manager.class.name",
}
#: Settings that name the prefix of what a plugin of tiered storage gets.
IMPL_PREFIXES = ("remote.log.metadata.manager.impl.prefix", "remote.log.storage.manager.impl.prefix")
#: Keys that load a foreign class, which may read keys that Kafka does not have.
PLUGGABLE = (
    "alter.config.policy.class.name",
    "authorizer.class.name",
    "client.quota.callback.class",
    "create.topic.policy.class.name",
    "kafka.metrics.reporters",
    "metric.reporters",
    "principal.builder.class",
    "replica.selector.class",
    "sasl.server.callback.handler.class",
    "security.providers",
    "ssl.engine.factory.class",
)
LISTENER = re.compile(r"listener\.name\.([^.]+)\.(.+)")
#: Keys that a listener can have for itself, beside all of ssl.* and sasl.*.
PER_LISTENER = (
    "connections.max.reauth.ms",
    "max.connection.creation.rate",
    "max.connections",
    "num.network.threads",
    "principal.builder.class",
)
PLUGIN = "remove it; if a plugin reads it, list setting_unknown in kafka_accepted_risks"
MECHANISMS = ("gssapi", "oauthbearer", "plain", "scram-sha-256", "scram-sha-512")


def keys_and_values(subject: Subject) -> Iterator[Problem]:
    """Check all layers of all nodes."""
    definitions = load(nearest_version(subject.cluster.version))
    for node in subject.cluster.nodes:
        for layer in node.layers:
            for key, value in layer.settings.items():
                yield from _entry(definitions, node, layer, str(key), value)


def _entry(definitions: Definitions, node: Node, layer: Layer, key: str, given: Any) -> Iterator[Problem]:
    """Report the first fault of a key, or else of its value."""
    where, value = f"{layer.variable}[{key}]", shown(given, key)
    if key in OWNED:
        remedy = f"remove it and use {OWNED[key]}"
        yield Problem("setting_derived", f"The setting is derived from {OWNED[key]}", remedy, where, node.host, value)
        return
    gone = removal(key)
    if gone and (key not in definitions.server or key == "broker.id"):
        yield Problem("setting_removed", f"The setting has no effect: {gone[0]}", gone[1], where, node.host, value)
        return
    if isinstance(given, dict):
        yield Problem(
            "setting_value",
            "The value is a mapping",
            _in_one_line(definitions.server, layer, key, given),
            where,
            node.host,
            value,
        )
        return
    setting = find(definitions, node, key)
    if isinstance(setting, Problem):
        yield Problem(setting.rule, setting.message, setting.remedy, where, node.host, value, setting.severity)
    elif setting is not None:
        yield from _value(setting, node, where, key, given)


def _in_one_line(known: Container[str], layer: Layer, key: str, given: dict[Any, Any]) -> str:
    """Format the settings of a mapping as they should be written."""
    names = [name for name in _dotted(key, given) if name in known]
    if key in ("config", layer.variable):
        return f"write its settings directly below {layer.variable}"
    return f"write one line for each setting, with its whole dotted name{': ' + named(names, 3) if names else ''}"


def _dotted(prefix: str, given: Any) -> Iterator[str]:
    if isinstance(given, dict) and given:
        for key, each in given.items():
            yield from _dotted(f"{prefix}.{key}", each)
    else:
        yield prefix


def find(definitions: Definitions, node: Node, key: str) -> Setting | Problem | None:
    """Return the definition of `key`; a problem without a place if there is none; None if a plugin may define it."""
    known = definitions.server.get(key) or BESIDE.get(key)
    if known:
        return known
    match = LISTENER.fullmatch(key)
    if match:
        return _of_listener(definitions, node, match.group(1), match.group(2))
    for prefix, owner in PASSED_ON.items():
        if key.startswith(prefix):
            known = definitions.server.get(owner)
            return None if owner in _keys(node) or (known and known.default) else _orphan(owner)
    if any(key.startswith(prefix) for prefix in _own_prefixes(node)):
        return None
    return _unknown(definitions, node, key)


def _own_prefixes(node: Node) -> list[str]:
    """Return the inventory's prefixes for the settings of a storage plugin."""
    given = [layer.settings.get(name) for layer in node.layers for name in IMPL_PREFIXES]
    return [str(each) for each in given if each]


def _keys(node: Node) -> set[str]:
    return {str(key) for layer in node.layers for key in layer.settings}


def _has_plugin(node: Node) -> bool:
    """Check whether a class that is none of Kafka's is loaded."""
    given = (str(layer.settings[key]) for layer in node.layers for key in PLUGGABLE if key in layer.settings)
    names = (name.strip(" []'") for text in given for name in text.split(","))
    return any(name and not name.startswith(("org.apache.kafka.", "kafka.")) for name in names)


def _orphan(owner: str) -> Problem:
    return Problem("setting_orphan", f"The setting has no effect without {owner}", f"set {owner}, or remove it")


def _of_listener(definitions: Definitions, node: Node, listener: str, key: str) -> Setting | Problem:
    """Resolve ``listener.name.<listener>.[<mechanism>.]<key>``."""
    names = sorted({each.name.lower() for each in node.listeners})
    if listener not in names:
        meant = nearest(listener.lower(), names)
        remedy = f"did you mean {meant}?" if meant else f"the listeners are {named(names)}; write them in lower case"
        return Problem(
            "setting_listener", f"The setting names the listener {listener}, which this node does not have", remedy
        )
    mechanism, _, rest = key.partition(".")
    inner = rest if mechanism in MECHANISMS and rest.startswith("sasl.") else key
    known = definitions.server.get(inner)
    if known and (inner.startswith(("ssl.", "sasl.")) or inner in PER_LISTENER):
        return known
    if known:
        return Problem("setting_listener", f"{inner} cannot be set for a single listener", f"set {inner} for the node")
    meant = nearest(
        inner, [name for name in definitions.server if name.startswith(("ssl.", "sasl.")) or name in PER_LISTENER]
    )
    remedy = f"did you mean listener.name.{listener}.{meant}?" if meant else "remove it"
    return Problem("setting_unknown", "Listeners have no such setting", remedy)


def _unknown(definitions: Definitions, node: Node, key: str) -> Problem | None:
    """Report a key that Kafka does not have; not if a plugin is loaded and no key is similar."""
    topic = definitions.topic.get(key)
    if topic and topic.server:
        remedy = f"write {topic.server}, the brokers' default for it"
        if topic.server in OWNED:
            remedy = f"use {OWNED[topic.server]}"
        return Problem("setting_of_topic", "This is a topic's setting", remedy)
    if topic:
        return Problem(
            "setting_of_topic", "This is a topic's setting without a default on brokers", "set it on the topic"
        )
    if key in LIVE_ONLY:
        remedy = "set it with kafka-configs.sh on the running cluster"
        return Problem("setting_live", f"This is {LIVE_ONLY[key]}, not a setting of server.properties", remedy)
    meant = nearest(key, [*definitions.server, *BESIDE], least=0.7)
    if not meant and _has_plugin(node):
        message, remedy = "Kafka has no such setting: only a plugin can read it", "remove it, unless a plugin reads it"
        return Problem("setting_of_plugin", message, remedy, severity=WARNING)
    remedy = f"did you mean {meant}?" if meant else PLUGIN
    if meant in OWNED:
        remedy = f"did you mean {meant}? that follows from {OWNED[meant]}"
    return Problem("setting_unknown", f"Kafka {definitions.version} has no such setting", remedy)


def _value(setting: Setting, node: Node, where: str, key: str, value: Any) -> Iterator[Problem]:
    said = shown(value, key)
    if value is None:
        remedy = "give a value, or remove the line to keep the default"
        yield Problem("setting_value", "The setting has no value", remedy, where, node.host)
    elif isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
        remedy = "write one line for each setting, with its whole dotted name"
        yield Problem("setting_value", "The value is a mapping", remedy, where, node.host, said)
    else:
        text = value_text(value)
        message, remedy = value_problem(setting, text)
        if message:
            yield Problem("setting_value", message, remedy, where, node.host, said)
        instead = REMOVED_VALUES.get(key, {}).get(text)
        if instead:
            yield Problem(
                "setting_removed", "The class was removed from Kafka", f"use {instead}", where, node.host, said
            )
        if setting.internal:
            message, remedy = "The setting is internal to Kafka and may change or disappear at any time", "remove it"
            yield Problem("setting_internal", message, remedy, where, node.host, said, WARNING)


RULES = (keys_and_values,)
