"""Subject of the rules, and their shared functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from ansible.module_utils.kraft.spec.desired.model import Cluster, Node
from ansible.module_utils.kraft.spec.desired.server_properties import server_settings

#: Severity of what endangers data or service; ``severity.assign_severities`` makes it an error or a warning.
RISK = "risk"


@dataclasses.dataclass(frozen=True)
class Unread:
    """A file of the inventory that Ansible does not read, why, and what to do; ``error``: whether that is a mistake."""

    path: str
    reason: str
    remedy: str
    error: bool = False


@dataclasses.dataclass(frozen=True)
class Replaced:
    """A value of a host that another place of the inventory replaces.

    ``lost``, ``won``: file and line. ``narrower``: the one without effect is of a narrower group than the other.
    ``same_owner``: both are of ``owner``, a group or a host.
    """

    variable: str
    host: str
    lost: str
    won: str
    narrower: bool
    same_owner: bool
    owner: str


@dataclasses.dataclass(frozen=True)
class Files:
    """Parts of the inventory's own files without effect.

    ``dotted``: host -> names of its variables that have a dot, as settings of Kafka have. ``groups``: all groups.
    """

    unread: tuple[Unread, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    dotted: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    groups: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """Facts that rules need beside the cluster.

    ``names``: all known variables. ``used``: host -> names of the ``kafka_*`` variables that are set for it.
    ``of_play``: names of variables that the play sets, and that no host has.
    ``readable``: host -> settings whose secret is unencrypted in the inventory (``kafka_config[key]``).
    ``foreign_reports``: directories for this cluster's reports that hold those of another cluster.
    ``archive_exists``: ``kafka_archive`` is a file of the control machine; None if that is not known.
    ``archive_digest``: its digest by the algorithm of the checksum; empty if it is not computed.
    ``client_digest``: of ``kafka_client_archive`` on the control machine by the algorithm of its checksum; empty if
    there is no such file, None if no run needs it.
    ``spark_lacks``: missing parts for a start of Spark; empty if there are none, or Spark is not used.
    ``key_faults``: host -> why ssh cannot use the private key that the inventory names.
    ``plan_faults``: variable -> why the plan that it names cannot be used.
    ``maintenance_faults``: variable -> why the requested maintenance cannot be done.
    ``client_options``: variable -> options of each client of ours that connects to the client listener.
    ``smoke``: variables of the smoke test that this machine has, on which it runs; the nodes may have others.
    ``agent_digests``: path of an agent's jar -> its sha256; empty if there is no such file.
    ``archive_classes``: gives all classes of Kafka's archive; None if it is not on this machine.
    ``installs``: the run installs the release and plugins.
    ``key_set_faults``: path of a file with the keys of tokens -> why it cannot be used.
    ``password_fault``: why passwords of users cannot be generated and kept; empty if they can.
    ``tls_fault``: why the authority on the control machine cannot be used; empty if it can.
    ``advisories_age``: days since the list of Kafka's advisories was checked.
    ``files``: parts of the inventory's own files without effect.
    ``tls_days_left``: its remaining days; None if there is none yet.
    """

    names: frozenset[str] = frozenset()
    used: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    of_play: frozenset[str] = frozenset()
    archive_exists: bool | None = None
    archive_digest: str = ""
    client_digest: str | None = None
    spark_lacks: str = ""
    key_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    plan_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    maintenance_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    readable: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    foreign_reports: tuple[str, ...] = ()
    client_options: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    key_set_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    password_fault: str = ""
    tls_fault: str = ""
    tls_days_left: int | None = None
    advisories_age: int = 0
    files: Files = Files()
    smoke: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    agent_digests: Mapping[str, str] = dataclasses.field(default_factory=dict)
    installs: bool = False
    archive_classes: Callable[[], frozenset[str] | None] = lambda: None


@dataclasses.dataclass(frozen=True)
class Subject:
    """Subject of an inventory's rules."""

    cluster: Cluster
    surroundings: Surroundings

    @cached_property
    def settings(self) -> dict[str, dict[str, str]]:
        """Return host -> all settings of its node, computed once."""
        return {node.host: server_settings(self.cluster, node) for node in self.cluster.nodes}

    def node(self, host: str) -> Node:
        """Return the node of a host."""
        return next(node for node in self.cluster.nodes if node.host == host)

    def sound(self, *variables: str) -> Iterator[Node]:
        """Return the nodes on which all of `variables` could be read."""
        return (node for node in self.cluster.nodes if not node.broken.intersection(variables))

    def all_sound(self, *variables: str) -> bool:
        """Check that `variables` could be read on every node: rules across all nodes need that."""
        return not any(node.broken.intersection(variables) for node in self.cluster.nodes)


def placed(node: Node, key: str) -> str:
    """Return the variable that gives a setting to a node, the narrowest one; if none does, the widest."""
    given = [layer.variable for layer in node.layers if key in layer.settings]
    return f"{given[-1] if given else 'kafka_config'}[{key}]"


def sharing(pairs: Iterable[tuple[object, str]]) -> dict[object, list[str]]:
    """Return things that more than one host has: thing -> hosts."""
    hosts: dict[object, list[str]] = {}
    for thing, host in pairs:
        hosts.setdefault(thing, []).append(host)
    return {thing: found for thing, found in hosts.items() if len(found) > 1}
