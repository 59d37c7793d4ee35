"""Identity of the node that is deployed on a host: log dirs, configuration, removal marker.

Operations that stop, mark, disable, restart or delete something on a host compare it with the inventory first.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.machine.machine import read
from ansible.module_utils.kraft.node.other_services.unit_files import unit_path
from ansible.module_utils.kraft.node.service.record import started_files
from ansible.module_utils.kraft.node.storage.meta_properties import read_meta

#: File below the install dir that marks a node as removed from its cluster (``playbooks/remove_nodes.yml``).
REMOVED = "removed"
TAKEN_OUT = re.compile(r"Taken out of cluster (\S+) by")
PROPERTIES = "server.properties"
#: Kinds of clash: the host is of another cluster, is another node, or nothing identifies its cluster.
FOREIGN, OTHER_NODE, UNNAMED = "foreign", "other_node", "unnamed"


@dataclasses.dataclass(frozen=True)
class Disk:
    """Identity in a log dir: empty and None if its meta.properties has none. ``error``: why it was not read.

    ``deployed``: the installed configuration or that of the process names the log dir.
    """

    path: str
    deployed: bool
    cluster_id: str = ""
    node_id: int | None = None
    directory_id: str = ""
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Identity:
    """Identity of a host. ``deployed``: a unit, a process or a configuration exists. ``node_id``: as configured, or "".

    ``removed_from``: cluster id of the removal marker, or "". ``certificate``: PEM of the node, or ""; ``owner``: its
    subject (``CN``, ``OU``, ``O``), which only the control machine reads.
    """

    deployed: bool
    disks: tuple[Disk, ...] = ()
    node_id: str = ""
    removed_from: str = ""
    certificate: str = ""
    owner: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def as_facts(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Identity:
        """Return the identity that ``as_facts`` described."""
        return cls(**{**facts, "disks": tuple(Disk(**one) for one in facts["disks"])})

    @property
    def clusters(self) -> dict[str, Disk]:
        """Return cluster id -> the first log dir that names it."""
        named = {one.cluster_id: one for one in reversed(self.disks) if one.cluster_id}
        return dict(reversed(list(named.items())))

    @property
    def empty(self) -> bool:
        """Check that there is no trace of a node."""
        return not (self.deployed or self.clusters or self.removed_from)


@dataclasses.dataclass(frozen=True)
class Clash:
    """A difference between host and inventory. ``path``: the log dir that shows it, or "" if none does."""

    kind: str
    path: str = ""
    cluster_id: str = ""
    node_id: int | None = None

    def sentence(self, cluster_id: str, node_id: int) -> str:
        """Return the message for the host itself. The control machine sees the other hosts and adds more."""
        if self.kind == FOREIGN:
            return (
                f"{self.path} belongs to cluster {self.cluster_id}{as_node(self.node_id)},"
                f" the inventory says cluster {cluster_id}, node {node_id}; nothing was touched"
            )
        if self.kind == OTHER_NODE:
            return f"{self.path} belongs to node {self.node_id}, the inventory says node {node_id}; nothing was touched"
        return f"a node is deployed here, and no log dir says that it is of cluster {cluster_id}; nothing was touched"


def as_node(node_id: int | None) -> str:
    return "" if node_id is None else f", as node {node_id}"


def observe(install_dir: str, started_dir: str, unit: str, pid: int, log_dirs: Iterable[str] = ()) -> Identity:
    """Inspect the installed files, the record of process `pid` (0: none runs) and the inventory's `log_dirs`.

    Changes nothing. Read errors are in ``Disk.error``.
    """
    in_place = _properties(os.path.join(install_dir, "current/config", PROPERTIES))
    record = started_files(started_dir).get(PROPERTIES, b"") if pid else b""
    running = parse_properties(record.decode("utf-8", errors="replace"))
    own = list(dict.fromkeys([*directories(running), *directories(in_place)]))
    others = [path for path in map(_plain, log_dirs) if path not in own]
    mark = TAKEN_OUT.match(read(Path(install_dir, REMOVED)))
    return Identity(
        deployed=bool(pid or in_place or os.path.lexists(unit_path(unit))),
        disks=(*(disk(path, True) for path in own), *(disk(path, False) for path in others)),
        node_id=running.get("node.id", "") or in_place.get("node.id", ""),
        removed_from=mark.group(1) if mark else "",
        certificate=certificate(os.path.join(install_dir, "tls/node.pem")),
    )


def directories(properties: Mapping[str, str]) -> list[str]:
    """Return the log dirs that a configuration names. Kafka reads ``log.dir`` only without ``log.dirs``."""
    named = (properties.get("log.dirs") or properties.get("log.dir", ""), properties.get("metadata.log.dir", ""))
    return [_plain(path) for value in named for path in value.split(",") if path.strip()]


def disk(path: str, deployed: bool) -> Disk:
    try:
        meta = read_meta(path)
    except NotADirectoryError:
        return Disk(path, deployed)
    except OSError as error:
        return Disk(path, deployed, error=error.strerror or str(error))
    return Disk(path, deployed, meta.values.get("cluster.id", ""), meta.node_id, meta.values.get("directory.id", ""))


def certificate(path: str) -> str:
    """Return the first certificate in a PEM file, or "". Never returns a key."""
    found = re.search(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", read(Path(path)), re.DOTALL)
    return found.group(0) if found else ""


def clashes(found: Identity, cluster_id: str, node_id: int) -> Iterator[Clash]:
    """Yield the differences between host and inventory by the log dirs, the gravest first.

    A deployed node must have a log dir of the cluster, or the marker of its removal from it.
    """
    foreign = [one for one in found.disks if one.cluster_id not in ("", cluster_id)]
    others = [one for one in found.disks if one.cluster_id == cluster_id and one.node_id not in (None, node_id)]
    for kind, disks in ((FOREIGN, foreign), (OTHER_NODE, others)):
        yield from (Clash(kind, one.path, one.cluster_id, one.node_id) for one in disks)
    if found.deployed and cluster_id not in (*found.clusters, found.removed_from) and not foreign:
        yield Clash(UNNAMED)


def is_foreign(found: Identity, cluster_id: str, node_id: int) -> bool:
    """Check whether a log dir belongs to another node, or to another cluster."""
    return any(one.kind != UNNAMED for one in clashes(found, cluster_id, node_id))


def require(found: Identity, cluster_id: str, node_id: int, unnamed: bool = False) -> None:
    """Raise RefusedError if the host is not this node of this cluster.

    `unnamed`: accept a node without an identity, as before its first start.
    """
    wrong = [one for one in clashes(found, cluster_id, node_id) if not (unnamed and one.kind == UNNAMED)]
    if wrong:
        raise RefusedError([one.sentence(cluster_id, node_id) for one in wrong])


def mark(install_dir: str, cluster_id: str) -> dict[str, Any]:
    """Return the removal marker as an entry of ``files`` of module ``kafka_files``."""
    content = f"Taken out of cluster {cluster_id} by remove_nodes.yml.\n"
    path = os.path.join(install_dir, REMOVED)
    return {"path": path, "content": content, "owner": "root", "group": "root", "mode": "0644", "sensitive": False}


def _properties(path: str) -> dict[str, str]:
    return parse_properties(read(Path(path)))


def _plain(path: str) -> str:
    return path.strip().rstrip("/")
