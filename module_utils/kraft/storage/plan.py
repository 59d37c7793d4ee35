"""What to do with a node's log dirs: nothing, format, complete a format that was killed, or refuse. Pure.

The rules that keep data: what holds data is never formatted; a disk of another cluster or node is refused; and a
controller whose metadata log is gone is not formatted as a voter once the quorum has lived: with an empty log it could
help to elect a leader that misses committed records (the rejected alternative of KIP-856; seen on 4.3.1 as a second
quorum of one beside the living one). Such a voter is replaced: removed from the quorum, formatted as observer, added.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.storage.log_dir import ABSENT, EMPTY, FORMATTED, INTERRUPTED, LogDir
from ansible.module_utils.kraft.storage.rules import content_problems, identity_problems, voter_problems
from ansible.module_utils.kraft.storage.types import NodeStorage, Peer

NOTHING = "nothing"
FORMAT = "format"
COMPLETE = "complete"

ACTIONS = {ABSENT: FORMAT, EMPTY: FORMAT, INTERRUPTED: COMPLETE}


@dataclasses.dataclass(frozen=True)
class StoragePlan:
    """``actions``: log dir -> nothing | format | complete. ``problems``: with any, nothing at all may be done.

    ``flags``: for the format tool. ``set_aside``: dirs whose meta.properties must make room, since the tool takes any
    file of that name for a finished format.
    """

    actions: dict[str, str]
    problems: tuple[Problem, ...] = ()
    flags: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return any(action != NOTHING for action in self.actions.values())


def plan_storage(node: NodeStorage, dirs: Sequence[LogDir], peers: Sequence[Peer]) -> StoragePlan:
    """The plan for `dirs`, which are all of ``node.log_dirs`` as observed; `peers` are the other nodes."""
    actions = {found.path: action_for(node, found) for found in dirs}
    problems = [*content_problems(node, dirs), *identity_problems(node, dirs)]
    if node.is_controller and actions[node.metadata_log_dir] != NOTHING:
        problems += voter_problems(node, dirs, peers)
    if problems or all(action == NOTHING for action in actions.values()):
        return StoragePlan(actions, tuple(problems))
    aside = tuple(found.path for found in dirs if actions[found.path] == COMPLETE and found.has_meta)
    return StoragePlan(actions, flags=tool_flags(node, dirs, actions), set_aside=aside)


def action_for(node: NodeStorage, found: LogDir) -> str:
    """A formatted dir is done, unless a power cut emptied the records that the first start of a controller reads."""
    unusable = found.state == FORMATTED and not found.lived and not found.bootstrap_ok
    if unusable and node.is_controller and found.path == node.metadata_log_dir:
        return COMPLETE
    return ACTIONS.get(found.state, NOTHING)


def tool_flags(node: NodeStorage, dirs: Sequence[LogDir], actions: dict[str, str]) -> tuple[str, ...]:
    """Flags of ``kafka-storage format``.

    A dynamic controller must be given one of the quorum flags even when only a data dir is new; then it is the one that
    cannot write voters. The quorum's voters are given only where the metadata log itself is formatted.
    """
    flags = []
    if any(found.has_meta and actions[found.path] == NOTHING for found in dirs):
        flags.append("--ignore-formatted")
    if node.is_dynamic_voter and actions[node.metadata_log_dir] != NOTHING:
        flags.append(f"--initial-controllers={node.initial_controllers}")
    elif node.is_dynamic_voter:
        flags.append("--no-initial-controllers")
    return tuple(flags)
