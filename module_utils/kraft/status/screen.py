"""A cluster's status on one screen: the cause and what to do first, then how the cluster is. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from ansible.module_utils.kraft.cluster.leadership import Leadership
from ansible.module_utils.kraft.node.machine import ungranted
from ansible.module_utils.kraft.status.advice import Step
from ansible.module_utils.kraft.status.causes import Cause
from ansible.module_utils.kraft.status.model import Node, Status
from ansible.module_utils.kraft.wording import printable

MOST = 12  #: lines of a kind; the page has them all
MOST_CAUSES = 5
MOST_SEEN = 4  #: the cluster's lines, if the causes have more
WIDTH = 110
LABEL = 16


def lines(status: Status, page: str = "") -> list[str]:
    """Return the lines, the headline first. Hosts' logs and errors are escaped: none steers the terminal."""
    return [printable(line) for line in _lines(status, page)]


def _lines(status: Status, page: str) -> list[str]:
    return [
        *textwrap.wrap(status.headline, WIDTH),
        "",
        *(line for cause in status.causes[:MOST_CAUSES] for line in cause_lines(cause)),
        *_rest(status.causes[MOST_CAUSES:], "causes"),
        *(line for one in status.unfinished for line in cause_lines(one, "Unfinished")),
        *_row("Leader", leader(status.leader, status.leadership)),
        *(line for label, text in status.counts.items() for line in _row(label, [text])),
        *_row("Seen", _shortened(status.problems, MOST_SEEN if status.causes else MOST)),
        "",
        "  Node   Host                 State                    May go down now",
        *(line for node in status.nodes for line in node_lines(node)),
        "",
        *_row("Drift", _shortened(drift(status)) or ["none" if status.compared else "none in the compared parts"]),
        *_row("Do next", commands(status.corrections), wrapped=False),
        *_row("Not compared", _shortened(uncompared(status))),
        *_row("Not granted", _shortened(not_granted(status)) if not status.good else granted_short(status)),
        *_row("Note", _shortened(status.notes)),
        *_row("Alerts", _shortened(alerts(status))),
        *_row("Page", [page] if page else []),
    ]


def cause_lines(cause: Cause, label: str = "Cause") -> list[str]:
    """Describe a cause, its effects, and the next steps."""
    return [
        *_row(label, [f"{cause.text}: {cause.detail}" if cause.detail else cause.text]),
        *_row("Because of it", [one.text for one in cause.effects]),
        *_row("Do next", commands(cause.steps), wrapped=False),
        "",
    ]


def commands(steps: Sequence[Step]) -> list[str]:
    """Return the commands, each with its purpose as a comment."""
    width = max((len(step.command) for step in steps), default=0)
    return [f"{step.command:{width}}  # {step.purpose}" for step in steps]


def _rest(causes: Sequence[Cause], noun: str) -> list[str]:
    return [f"  and {len(causes)} more {noun}, on the page", ""] if causes else []


def leader(name: str, led: Leadership) -> list[str]:
    """Describe the leader with its supporters; then each controller that reports another one, or nothing."""
    others = [one.sentence() for one in (*led.others, *led.silent)]
    others += [f"controller {one} says so, too, but is cut off: it says what it knew last" for one in led.stale]
    if not led.known:
        answered = len(led.others)
        return [
            f"none: {answered} of {answered + len(led.silent)} controllers answer, {led.needed} must agree",
            *others,
        ]
    said = ", ".join(str(one) for one in led.according_to)
    several = len(led.according_to) > 1
    words = f", as controllers {said} say" if several else f", as controller {said} says"
    agreed = words if said else ""
    return [f"{name}, epoch {led.epoch}{agreed}", *others]


def sections(status: Status) -> dict[str, list[str]]:
    """Return the sections that the page shows as text, by name."""
    return {
        "leader": leader(status.leader, status.leadership),
        "drift": drift(status),
        "uncompared": uncompared(status),
        "ungranted": not_granted(status),
        "alerts": alerts(status),
    }


def alerts(status: Status) -> list[str]:
    """Describe firing alerts, as Prometheus reports them; nothing if none is configured."""
    return status.watched.sentences() if status.watched else []


def drift(status: Status) -> list[str]:
    """Describe every difference from the inventory, with its nodes."""
    return status.differences


def uncompared(status: Status) -> list[str]:
    """Describe the parts that could not be compared with the inventory."""
    of_nodes = [f"{node.host} (node {node.node_id}): {text}" for node in status.nodes for text in node.uncompared]
    return [*of_nodes, *status.uncompared]


def not_granted(status: Status) -> list[str]:
    """Describe requested limits that the hosts do not grant."""
    return ungranted.lines(status.ungranted, [node.host for node in status.nodes])


def granted_short(status: Status) -> list[str]:
    """Return one line: in a healthy cluster, nothing needs what hosts do not grant. The page names it."""
    said = ungranted.short(status.ungranted, [node.host for node in status.nodes])
    return [f"{said}; the page names {'it' if said.startswith('1 ') else 'them'}"] if said else []


def node_lines(node: Node) -> list[str]:
    """Return one line for a node, with the first reason why it may not go."""
    answer = {True: "yes", False: "no", None: "-"}[node.may_go]
    head = f"  {node.node_id:<6} {node.host:20} {node.state:24} "
    more = f" (and {len(node.reasons) - 1} more, on the page)" if node.reasons[1:] else ""
    return _hanging(head, [f"{answer}: {node.reasons[0]}{more}" if node.reasons else answer])


def _row(label: str, texts: Iterable[str], wrapped: bool = True) -> list[str]:
    """Return a label and its texts under each other."""
    out: list[str] = []
    for number, text in enumerate(texts):
        head = f"  {'' if number else label:{LABEL}}"
        out += _hanging(head, [text]) if wrapped else [head + text]
    return out


def _hanging(head: str, texts: Iterable[str]) -> list[str]:
    """Return texts behind `head`, wrapped under themselves."""
    out: list[str] = []
    for text in texts:
        wide = max(WIDTH - len(head), 40)
        parts = textwrap.wrap(text, wide, break_long_words=False, break_on_hyphens=False) or [""]
        out += [(" " * len(head) if out or number else head) + part for number, part in enumerate(parts)]
    return out


def _shortened(texts: Iterable[str], most: int = MOST) -> list[str]:
    found = list(texts)
    rest = [f"and {len(found) - most} more, on the page"] if len(found) > most else []
    return [*found[:most], *rest]
