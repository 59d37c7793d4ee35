"""Which node of which cluster is deployed on a host: its log dirs, its configuration, the mark of a removal.

Whoever stops, marks, disables, restarts or forgets something on a host compares this with the inventory first.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.machine.machine import read
from ansible.module_utils.kraft.node.service.record import started_files
from ansible.module_utils.kraft.node.storage.log_dir import parse_properties, read_meta
from ansible.module_utils.kraft.node.unit_files import unit_path

#: File below the install dir of a node that was taken out of its cluster (``playbooks/remove_nodes.yml``).
REMOVED = "removed"
TAKEN_OUT = re.compile(r"Taken out of cluster (\S+) by")
PROPERTIES = "server.properties"
#: What is wrong with a host: it is another cluster's, another node's, or nothing on it says whose it is.
FOREIGN, OTHER_NODE, UNNAMED = "foreign", "other_node", "unnamed"


@dataclasses.dataclass(frozen=True)
class Disk:
    """The identity in a log dir: empty and None where its meta.properties says none. ``error``: why it was not read.

    ``deployed``: the configuration in place or that of the process names the log dir.
    """

    path: str
    deployed: bool
    cluster_id: str = ""
    node_id: int | None = None
    directory_id: str = ""
    error: str = ""


@dataclasses.dataclass(frozen=True)
class Identity:
    """``deployed``: a unit, a process or a configuration of a node is there. ``node_id``: as configured, or "".

    ``removed_from``: cluster id in the mark of a removal, "" without one. ``certificate``: PEM of the node, or "";
    ``owner``: its subject (``CN``, ``OU``, ``O``), which only the control machine reads.
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
    def of(cls, facts: Mapping[str, Any]) -> Identity:
        """What ``as_facts`` described."""
        return cls(**{**facts, "disks": tuple(Disk(**one) for one in facts["disks"])})

    @property
    def clusters(self) -> dict[str, Disk]:
        """Cluster id -> the first log dir that names it."""
        named = {one.cluster_id: one for one in reversed(self.disks) if one.cluster_id}
        return dict(reversed(list(named.items())))

    def foreign_cluster(self, cluster_id: str) -> str:
        """The id of another cluster whose node the host is; "" where it is none."""
        return next((one for one in self.clusters if one != cluster_id), "")

    @property
    def empty(self) -> bool:
        """Whether there is no trace of a node."""
        return not (self.deployed or self.clusters or self.removed_from)


@dataclasses.dataclass(frozen=True)
class Clash:
    """How a host differs from the inventory. ``path``: the log dir that says so, "" where none does."""

    kind: str
    path: str = ""
    cluster_id: str = ""
    node_id: int | None = None

    def sentence(self, cluster_id: str, node_id: int) -> str:
        """For the host itself. The control side knows the other hosts, and says more."""
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
    """Look at what is in place, at the record of the process `pid` (0: none runs), and at `log_dirs` of the inventory.

    Changes nothing. What cannot be read is in ``Disk.error``.
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
    """The log dirs that a configuration names. Kafka reads ``log.dir`` only where there is no ``log.dirs``."""
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
    """The first certificate in a PEM file; "" without one. Shows no key."""
    found = re.search(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", read(Path(path)), re.DOTALL)
    return found.group(0) if found else ""


def clashes(found: Identity, cluster_id: str, node_id: int) -> Iterator[Clash]:
    """How a host differs from the inventory, by its log dirs; the gravest first, nothing where it does not.

    A node that is deployed must have a log dir of the cluster, or the mark of its removal from it.
    """
    foreign = [one for one in found.disks if one.cluster_id not in ("", cluster_id)]
    others = [one for one in found.disks if one.cluster_id == cluster_id and one.node_id not in (None, node_id)]
    for kind, disks in ((FOREIGN, foreign), (OTHER_NODE, others)):
        yield from (Clash(kind, one.path, one.cluster_id, one.node_id) for one in disks)
    if found.deployed and cluster_id not in (*found.clusters, found.removed_from) and not foreign:
        yield Clash(UNNAMED)


def is_foreign(found: Identity, cluster_id: str, node_id: int) -> bool:
    """Whether a log dir says that the host is another node, or another cluster's."""
    return any(one.kind != UNNAMED for one in clashes(found, cluster_id, node_id))


def require(found: Identity, cluster_id: str, node_id: int, unnamed: bool = False) -> None:
    """Raise RefusedError where the host is not this node of this cluster.

    `unnamed`: whether a node without an identity may pass, as before its first start.
    """
    wrong = [one for one in clashes(found, cluster_id, node_id) if not (unnamed and one.kind == UNNAMED)]
    if wrong:
        raise RefusedError([one.sentence(cluster_id, node_id) for one in wrong])


def mark(install_dir: str, cluster_id: str) -> dict[str, Any]:
    """The file that says that the node leaves its cluster, as ``files`` of module ``kafka_files`` has one."""
    content = f"Taken out of cluster {cluster_id} by remove_nodes.yml.\n"
    path = os.path.join(install_dir, REMOVED)
    return {"path": path, "content": content, "owner": "root", "group": "root", "mode": "0644", "sensitive": False}


def _properties(path: str) -> dict[str, str]:
    return parse_properties(read(Path(path)))


def _plain(path: str) -> str:
    return path.strip().rstrip("/")
