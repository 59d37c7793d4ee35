"""A cluster's status on one screen. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ansible.module_utils.kraft.status.view import Node, Status

MOST = 12  #: lines of a kind; the page has them all


def lines(status: Status, page: str = "") -> list[str]:
    """The headline first."""
    return [
        status.headline,
        "",
        *_row("Leader", [status.leader]),
        *(line for label, text in status.counts.items() for line in _row(label, [text])),
        *_row("Problems", _shortened(status.problems)),
        "",
        "  Node   Host                 State                    May go down now",
        *(line for node in status.nodes for line in node_lines(node)),
        "",
        *_row("Drift", _shortened(drift(status)) or ["none"]),
        *_row("Page", [page] if page else []),
    ]


def drift(status: Status) -> list[str]:
    """Every difference from the inventory, with who has it."""
    of_nodes = [f"{node.host} (node {node.node_id}) {text}" for node in status.nodes for text in node.drift]
    return [*of_nodes, *status.drift]


def node_lines(node: Node) -> list[str]:
    """One line for a node, and one for each further reason."""
    answer = {True: "yes", False: "no", None: "not known"}[node.may_go]
    reasons = list(node.reasons)
    first = f"{answer}: {reasons.pop(0)}" if reasons else answer
    head = f"  {node.node_id:<6} {node.host:20} {node.state:24} "
    return [head + first, *(" " * len(head) + f"    {text}" for text in reasons)]


def _row(label: str, texts: Iterable[str]) -> list[str]:
    return [f"  {'' if number else label:16}{text}" for number, text in enumerate(texts)]


def _shortened(texts: Iterable[str]) -> list[str]:
    found = list(texts)
    rest = [f"and {len(found) - MOST} more, on the page"] if len(found) > MOST else []
    return [*found[:MOST], *rest]
