"""The desired state as values: what a listener, a node and a cluster are. Nothing here decides or checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.control.given import Given
from ansible.module_utils.kraft.kafka_terms import BROKER, CLIENT, CONTROLLER, INTER_BROKER
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.spec.desired.contribution_model import Contribution
from ansible.module_utils.kraft.spec.desired.plugins import Plugin

DYNAMIC, STATIC = "dynamic", "static"

TLS_SCRAM, MTLS = "tls_scram", "mtls"  #: of ``kafka_security``

#: Phases of the way from open listeners to secured ones, and of the way back (``migration.py``).
OPEN, SWITCH, CLOSE = "open", "switch", "close"
REOPEN, LEAVE = "reopen", "leave"
OPENED, OLD = "opened", "old"

PRODUCTION, TEST = "production", "test"

#: Stands for a node id that is missing or not a number; reported where it is read, so other rules pass over it.
UNKNOWN_ID = -1

Config = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class OAuth:
    """Issuer of the tokens that a listener takes. ``jwks``: address of the keys, or a file on the control machine."""

    issuer: str
    audience: str
    jwks: str

    @property
    def is_file(self) -> bool:
        return self.jwks.startswith("/")


@dataclasses.dataclass(frozen=True)
class Listener:
    """One socket of a node: its own address (``bind``) and the address for others (``advertised_*``)."""

    name: str
    port: int
    protocol: str
    purpose: str
    bind: str
    advertised_host: str
    advertised_port: int
    advertised_given: bool = False
    client_auth: bool = False  #: whether a client must show a certificate of the authority for clients
    mechanisms: tuple[str, ...] = ()  #: logins that it takes, if the inventory sets them
    oauth: OAuth | None = None
    while_migrated: str = ""  #: of one that a migration of the security has OPENED, or will close (OLD)

    @property
    def spoken(self) -> str:
        """Return the protocol that a client must use."""
        return f"{self.protocol} with client certificates" if self.client_auth else self.protocol

    @property
    def uses_tls(self) -> bool:
        return self.protocol.endswith("SSL")

    @property
    def url(self) -> str:
        return f"{self.name}://{host_port(self.bind, self.port)}"

    @property
    def advertised_address(self) -> str:
        return host_port(self.advertised_host, self.advertised_port)

    @property
    def advertised_url(self) -> str:
        return f"{self.name}://{self.advertised_address}"


@dataclasses.dataclass(frozen=True)
class Tls:
    """Nodes' certificates (``kafka_tls``). ``authority``: the directory of the authority, on the control machine.

    ``names``: listener -> names that its certificate carries beside what the listener advertises.
    ``is_given``: the operator provides certificates, in that directory; ``given``: the one found for this node.
    ``host_key``: path of its private key if that is on the host already.
    """

    authority: str
    days: int
    renew_before_days: int
    names: Mapping[str, tuple[str, ...]]
    is_given: bool = False
    given: Given | None = None
    host_key: str = ""


@dataclasses.dataclass(frozen=True)
class Layer:
    """Settings of ``server.properties`` as one variable gives them."""

    variable: str
    settings: Config


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts about the machine; None until they are gathered."""

    cpus: int | None = None
    memory_mb: int | None = None
    java_major: int | None = None
    releases: Mapping[str, Any] | None = None


@dataclasses.dataclass(frozen=True)
class Node:
    """One Kafka process on one host. ``listeners`` are all that the inventory gives, also those of a role it lacks."""

    host: str
    node_id: int
    roles: tuple[str, ...]
    address: str
    listeners: tuple[Listener, ...]
    log_dirs: tuple[str, ...]
    metadata_log_dir: str = ""
    rack: str = ""
    given_directory_id: str = ""
    layers: tuple[Layer, ...] = ()
    heap_size: str = ""
    jvm_options: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    java_home: str = ""
    install_dir: str = "/opt/kafka"
    log4j_dir: str = "/var/log/kafka"
    facts: Facts = dataclasses.field(default_factory=Facts)
    tls: Tls | None = None
    #: every variable as it was given, by name, for rules that look at one alone
    variables: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: names of the variables that could not be read (reported where they were)
    broken: frozenset[str] = frozenset()
    #: how Ansible reaches the host (``ansible_host``, ``ansible_port``)
    connection: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def is_broker(self) -> bool:
        return BROKER in self.roles

    @property
    def is_controller(self) -> bool:
        return CONTROLLER in self.roles

    @property
    def metadata_dir(self) -> str:
        """Return the directory of the metadata log: the given one or, as in Kafka, the first log dir."""
        return self.metadata_log_dir or next(iter(self.log_dirs), "")

    @property
    def own_listeners(self) -> tuple[Listener, ...]:
        """Return the listeners that this node opens, by its roles."""
        return tuple(
            each for each in self.listeners if (self.is_controller if each.purpose == CONTROLLER else self.is_broker)
        )

    @property
    def effective_contributions(self) -> tuple[Contribution, ...]:
        """Return the contributions that apply to it: the collector is for brokers."""
        return tuple(each for each in self.contributions if self.is_broker or not each.collector)

    @property
    def proxied(self) -> tuple[Contribution, ...]:
        """Return the contributions with a TLS proxy in front of them."""
        return tuple(each for each in self.effective_contributions if each.proxy)

    @property
    def tls_directory(self) -> str:
        """Return the directory on the host with the node's key and certificate, and the authorities' certificates."""
        return f"{self.install_dir}/{certificate.DIRECTORY}"

    def listeners_for(self, purpose: str) -> tuple[Listener, ...]:
        return tuple(each for each in self.own_listeners if each.purpose == purpose)

    def listener_for(self, purpose: str) -> Listener | None:
        return next(iter(self.listeners_for(purpose)), None)


