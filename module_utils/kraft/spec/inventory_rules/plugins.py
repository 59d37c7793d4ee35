"""Rules for plugins: their files on the control machine, and the classes that settings name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.secret_values import shown
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.desired.plugins import VARIABLE
from ansible.module_utils.kraft.spec.inventory.definitions import Definitions, Setting, load, nearest_version
from ansible.module_utils.kraft.spec.inventory.setting_values import PLACEHOLDER, is_class
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.settings import find
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject, sharing

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
SHA256 = re.compile(r"[0-9a-f]{64}")
HOW = "run `sha256sum` on the file that its publisher gives, and compare"
#: Settings with classes that Kafka declares as lists or texts. A word without a dot is a short name of Kafka.
LISTS = frozenset(
    {
        *("group.consumer.assignors", "group.share.assignors", "kafka.metrics.reporters", "metric.reporters"),
        *("replica.selector.class", "security.providers"),
    }
)
PROVIDER = re.compile(r"config\.providers\.[^.]+\.class")
#: The login module is the first word of this setting (Kafka's JaasConfig); its options are secrets.
JAAS = "sasl.jaas.config"
LOGIN_MODULE = re.compile(r"\s*([\w$]+(?:\.[\w$]+)+)\s+(?:required|requisite|sufficient|optional)\b", re.IGNORECASE)
OF_JAVA = ("java.", "javax.", "sun.", "com.sun.")
#: Kafka's own classes that inventories name most; for others the archive is read.
KNOWN = frozenset(
    {
        "org.apache.kafka.common.metrics.JmxReporter",
        "org.apache.kafka.common.replica.RackAwareReplicaSelector",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
        "org.apache.kafka.common.security.plain.PlainLoginModule",
        "org.apache.kafka.common.security.scram.ScramLoginModule",
        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    }
)


def files(subject: Subject) -> Iterator[Problem]:
    """Require the intended files: Kafka runs their code."""
    for node in subject.sound(VARIABLE):
        for name in sharing((each.name, str(index)) for index, each in enumerate(node.plugins)):
            yield Problem("plugin_name", "Two plugins have this name", "give each its own", VARIABLE, node.host, name)
        for each in node.plugins:
            where = f"{VARIABLE}[{each.name}]"
            if not NAME.fullmatch(each.name):
                message, remedy = "The name is not plain lower case", "write letters, digits, dots and hyphens"
                yield Problem("plugin_name", message, remedy, VARIABLE, node.host, each.name)
            if not SHA256.fullmatch(each.sha256):
                message = "The value is not a sha256 of 64 hexadecimal digits"
                yield Problem("plugin_checksum", message, HOW, f"{where}.sha256", node.host, each.sha256)
            elif each.file and each.file.sha256 not in ("", each.sha256):
                message = f"The file has the sha256 {each.file.sha256}, not {each.sha256}: it is not the intended file"
                yield Problem("plugin_checksum", message, HOW, where, node.host, each.source)
            if each.file and each.file.fault:
                remedy = "give the path of a jar, or of a .tar.gz or .zip with jars"
                yield Problem("plugin_file", each.file.fault, remedy, where, node.host, each.source)


def classes(subject: Subject) -> Iterator[Problem]:
    """Require each class that a setting names in a plugin or in Kafka's archive: without it the node does not start."""
    if not subject.surroundings.installs:
        return
    definitions = load(nearest_version(subject.cluster.version))
    for node in subject.sound(VARIABLE):
        brought = frozenset().union(*(each.file.classes for each in node.plugins if each.file))
        for variable, key, name in _named_classes(definitions, node):
            if name in brought or name in KNOWN or name.startswith(OF_JAVA):
                continue
            remedy = _missing(subject.surroundings.archive_classes(), brought, name)
            if remedy:
                message = "Neither Kafka nor a plugin of this node has this class"
                if key.endswith(JAAS):  # the value is a secret; its first word is not
                    message = f"Neither Kafka nor a plugin of this node has the login module {name}"
                yield Problem("plugin_class", message, remedy, f"{variable}[{key}]", node.host, shown(name, key))


def _missing(kafka: frozenset[str] | None, brought: frozenset[str], name: str) -> str:
    """Return the remedy for a class that is nowhere; empty if it is in Kafka, or may be."""
    if name in (kafka or ()) or (kafka is None and name.startswith(("org.apache.kafka.", "kafka."))):
        return ""
    package, _, last = name.rpartition(".")
    known = sorted(brought | (kafka or frozenset()))
    meant = next((each for each in known if each.rpartition(".")[2] == last), "")
    meant = meant or nearest(name, [each for each in known if each.rpartition(".")[0] == package], least=0.9)
    remedy = f"did you mean {meant}?" if meant else f"add the plugin with this class to {VARIABLE}"
    if kafka is None:
        remedy += "; if Kafka's archive has it, list plugin_class in kafka_accepted_risks"
    return remedy


def _named_classes(definitions: Definitions, node: Node) -> Iterator[tuple[str, str, str]]:
    """Yield variable, key and class of each setting that loads one, except those with a separate class path."""
    keys = {key for layer in node.layers for key in layer.settings}
    for layer in node.layers:
        for key, value in layer.settings.items():
            if not _loads(definitions, node, key) or key.replace(".class.name", ".class.path") in keys - {key}:
                continue
            if value is None or isinstance(value, dict):
                continue
            text = value_text(value)
            if key.endswith(JAAS):
                module = LOGIN_MODULE.match(text)
                yield from [(layer.variable, key, module[1])] if module else []
                continue
            for name in () if PLACEHOLDER.search(text) else map(str.strip, text.split(",")):
                if "." in name or (name and key not in LISTS):
                    yield layer.variable, key, name


def _loads(definitions: Definitions, node: Node, key: str) -> bool:
    if key in LISTS or key.endswith(JAAS) or PROVIDER.fullmatch(key):
        return True
    setting = find(definitions, node, key)
    return isinstance(setting, Setting) and is_class(setting)


RULES = (files, classes)
