"""Phases in which the authority of a running cluster is replaced: the next step, and its preconditions. Pure.

Nodes trust both authorities, then all certificates are of the new one, then nodes trust the new one only. A step is
taken when what was observed on each node allows it. The Raft client of a process keeps the certificate and the trusted
authorities that it was started with (KAFKA-20025), so these are observed, too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ansible.module_utils.kraft.node.certificate import NODES

#: Phases, by the files of the authority.
IDLE, BOTH, ISSUED, NEW_ONLY = "idle", "both", "issued", "new_only"
#: Steps from one phase to the next one.
BEGIN, ISSUE, DROP, FINISH = "begin", "issue", "drop", "finish"
STEP = {IDLE: BEGIN, BOTH: ISSUE, ISSUED: DROP, NEW_ONLY: FINISH}
#: Precondition of a step: clients have the new trusted authorities, or their new certificates.
CLIENTS_FIRST = {NODES: ISSUE}


@dataclasses.dataclass(frozen=True)
class Node:
    """Observed state of one node.

    ``runs``: it has a process. ``old``, ``new``: its files trust that authority.
    ``current``: its process was started with these files. ``certificate``, ``process``: the certificate on its disk,
    and the one of its process, are of the new authority. ``others``: its listeners that show another certificate.
    """

    host: str
    runs: bool = True
    old: bool = True
    new: bool = False
    current: bool = True
    certificate: bool = False
    process: bool = False
    others: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Decision:
    """``step``: what is done now; empty while something is waited for, and if nothing is left to do.

    ``waits``: for which hosts, with the reason. ``users``: whose certificates are to be issued first.
    ``clients``: whether clients must take something first.
    """

    step: str = ""
    waits: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    clients: bool = False


def decide(root: str, phase: str, nodes: Sequence[Node], users: Sequence[str] = (), ready: bool = False) -> Decision:
    """Decide the next step. `users`: those with old certificates. `ready`: clients have taken what they need."""
    if phase == IDLE:
        return Decision() if ready else Decision(BEGIN)
    waits = tuple(_waits(root, phase, nodes))
    due = tuple(users) if phase == ISSUED else ()
    if waits or due:
        return Decision(waits=waits, users=due)
    step = STEP[phase]
    if step == CLIENTS_FIRST.get(root, DROP) and not ready:
        return Decision(clients=True)
    return Decision(step)


def _waits(root: str, phase: str, nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if reason := _reason(root, phase, node):
            yield f"{node.host} {reason}"


def _reason(root: str, phase: str, node: Node) -> str:
    if phase in (BOTH, ISSUED) and not (node.old and node.new):
        return "does not trust both authorities yet"
    if phase == NEW_ONLY and (node.old or not node.new):
        return "still trusts the old authority"
    if node.runs and not node.current:
        return "was started before it got the authorities that it trusts now"
    if root == NODES and phase != BOTH:
        return _shows(node)
    return ""


def _shows(node: Node) -> str:
    if not node.certificate:
        return "has a certificate of the old authority"
    if node.runs and not node.process:
        return "was started with a certificate of the old authority, and connects with it"
    if node.others:
        return f"shows another certificate at {', '.join(node.others)}"
    return ""
