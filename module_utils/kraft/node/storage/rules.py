"""Rules that forbid to touch a node's log dirs, each as a problem that shows both sides and a remedy. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ansible.module_utils.kraft.identity import directory_id_after
from ansible.module_utils.kraft.node.storage.log_dir import (
    FOREIGN,
    FORMATTED,
    INTERRUPTED,
    LEFTOVERS,
    NO_IDENTITY,
    NOT_A_DIRECTORY,
    UNREADABLE,
    ZOOKEEPER,
    LogDir,
)
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer
from ansible.module_utils.kraft.problem import Problem

REPLACE_VOTER = "replace the node if that disk is lost (playbooks/replace_node.yml)"
ADD_VOTER = "a new controller comes with playbooks/add_nodes.yml"


def variable_of(node: NodeStorage, path: str) -> str:
    """Return the variable that names the directory (the metadata log is in the first log dir by default)."""
    own = path == node.metadata_log_dir and path != node.log_dirs[0]
    return "kafka_metadata_log_dir" if own else "kafka_log_dirs"


def content_problems(node: NodeStorage, dirs: Sequence[LogDir]) -> Iterator[Problem]:
    """Yield directories whose content must not be formatted, whatever the identity."""
    for found in dirs:
        explained = explain_content(found)
        if explained:
            message, remedy = explained
            variable = variable_of(node, found.path)
            yield Problem(f"log_dir_{found.state}", message, remedy, variable, node.host, found.path)


def explain_content(found: LogDir) -> tuple[str, str] | None:
    """Return (problem, remedy), or None if the content is no obstacle."""
    holds = ", ".join(found.lived or found.unknown)
    meta = f"its meta.properties {found.detail or 'is missing'}"
    texts = {
        NO_IDENTITY: (
            f"{found.path} holds data ({holds}) but {meta}",
            "restore meta.properties (version=1, cluster.id, node.id, directory.id of this disk) from a backup;"
            " do not format it, that would lose its records",
        ),
        LEFTOVERS: (
            f"{found.path} was emptied: it holds no records, but files of its last start ({holds})",
            "remove these files; then run playbooks/replace_node.yml if this was the node's only log dir, or run again",
        ),
        FOREIGN: (
            f"{found.path} contains files that are not Kafka's ({holds})",
            "name an empty directory, or move these files away",
        ),
        ZOOKEEPER: (
            f"{found.path} has data of a ZooKeeper cluster ({holds or 'meta.properties with broker.id'})",
            "migrate that cluster to KRaft with Kafka 3.9 first, or name an empty directory",
        ),
        NOT_A_DIRECTORY: (
            f"{found.path} is not a directory",
            "name a directory, or a path that does not exist yet",
        ),
        UNREADABLE: (
            f"{found.path} cannot be read ({found.detail})",
            "check the disk and its mount before anything is written to it",
        ),
    }
    return texts.get(found.state)


def identity_problems(node: NodeStorage, dirs: Sequence[LogDir]) -> Iterator[Problem]:
    """Yield every difference between the disks and the inventory, with both values."""
    for found in dirs:
        if found.state in (FORMATTED, INTERRUPTED):
            yield from owner_problems(node, found)
    yield from directory_id_problems(node, dirs)


def owner_problems(node: NodeStorage, found: LogDir) -> Iterator[Problem]:
    """Yield problems of a disk of another cluster or of another node."""
    if found.cluster_id and found.cluster_id != node.cluster_id:
        yield Problem(
            "foreign_cluster_id",
            f"{found.path} belongs to cluster id {found.cluster_id}, but the inventory says {node.cluster_id}",
            "correct the inventory, or attach this cluster's disk; the disk was not changed",
            "kafka_cluster_id",
            node.host,
            found.cluster_id,
        )
    if found.node_id is not None and found.node_id != node.node_id:
        yield Problem(
            "foreign_node_id",
            f"{found.path} belongs to node id {found.node_id}, but the inventory says {node.node_id}",
            "give the host the node id of its disk, or attach this node's disk; the disk was not changed",
            "kafka_node_id",
            node.host,
            found.node_id,
        )


def directory_id_problems(node: NodeStorage, dirs: Sequence[LogDir]) -> Iterator[Problem]:
    """Check directory ids: they identify voters, and no two directories may share one (a copied disk)."""
    seen: dict[str, str] = {}
    for found in dirs:
        own = (found.cluster_id, found.node_id) == (node.cluster_id, node.node_id)
        known = found.directory_id if found.state == FORMATTED and own else ""
        voter_log = node.is_dynamic_voter and found.path == node.metadata_log_dir
        voter_log = voter_log and not (node.rejoins and not found.lived)
        if voter_log and known and node.directory_id and known != node.directory_id:
            yield Problem(
                "foreign_directory_id",
                f"{found.path} has directory id {known}, this voter's is {node.directory_id}",
                f"set kafka_directory_id to {known} for this host: its quorum is static and lists no directory ids"
                if node.was_static
                else f"if the quorum lists {known} (kafka-metadata-quorum describe --replication), set"
                f" kafka_directory_id to it for this host; otherwise {REPLACE_VOTER}",
                "kafka_directory_id",
                node.host,
                known,
            )
        if known and known in seen:
            yield Problem(
                "duplicate_directory_id",
                f"{found.path} and {seen[known]} have the same directory id {known}: one is a copy of the other",
                "attach the disk that belongs here; Kafka does not start with both",
                variable_of(node, found.path),
                node.host,
                known,
            )
        seen.setdefault(known, found.path)


def voter_problems(node: NodeStorage, dirs: Sequence[LogDir], peers: Sequence[Peer]) -> Iterator[Problem]:
    """Yield reasons not to format this controller as a voter of a new quorum."""
    variable, path = variable_of(node, node.metadata_log_dir), node.metadata_log_dir
    own_entry = node.voters.get(node.node_id, "")
    others = [peer for peer in peers if peer.node_id != node.node_id]
    alive = [f"{peer.host} ({', '.join(peer.lived)})" for peer in others if peer.lived]
    own = [f"{found.path} ({', '.join(found.lived)})" for found in dirs if found.lived]
    unnamed = sorted(set(node.voters) - {node.node_id} - {peer.node_id for peer in others})
    unknown = [peer.host for peer in others if not peer.known] + [f"node {node_id}" for node_id in unnamed]
    if alive or own:
        yield Problem(
            "voter_lost_its_log",
            f"{path} has no metadata log, but other directories show that the cluster was in use:"
            f" {'; '.join(own + alive)}."
            " If it is formatted again, this voter can help to elect a leader that lacks committed records",
            f"attach the disk with the log, or {REPLACE_VOTER}; {ADD_VOTER}",
            variable,
            node.host,
            path,
        )
    if unknown:
        yield Problem(
            "voter_needs_all_peers",
            f"{path} would start a new quorum, but nothing is known of the disks of {', '.join(unknown)}",
            "make all nodes reachable and run without --limit",
            variable,
            node.host,
            path,
        )
    if node.is_dynamic_voter and not own_entry.endswith(f":{node.directory_id}"):
        yield Problem(
            "not_an_initial_voter",
            f"The initial controllers ({node.initial_controllers or 'none'}) do not hold node {node.node_id}"
            f" with directory id {node.directory_id or '(none)'}",
            "all controllers must be formatted with the same list, which names each with its directory id",
            "kafka_directory_id",
            node.host,
            node.initial_controllers,
        )


def rejoin_problems(node: NodeStorage, peers: Sequence[Peer]) -> Iterator[Problem]:
    """Yield reasons not to format this controller as one that rejoins a running quorum with an empty disk."""
    lived = [peer for peer in peers if peer.node_id != node.node_id and peer.lived]
    if not node.is_dynamic_voter:
        message = (
            "The node is a voter of a static quorum, which knows its node id alone: it could vote with an empty log"
        )
        remedy = "give it its disk back; a dynamic quorum (migrate_quorum.yml, while all voters live) can replace one"
        yield Problem("static_quorum", message, remedy, "kafka_replace_node", node.host)
    elif not lived:
        message = "No other node has data: there is no quorum to rejoin"
        yield Problem("no_quorum", message, "run site.yml for a new cluster", "kafka_replace_node", node.host)
    elif node.directory_id == node.listed_directory_id:
        message = "The quorum lists this directory id for a lost log: an empty log could vote under it"
        remedy = f"give this host another one, such as {directory_id_after(node.directory_id)}"
        yield Problem("listed_directory_id", message, remedy, "kafka_directory_id", node.host, node.directory_id)
