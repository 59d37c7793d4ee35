"""Plan to start, restart or stop a node. Pure."""

from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.difference import (
    CONTRIBUTED,
    JVM_OPTIONS,
    LOGGING,
    PROPERTIES,
    RECORD,
    RELEASE,
    REQUEST,
    UNIT,
    Difference,
)
from ansible.module_utils.kraft.node.service.client_moves import Move
from ansible.module_utils.kraft.node.service.difference_text import sentences
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

STARTED, RESTARTED, REVERTED, STOPPED, REPORTED = "started", "restarted", "reverted", "stopped", "reported"
STATES = (STARTED, RESTARTED, REVERTED, STOPPED, REPORTED)
#: Actions in the order of their execution.
KEEP, RESTORE, PLACE, FLIP, RELOAD, ENABLE = "keep", "restore", "place", "flip", "reload", "enable"
RESET = "reset"
START, RESTART, STOP = "start", "restart", "stop"
#: Actions that only systemd, or a later rollback, notices.
HOUSEKEEPING = (KEEP, RELOAD, RESET)
OWN = (PROPERTIES, JVM_OPTIONS, LOGGING)


@dataclasses.dataclass(frozen=True)
class NodeState:
    """Current state of a node. ``current``: version that the link ``current`` leads to, '' without one.

    ``running_release``: version that the running process was started from, '' if none runs or it is unknown.
    ``differences``: what a start would change about the running process. ``pending``: files that wait for a start, or
    that were edited in place. ``recorded``: the process's record is complete, so that it can be kept. ``moves``: what a
    start would change for clients. ``edited``: those of `pending` that match neither the next start nor the last one,
    and are in the record.
    """

    service: ServiceState
    current: str = ""
    running_release: str = ""
    differences: tuple[Difference, ...] = ()
    pending: tuple[str, ...] = ()
    recorded: bool = False
    moves: tuple[Move, ...] = ()
    edited: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        """Check that a process runs or is being started; not while systemd waits before its next try."""
        return self.service.active and self.service.sub_state != "auto-restart"

    @property
    def stopped(self) -> bool:
        return self.service.state in ("inactive", "failed")


def start_actions(node: NodeState, release: str, how: str, keep: bool = False) -> tuple[str, ...]:
    """Return the actions of a start: the final configuration first, then one start.

    Reset each time: systemd counts our starts with those of a crash loop, and refuses the sixth in two minutes.
    """
    service = node.service
    wanted = {
        KEEP: keep and node.running and node.recorded and bool(node.differences),
        PLACE: bool(node.pending),
        FLIP: node.current != release,
        RELOAD: service.needs_reload or not service.installed or has_unit(node.pending),
        ENABLE: not service.enabled,
        RESET: service.installed,
        how: True,
    }
    return tuple(action for action, needed in wanted.items() if needed)


def has_unit(names: tuple[str, ...]) -> bool:
    return any(name.endswith(".service") for name in names)


def plan_node(node: NodeState, state: str, release: str, keep: bool = False) -> tuple[str, ...]:
    """Return the actions for the requested state. `keep`: a restart keeps the record of the process for a rollback.

    ``started`` never restarts. A unit that waits for its next try (auto-restart) is restarted, since a start would wait
    as long as systemd does.
    """
    if state == STOPPED:
        return () if node.stopped else (STOP,)
    if state in (RESTARTED, REVERTED):
        return start_actions(node, release, RESTART, keep and state == RESTARTED)
    if state == STARTED and not node.running:
        return start_actions(node, release, RESTART if node.service.active else START)
    if state == STARTED:
        return put_right(node, release)
    return ()


def put_right(node: NodeState, release: str) -> tuple[str, ...]:
    """Return the actions that a running node needs without a restart.

    A file that matches the process, or that it rereads without a restart, must be in place: an edit would come with
    some later start. A file that differs waits for the restart, and until then the started one stays in place. It may
    wait for long: a live change causes no restart.
    """
    free, kept = placeable(node), restorable(node)
    wanted = {
        RESTORE: bool(kept),
        PLACE: bool(free),
        FLIP: node.running_release == release != node.current,
        RELOAD: has_unit((*free, *kept)),
        ENABLE: not node.service.enabled,
    }
    return tuple(action for action, needed in wanted.items() if needed)


def placeable(node: NodeState) -> tuple[str, ...]:
    """Return those of `pending` that wait for no restart. Files of other roles belong together: their list names them.

    While unit or options wait, so does a list with other names: the installed ones still need the files that go.
    """
    differing = {one.file for one in node.differences}
    if differing & {RELEASE, RECORD}:
        return ()
    others = {name for name in differing if name not in (*OWN, UNIT, REQUEST) and not name.startswith("/")}
    together = others or (CONTRIBUTED in node.pending and differing & {UNIT, JVM_OPTIONS})
    held = differing | {name for name in node.pending if together and name not in OWN and not has_unit((name,))}
    return tuple(name for name in node.pending if (UNIT if has_unit((name,)) else name) not in held)


def restorable(node: NodeState) -> tuple[str, ...]:
    """Return files that wait for a restart, and were edited in place meanwhile."""
    free = placeable(node)
    return tuple(name for name in node.edited if name not in free)


def changes(actions: tuple[str, ...]) -> bool:
    return bool(set(actions) - set(HOUSEKEEPING))


def described(running: bool, enabled: bool, current: str) -> str:
    words = {True: "yes", False: "no"}
    return f"running: {words[running]}\nenabled: {words[enabled]}\ncurrent: {current or '(none)'}\n"


def diff(node: NodeState, actions: tuple[str, ...], release: str, unit: str) -> dict[str, str]:
    """Return Ansible's diff of the plan; a restart shows its differences."""
    running = STOP not in actions and (node.running or bool({START, RESTART} & set(actions)))
    after = described(running, node.service.enabled or ENABLE in actions, release if FLIP in actions else node.current)
    if PLACE in actions and not {START, RESTART} & set(actions):
        after += "".join(f"put back as wanted: {name}\n" for name in placeable(node))
    if RESTORE in actions:
        after += "".join(f"put back as it was started with: {name}\n" for name in restorable(node))
    if RESTART in actions and node.running:
        why = sentences(node.differences) or ["the request"]
        after += "restarted, because of\n" + "".join(f"  {text}\n" for text in why)
    before = described(node.running, node.service.enabled, node.current)
    return {"before_header": unit, "after_header": unit, "before": before, "after": after}
