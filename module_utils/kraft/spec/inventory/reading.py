"""Convert the variables of the inventory's hosts to the model: every value is checked for its type, none trusted.

An unreadable value is reported once and replaced by a safe one, so that all the other rules can still run;
``Node.broken`` names those variables, for rules that would otherwise draw a wrong conclusion.
"""

from __future__ import annotations

import dataclasses
import json
import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.control.given import GIVEN, Given
from ansible.module_utils.kraft.kafka_terms import ROLES
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.contribution_model import Contribution
from ansible.module_utils.kraft.spec.desired.contributions import OPTION, contribution
from ansible.module_utils.kraft.spec.desired.model import (
    PRODUCTION,
    UNKNOWN_ID,
    Cluster,
    Facts,
    Layer,
    Node,
    Tls,
)
from ansible.module_utils.kraft.spec.desired.plugins import PluginFile, plugin
from ansible.module_utils.kraft.spec.inventory.listeners import listener
from ansible.module_utils.kraft.spec.inventory.spec import BROKEN, Fault, Option, convert

MARKUP = re.compile(r"\b[CVOM]\(([^()]*)\)")  #: of Ansible's documentation
NOT_SHOWN = "is not shown"  #: ends the reason of a secret
UNLOCK = "give the vault's password (--vault-password-file), or encrypt it again"
ARCHIVE_VARIABLES = frozenset({"kafka_archive", "kafka_archive_checksum"})
ARCHIVE = (
    "run `make archive`; or give the path or URL of your own archive as kafka_archive,"
    " and its digest as kafka_archive_checksum"
)
#: Variables with passwords in them: a value that is wrong is never shown.
SECRET = frozenset({"kafka_users"})
#: Lists of what lives in a cluster: an entry that cannot be read is left out, and the others are judged.
RESOURCES = frozenset({"kafka_topics", "kafka_users", "kafka_acls", "kafka_quotas"})
LAYERS = ("kafka_config", "kafka_group_config", "kafka_host_config")


@dataclasses.dataclass(frozen=True)
class HostVariables:
    """A host's ``kafka_*`` variables as plain values, and those that could not be resolved with the reason why."""

    host: str
    values: Mapping[str, Any]
    unresolved: Mapping[str, str] = dataclasses.field(default_factory=dict)
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: how Ansible reaches the host, for rules that compare machines and ports
    connection: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: what other roles give the node, by the names of their variables
    contributions: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: its certificate, if the operator brings them
    given: Given | None = None
    #: the files of its plugins by their ``source``, if the run installs them
    plugin_files: Mapping[str, PluginFile] = dataclasses.field(default_factory=dict)


def without(host: HostVariables, names: Container[str]) -> HostVariables:
    """Return the host without `names`, which the run does not need."""
    values, unresolved = (
        {name: each for name, each in given.items() if name not in names} for given in (host.values, host.unresolved)
    )
    return dataclasses.replace(host, values=values, unresolved=unresolved)


@dataclasses.dataclass(frozen=True)
class Read:
    """One host's variables after conversion."""

    values: Mapping[str, Any]
    broken: frozenset[str]

    def get(self, name: str, fallback: Any) -> Any:
        value = self.values.get(name)
        return fallback if value is None or value is BROKEN else value


def read(hosts: Iterable[HostVariables], specs: Mapping[str, Option]) -> tuple[Cluster, list[Problem]]:
    """Return the cluster that the variables describe, and the problems of reading them."""
    problems: list[Problem] = []
    nodes: list[Node] = []
    first = Read({}, frozenset())
    for host in hosts:
        converted = convert_host(host, specs, problems)
        first = first if nodes else converted
        contributions = read_contributions(host, problems)
        nodes.append(dataclasses.replace(read_node(host, converted), contributions=contributions))
    return read_cluster(first, tuple(nodes)), problems


def convert_host(host: HostVariables, specs: Mapping[str, Option], problems: list[Problem]) -> Read:
    """Convert all variables that the specs define; problems are added to `problems`."""
    values: dict[str, Any] = {}
    broken = {re.split(r"[\[.]", place)[0] for place in host.unresolved}
    for place, why in host.unresolved.items():
        problems.append(
            Problem("unresolved", f"The value cannot be resolved: {why}", _resolution(place, why), place, host.host)
        )
    for name, option in specs.items():
        if name in host.unresolved:
            continue
        value = host.values.get(name)
        if value is None or value == "":
            found = list(_missing(host.host, name, option, value, given=name in host.values))
            problems += found
            broken |= {name} if found else set()
            continue
        values[name], faults = convert(value, option)
        if faults and name in RESOURCES and isinstance(value, list):
            values[name] = sound_entries(value, option)
        problems += [_problem(host.host, name, fault) for fault in faults]
        broken |= {name} if faults else set()
    return Read(values, frozenset(broken))


def sound_entries(entries: list[Any], option: Option) -> list[Any]:
    """Return the entries of a list without faults: remains of others would be misread as whole entries."""
    found = [(one, faults) for one, faults in (convert([entry], option) for entry in entries)]
    return [one[0] for one, faults in found if not faults]


def read_contributions(host: HostVariables, problems: list[Problem]) -> tuple[Contribution, ...]:
    """Convert contributions in the order of their names; adds to `problems`, without the text of a file."""
    found = []
    for name, value in sorted(host.contributions.items()):
        converted, faults = convert(value, OPTION)
        problems += [dataclasses.replace(_problem(host.host, name, fault), value=None) for fault in faults]
        found += [contribution(name, converted)] if converted and converted is not BROKEN else []
    return tuple(found)


