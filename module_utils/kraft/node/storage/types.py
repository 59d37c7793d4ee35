"""Desired storage of a node, and known storage of the other nodes. Values only."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class NodeStorage:
    """Desired storage of a node. ``log_dirs`` includes ``metadata_log_dir``; ``directory_id`` only for a voter.

    ``initial_controllers``: ``id@host:port:directory_id,…`` of all voters; empty for a static quorum.
    """

    host: str
    node_id: int
    cluster_id: str
    roles: tuple[str, ...]
    log_dirs: tuple[str, ...]
    metadata_log_dir: str
    quorum: str = "dynamic"
    directory_id: str = ""
    initial_controllers: str = ""
    #: The voter's disk is lost: it rejoins as an observer, with another directory id than the listed one.
    rejoins: bool = False
    listed_directory_id: str = ""
    #: The node's configuration has a list of voters: their directory ids are on their disks alone.
    was_static: bool = False

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def is_dynamic_voter(self) -> bool:
        return self.is_controller and self.quorum == "dynamic"

    @property
    def voters(self) -> dict[int, str]:
        """Return node id -> entry of each voter in ``initial_controllers``."""
        entries = [entry for entry in self.initial_controllers.split(",") if entry.partition("@")[0].isdigit()]
        return {int(entry.partition("@")[0]): entry for entry in entries}


@dataclasses.dataclass(frozen=True)
class Peer:
    """Another node of the cluster, as seen in this run. ``known``: its log dirs were inspected.

    ``lived``: traces of a start (names below its log dirs, or its running process).
    """

    host: str
    node_id: int
    known: bool
    lived: tuple[str, ...] = ()