@dataclasses.dataclass(frozen=True)
class Cluster:
    """All nodes and what they share."""

    name: str
    cluster_id: str
    version: str
    nodes: tuple[Node, ...]
    quorum: str = DYNAMIC
    profile: str = PRODUCTION
    default_replication_factor: int = 3
    min_insync_replicas: int = 2
    auto_create_topics: bool = False
    archive: str = ""
    archive_checksum: str = ""
    accepted_risks: tuple[str, ...] = ()
    fast_detection: bool = False
    security: str = "plaintext"
    #: user of our own clients (``kafka_client_user``); empty if they need no login
    client_user: str = ""
    #: where generated passwords of users are kept, on the control machine
    passwords_file: str = ""
    #: the phase of a migration of its security; empty outside of one
    migration: str = ""
    #: phases that are behind every node
    migration_passed: tuple[str, ...] = ()

    @property
    def brokers(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.is_broker)

    @property
    def controllers(self) -> tuple[Node, ...]:
        return tuple(sorted((node for node in self.nodes if node.is_controller), key=lambda node: node.node_id))

    @property
    def in_production(self) -> bool:
        return self.profile != TEST

    @property
    def controller_listener(self) -> Listener | None:
        """Return the first controller's listener; all controllers share its name and protocol."""
        found = (node.listener_for(CONTROLLER) for node in self.controllers)
        return next((listener for listener in found if listener), None)

    def listeners_between(self, node: Node) -> tuple[Listener, ...]:
        """Return the listeners between a node, or a module on its host, and other nodes."""
        own = tuple(each for each in node.own_listeners if each.purpose != CLIENT)
        others = (each.listener_for(purpose) for purpose in (INTER_BROKER, CONTROLLER) for each in self.nodes)
        known = {each.purpose: each for each in others if each}
        return (*own, *(each for each in known.values() if each.purpose not in {one.purpose for one in own}))

    def listener_tls_of(self, node: Node) -> Tls | None:
        """Return the TLS settings that Kafka itself uses; None if no listener uses them."""
        used = (*node.own_listeners, *self.listeners_between(node))
        return node.tls if any(each.uses_tls for each in used) else None

    def tls_of(self, node: Node) -> Tls | None:
        """Return the settings of a certificate of the cluster's own authority; None if the node needs none."""
        return node.tls if node.proxied else self.listener_tls_of(node)

    def client_listener(self, node: Node) -> Listener | None:
        """Return the node's listener for our own clients: the one with the name of the first broker's first one."""
        first = next((each.name for broker in self.brokers for each in broker.listeners_for(CLIENT)), "")
        return next((each for each in node.listeners_for(CLIENT) if each.name == first), None)

    @property
    def replication_factor(self) -> int:
        """Return the desired factor; a test cluster with fewer brokers gets as many as it has."""
        return self.default_replication_factor if self.in_production else self._capped(self.default_replication_factor)

    @property
    def min_isr(self) -> int:
        """Return the desired number; a test cluster with a reduced replication factor keeps one replica to spare."""
        if self.replication_factor == self.default_replication_factor:
            return self.min_insync_replicas
        return max(1, min(self.min_insync_replicas, self.replication_factor - 1))

    def _capped(self, wanted: int) -> int:
        return max(1, min(wanted, len(self.brokers)))