def _resolution(name: str, why: str) -> str:
    """Return the remedy that makes a value resolvable."""
    if "decrypt" in why.lower() or "vault" in why.lower():
        return UNLOCK
    if why.endswith(NOT_SHOWN):
        return "define what it refers to; if it is no template, write it as !unsafe '...'"
    return ARCHIVE if name in ARCHIVE_VARIABLES and "the file" in why else "define what it refers to"


def _missing(host: str, name: str, option: Option, value: Any, given: bool) -> Iterator[Problem]:
    """Report empty values, which take no default: roles would read the empty text."""
    default = option.get("default")
    if option.get("required"):
        message = "The variable is not set" if value is None else "The variable is empty"
        yield Problem("missing", message, _first_sentence(option) or "set it in the inventory", name, host, value)
    elif given and default not in (None, ""):
        remedy = f"give a value, or remove the line to keep the default ({json.dumps(default)})"
        yield Problem("empty", "The variable is empty", remedy, name, host, value)


def _first_sentence(option: Option) -> str:
    """Return the spec's description of a variable, as advice."""
    description = option.get("description", "")
    text = description[0] if isinstance(description, list) and description else str(description)
    text = MARKUP.sub(r"\1", text)
    begin = text[:1] if text.startswith("Kafka") else text[:1].lower()
    return f"set it: {begin}{text[1:].rstrip('.')}" if text else ""


def _problem(host: str, name: str, fault: Fault) -> Problem:
    value = None if name in SECRET else fault.value
    return Problem("type", fault.message, fault.remedy, f"{name}{fault.place}", host, value)


def read_cluster(first: Read, nodes: tuple[Node, ...]) -> Cluster:
    """Return the cluster with the values of its first node; a rule checks that all nodes agree."""
    return Cluster(
        name=first.get("kafka_cluster_name", ""),
        cluster_id=first.get("kafka_cluster_id", ""),
        version=first.get("kafka_version", ""),
        nodes=nodes,
        quorum=first.get("kafka_quorum", "dynamic"),
        profile=first.get("kafka_profile", PRODUCTION),
        default_replication_factor=first.get("kafka_default_replication_factor", 3),
        min_insync_replicas=first.get("kafka_min_insync_replicas", 2),
        auto_create_topics=first.get("kafka_auto_create_topics", False),
        archive=first.get("kafka_archive", ""),
        archive_checksum=first.get("kafka_archive_checksum", ""),
        accepted_risks=tuple(first.get("kafka_accepted_risks", ())),
        fast_detection=first.get("kafka_failure_detection", "default") == "fast",
        security=first.get("kafka_security", "plaintext"),
        client_user=first.get("kafka_client_user", ""),
        passwords_file=first.get("kafka_passwords_file", ""),
    )


def read_node(host: HostVariables, values: Read) -> Node:
    """Convert one host's variables to a node."""
    address = values.get("kafka_address", host.host)
    roles = values.get("kafka_process_roles", ROLES)
    security = values.get("kafka_security", "plaintext")
    return Node(
        host=host.host,
        node_id=values.get("kafka_node_id", UNKNOWN_ID),
        roles=tuple(role for role in ROLES if role in roles),
        address=address,
        listeners=tuple(listener(each, address, security) for each in values.get("kafka_listeners", ())),
        log_dirs=tuple(clean(path) for path in values.get("kafka_log_dirs", ())),
        metadata_log_dir=clean(values.get("kafka_metadata_log_dir", "")),
        rack=values.get("kafka_rack", ""),
        given_directory_id=values.get("kafka_directory_id", ""),
        layers=tuple(Layer(name, _by_text(values.get(name, {}))) for name in LAYERS),
        heap_size=values.get("kafka_heap_size", ""),
        jvm_options=tuple(values.get("kafka_jvm_options", ())),
        plugins=tuple(plugin(each, host.plugin_files) for each in values.get("kafka_plugins", ())),
        java_home=clean(values.get("kafka_java_home", "")),
        install_dir=clean(values.get("kafka_install_dir", "/opt/kafka")),
        log4j_dir=clean(values.get("kafka_log4j_dir", "/var/log/kafka")),
        facts=read_facts(host.facts),
        tls=read_tls(values.get("kafka_tls", {}), host.given),
        variables=values.values,
        broken=values.broken,
        connection=host.connection,
    )


def _by_text(settings: Mapping[Any, Any]) -> dict[str, Any]:
    """Return settings with keys as text; YAML makes numbers, dates and null of some."""
    return {str(key): value for key, value in settings.items()}


def clean(path: str) -> str:
    """Normalise a path: no doubled and trailing slashes; relative ones stay so, for a rule to refuse."""
    if not path:
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + posixpath.join("", *parts) if parts else path[:1]


def read_tls(given: Mapping[str, Any], brought: Given | None = None) -> Tls | None:
    """Return the TLS settings if the inventory has them; `brought`: the operator's certificate of this node."""
    if not given:
        return None
    names = {str(listener): _texts(found) for listener, found in (given.get("names") or {}).items()}
    is_given = given.get("authority") == GIVEN
    warned = given.get("renew_before_days", 30 if is_given else 60)
    key = clean(given.get("key_on_host") or "")
    return Tls(clean(given.get("directory") or ""), given.get("days", 397), warned, names, is_given, brought, key)


def _texts(given: Any) -> tuple[str, ...]:
    """Return a list, or one value alone, as texts; YAML's null and booleans are no names."""
    found = given if isinstance(given, (list, tuple)) else [given]
    return tuple("" if each is None or isinstance(each, bool) else str(each) for each in found)


def read_facts(facts: Mapping[str, Any]) -> Facts:
    """Convert the facts of ``kafka_host_info`` that determine sizes."""
    java = facts.get("java") or {}
    return Facts(
        cpus=facts.get("cpus"),
        memory_mb=facts.get("memory_mb"),
        java_major=java.get("major"),
        releases=facts.get("releases"),
    )
