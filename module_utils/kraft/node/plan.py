"""What must be done so that a node runs, runs anew, or does not run. Pure."""

from __future__ import annotations

import dataclasses

from ansible.module_utils.kraft.node.service import ServiceState

STARTED, RESTARTED, STOPPED, REPORTED = "started", "restarted", "stopped", "reported"
STATES = (STARTED, RESTARTED, STOPPED, REPORTED)
#: Actions in the order in which they are done.
FLIP, RELOAD, ENABLE, RESET, START, RESTART, STOP = "flip", "reload", "enable", "reset", "start", "restart", "stop"
#: What nobody but systemd notices.
HOUSEKEEPING = (RELOAD, RESET)


@dataclasses.dataclass(frozen=True)
class NodeState:
    """A node as it is. ``current``: version that the link ``current`` leads to, '' without one.

    ``running_release``: version that the running process was started from, '' where nothing runs or nobody knows.
    """

    service: ServiceState
    current: str = ""
    running_release: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        """Whether a process runs or is being started; not while systemd waits before it tries once more."""
        return self.service.active and self.service.sub_state != "auto-restart"

    @property
    def stopped(self) -> bool:
        return self.service.state in ("inactive", "failed")


def start_actions(node: NodeState, release: str, how: str) -> tuple[str, ...]:
    """All that comes with a start: the final configuration first, then one start.

    Reset each time: systemd counts our starts with those of a crash loop, and refuses the sixth in two minutes.
    """
    service = node.service
    wanted = {
        FLIP: node.current != release,
        RELOAD: service.needs_reload or not service.installed,
        ENABLE: not service.enabled,
        RESET: service.installed,
        how: True,
    }
    return tuple(action for action, needed in wanted.items() if needed)


def plan_node(node: NodeState, state: str, release: str) -> tuple[str, ...]:
    """Actions for the asked state.

    ``started`` never restarts: a running node is at most enabled, and ``current`` led back to the release it runs from.
    A unit that waits for its next try (auto-restart) is restarted, since a start would wait as long as systemd does.
    """
    if state == STOPPED:
        return () if node.stopped else (STOP,)
    if state == RESTARTED:
        return start_actions(node, release, RESTART)
    if state == STARTED and not node.running:
        return start_actions(node, release, RESTART if node.service.active else START)
    if state == STARTED:
        lost = node.running_release == release != node.current
        return ((FLIP,) if lost else ()) + (() if node.service.enabled else (ENABLE,))
    return ()


def changes(actions: tuple[str, ...]) -> bool:
    return bool(set(actions) - set(HOUSEKEEPING))


def described(running: bool, enabled: bool, current: str) -> str:
    words = {True: "yes", False: "no"}
    return f"running: {words[running]}\nenabled: {words[enabled]}\ncurrent: {current or '(none)'}\n"


def diff(node: NodeState, actions: tuple[str, ...], release: str, unit: str) -> dict[str, str]:
    """Ansible's diff of the plan; a restart gives its reasons."""
    running = STOP not in actions and (node.running or bool({START, RESTART} & set(actions)))
    after = described(running, node.service.enabled or ENABLE in actions, release if FLIP in actions else node.current)
    if RESTART in actions and node.running:
        after += "restarted, because of\n" + "".join(f"  {reason}\n" for reason in node.reasons or ("the request",))
    before = described(node.running, node.service.enabled, node.current)
    return {"before_header": unit, "after_header": unit, "before": before, "after": after}
