"""Plan for a node's log dirs: nothing, format, complete a format that was killed, or refuse. Pure.

The rules that keep data: a directory with data is never formatted; a disk of another cluster or node is refused; and a
controller whose metadata log is gone is not formatted as a voter once the quorum has run: with an empty log it could
help to elect a leader that misses committed records (the rejected alternative of KIP-856; seen on 4.3.1 as a second
quorum of one beside the running one). Such a voter is replaced: removed from the quorum, formatted as observer, added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ansible.module_utils.kraft.client_config import normal_host_port
from ansible.module_utils.kraft.node.storage.log_dir import ABSENT, EMPTY, FORMATTED, INTERRUPTED, LogDir
from ansible.module_utils.kraft.node.storage.rules import (
    content_problems,
    identity_problems,
    rejoin_problems,
    voter_problems,
)
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer
from ansible.module_utils.kraft.problem import Problem

NOTHING = "nothing"
FORMAT = "format"
COMPLETE = "complete"

ACTIONS = {ABSENT: FORMAT, EMPTY: FORMAT, INTERRUPTED: COMPLETE}


@dataclasses.dataclass(frozen=True)
class StoragePlan:
    """``actions``: log dir -> nothing | format | complete. ``problems``: with any, nothing at all may be done.

    ``flags``: for the format tool. ``set_aside``: dirs whose meta.properties is renamed, since the tool takes any file
    of that name for a finished format.
    """

    actions: dict[str, str]
    problems: tuple[Problem, ...] = ()
    flags: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(action != NOTHING for action in self.actions.values())


def plan_storage(node: NodeStorage, dirs: Sequence[LogDir], peers: Sequence[Peer]) -> StoragePlan:
    """Plan for `dirs`, which are all of ``node.log_dirs`` as observed; `peers` are the other nodes."""
    lived = any(peer.lived for peer in peers) or any(found.lived for found in dirs)
    actions = {found.path: action_for(node, found, lived) for found in dirs}
    problems = [*content_problems(node, dirs), *identity_problems(node, dirs)]
    if node.is_controller and actions[node.metadata_log_dir] != NOTHING:
        problems += rejoin_problems(node, peers) if node.rejoins else voter_problems(node, dirs, peers)
    if problems or all(action == NOTHING for action in actions.values()):
        return StoragePlan(actions, tuple(problems))
    aside = tuple(found.path for found in dirs if actions[found.path] == COMPLETE and found.has_meta)
    return StoragePlan(actions, flags=tool_flags(node, dirs, actions), set_aside=aside)


def action_for(node: NodeStorage, found: LogDir, lived: bool) -> str:
    """Return the action. A formatted dir is done, unless a controller's first start could not use its files.

    A power cut may have emptied them. Or the run that wrote them died before anything was started, and the inventory
    names other voters by now: each would begin the quorum that it was formatted for. `lived`: a node of the cluster was
    started already, so that this one learns the voters from it.
    """
    waits = found.state == FORMATTED and not found.lived and node.is_controller and found.path == node.metadata_log_dir
    astray = node.is_dynamic_voter and not lived and other_voters(node, found)
    unnamed = node.rejoins and node.is_dynamic_voter and found.directory_id != node.directory_id
    if waits and (unnamed or (astray and not node.rejoins) or not found.bootstrap_ok):
        return COMPLETE
    return ACTIONS.get(found.state, NOTHING)


def other_voters(node: NodeStorage, found: LogDir) -> bool:
    """Check whether the format was given other voters than the inventory names."""
    if found.voters is None:
        return False
    return set(map(normal_voter, found.voters)) != set(map(normal_voter, node.voters.values()))


def normal_voter(entry: str) -> str:
    """Normalise the host of ``id@host:port:directory id``: Kafka writes IPv6 in full, without brackets."""
    node_id, _, rest = entry.partition("@")
    address, _, directory_id = rest.rpartition(":")
    return f"{node_id}@{normal_host_port(address)}:{directory_id}"


def tool_flags(node: NodeStorage, dirs: Sequence[LogDir], actions: dict[str, str]) -> tuple[str, ...]:
    """Return the flags of ``kafka-storage format``.

    A dynamic controller must be given one of the quorum flags even when only a data dir is new; then it is the one that
    cannot write voters. The quorum's voters are given only if the metadata log itself is formatted, and not to one that
    rejoins with an empty disk: it learns them from the quorum.
    """
    flags = []
    if any(found.has_meta and actions[found.path] == NOTHING for found in dirs):
        flags.append("--ignore-formatted")
    if node.is_dynamic_voter and not node.rejoins and actions[node.metadata_log_dir] != NOTHING:
        flags.append(f"--initial-controllers={node.initial_controllers}")
    elif node.is_dynamic_voter:
        flags.append("--no-initial-controllers")
    return tuple(flags)
