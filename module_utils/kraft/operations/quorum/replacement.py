"""May a node come back with an empty disk under its old node id, and if not, why not? Pure.

The running nodes are asked before anything is changed on the machine that takes the node's place. This prevents that

- a disk that is still there is given up;
- two processes answer to one node id;
- an empty log votes under the directory id of the lost one;
- an old voter entry leaves although the voters that stay are then no majority;
- the only replica of acknowledged records comes back empty and counts as the whole partition.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ansible.module_utils.kraft.cluster.health import caught_up, delay
from ansible.module_utils.kraft.cluster.shutdown_check import silent
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Quorum, Replica, Snapshot
from ansible.module_utils.kraft.identity import directory_id_after
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.operations.quorum.plan import Desired, plan
from ansible.module_utils.kraft.operations.quorum.plan import quorum_refusals as quorum_problems
from ansible.module_utils.kraft.problem import Problem

#: Parts of a snapshot that the checks need.
PARTS = ("quorum", "features", "topics")
NAMED = 5
RULE = "only_replica"  #: the risk that can be accepted by its name


@dataclasses.dataclass(frozen=True)
class Replaced:
    """The desired node and its machine as found. ``directory_id``: the desired one of the metadata log.

    ``log_dirs``: as found, ``metadata_log_dir`` is the path of one of them. ``running``: Kafka runs on that machine.
    """

    node_id: int
    roles: tuple[str, ...]
    directory_id: str = ""
    log_dirs: tuple[LogDir, ...] = ()
    metadata_log_dir: str = ""
    running: bool = False
    accepted_risks: tuple[str, ...] = ()

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def decisive(self) -> tuple[LogDir, ...]:
        """Return the directories whose loss requires a replacement: a controller's metadata log, all of a broker's."""
        return tuple(one for one in self.log_dirs if not self.is_controller or one.path == self.metadata_log_dir)


def listed_directory_id(node_id: int, snapshot: Snapshot) -> str:
    """Return the directory id under which the quorum lists the node; empty if it does not."""
    entry = _entry(node_id, snapshot.quorum)
    return entry.directory_id if entry else ""


def replacement_refusals(node: Replaced, snapshot: Snapshot) -> list[Problem]:
    """Return all final obstacles. A node that runs on its machine is on its way already, by an earlier run."""
    desired = Desired(node.node_id, present=False)
    found = quorum_problems(desired, snapshot) if node.is_controller else []
    if found or node.running:
        return found
    return [*_data_there(node, snapshot), *_same_directory(node, snapshot), *_only_replicas(node, snapshot)]


def waits(node: Replaced, snapshot: Snapshot) -> tuple[str, ...]:
    """Describe preconditions: the old node is silent, a majority has caught up."""
    if node.running:
        return ()
    found = list(_elsewhere(node, snapshot))
    if node.is_controller and listed_directory_id(node.node_id, snapshot) != node.directory_id:
        found += plan(Desired(node.node_id, present=False), snapshot).waits
    return tuple(found)


def _entry(node_id: int, quorum: Quorum | None) -> Replica | None:
    return next((one for one in quorum.voters if one.node_id == node_id), None) if quorum else None


def _data_there(node: Replaced, snapshot: Snapshot) -> Iterator[Problem]:
    """Report a disk with the node's data. The directory id of an interrupted run is not listed, and counts as empty."""
    known = listed_directory_id(node.node_id, snapshot)
    for found in node.decisive:
        if found.has_data and (not node.is_controller or found.directory_id == known):
            text = f"{found.path} holds the node's data ({found.lived[0]}), so it needs no replacement"
            yield Problem("data_is_there", text, "run site.yml, which starts the node with it", "kafka_replace_node")


def _same_directory(node: Replaced, snapshot: Snapshot) -> Iterator[Problem]:
    known = listed_directory_id(node.node_id, snapshot)
    if node.is_controller and known and known == node.directory_id and not any(one.has_data for one in node.decisive):
        text = f"The quorum lists {known} for the lost log, and an empty log with the same id could vote"
        remedy = f"give this host another directory id in the inventory, such as {directory_id_after(known)}"
        yield Problem("listed_directory_id", text, remedy, "kafka_directory_id", value=known)


def _only_replicas(node: Replaced, snapshot: Snapshot) -> Iterator[Problem]:
    """Report partitions without a leader or others that it may elect: Kafka would take the empty one for the whole."""
    if RULE in node.accepted_risks or any(one.has_data for one in node.decisive):
        return
    found = [
        f"{topic.name}-{one.partition}"
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if node.node_id in one.replicas and one.leader == NO_NODE and one.electable <= {node.node_id}
    ]
    if found:
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        text = f"no other broker is in sync for {', '.join(found[:NAMED])}{more}; their records would be lost"
        remedy = f"mount the node's old disk again or, if that is lost, list {RULE} in kafka_accepted_risks"
        yield Problem(RULE, text, remedy, "kafka_replace_node")


def _elsewhere(node: Replaced, snapshot: Snapshot) -> Iterator[str]:
    """Describe signs of the node elsewhere, although nothing runs on the inspected machine."""
    stop = "stop it before you replace it"
    quorum = snapshot.quorum
    for one in (*quorum.voters, *quorum.observers) if quorum else ():
        if quorum and one.node_id == node.node_id and not silent(one, quorum):
            state = "still runs" if caught_up(one) else f"{delay(one)} and may still run"
            kind = "controller" if node.is_controller else "broker"
            yield f"{kind} {node.node_id} {state} elsewhere with directory id {one.directory_id}: {stop}"
    for broker in snapshot.brokers:
        if broker.node_id == node.node_id and not broker.fenced:
            yield f"broker {node.node_id} serves elsewhere, at {broker.address}: {stop}"


def distance(snapshot: Snapshot | None) -> int | None:
    """Return the lag of the voters, in records. While it falls, waiting is useful."""
    if snapshot is None or snapshot.quorum is None:
        return None
    return sum(one.lag or 0 for one in snapshot.quorum.voters)
