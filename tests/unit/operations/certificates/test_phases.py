"""Next step in replacing an authority, and its preconditions."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES, ROOTS
from ansible.module_utils.kraft.operations.certificates.phases import (
    BEGIN,
    BOTH,
    DROP,
    FINISH,
    IDLE,
    ISSUE,
    ISSUED,
    NEW_ONLY,
    Decision,
    Node,
    decide,
)

BEFORE = Node("k1")
TRUSTS_BOTH = Node("k1", new=True)
SHOWS_NEW = Node("k1", new=True, certificate=True, process=True)
ALL_NEW = Node("k1", old=False, new=True, certificate=True, process=True)


def decided(root: str, phase: str, node: Node, **more: Any) -> Decision:
    return decide(root, phase, [dataclasses.replace(node, host="k2"), node], **more)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("ready", [False, True])
def test_a_replacement_begins_unless_it_would_go_on_at_once_without_the_clients(root: str, ready: bool) -> None:
    assert decided(root, IDLE, BEFORE, ready=ready) == (Decision() if ready else Decision(BEGIN))


@pytest.mark.parametrize(
    ("root", "phase", "node", "step", "clients_first"),
    [
        (NODES, BOTH, TRUSTS_BOTH, ISSUE, True),
        (NODES, ISSUED, SHOWS_NEW, DROP, False),
        (NODES, NEW_ONLY, ALL_NEW, FINISH, False),
        (CLIENTS, BOTH, TRUSTS_BOTH, ISSUE, False),
        (CLIENTS, ISSUED, TRUSTS_BOTH, DROP, True),
        (CLIENTS, NEW_ONLY, dataclasses.replace(ALL_NEW, certificate=False, process=False), FINISH, False),
    ],
)
def test_a_step_is_taken_when_every_node_allows_it_and_clients_can_follow(
    root: str, phase: str, node: Node, step: str, clients_first: bool
) -> None:
    assert decided(root, phase, node, ready=True) == Decision(step)
    assert decided(root, phase, node) == (Decision(clients=True) if clients_first else Decision(step))


@pytest.mark.parametrize(
    ("root", "phase", "node", "differs"),
    [
        *((root, BOTH, TRUSTS_BOTH, {"new": False}) for root in ROOTS),
        *((root, BOTH, TRUSTS_BOTH, {"current": False}) for root in ROOTS),
        *((root, ISSUED, SHOWS_NEW, {"old": False}) for root in ROOTS),
        *((root, ISSUED, SHOWS_NEW, {"current": False}) for root in ROOTS),
        *((root, NEW_ONLY, ALL_NEW, {"old": True}) for root in ROOTS),
        *((root, NEW_ONLY, ALL_NEW, {"current": False}) for root in ROOTS),
        (NODES, ISSUED, SHOWS_NEW, {"certificate": False}),
        (NODES, ISSUED, SHOWS_NEW, {"process": False}),
        (NODES, ISSUED, SHOWS_NEW, {"others": ["k1:9093"]}),
        (NODES, NEW_ONLY, ALL_NEW, {"process": False}),
        (NODES, NEW_ONLY, ALL_NEW, {"others": ["k1:9093"]}),
    ],
)
def test_one_node_that_still_needs_something_holds_the_step_back(
    root: str, phase: str, node: Node, differs: dict[str, Any]
) -> None:
    behind = dataclasses.replace(node, host="k3", **differs)
    found = decide(root, phase, [node, behind], ready=True)
    assert (found.step, len(found.waits), found.waits[0].split()[0]) == ("", 1, "k3")


@pytest.mark.parametrize(
    ("phase", "node", "differs", "step"),
    [
        (BOTH, TRUSTS_BOTH, {"current": False}, ISSUE),
        (ISSUED, SHOWS_NEW, {"current": False, "process": False}, DROP),
        (NEW_ONLY, ALL_NEW, {"current": False, "process": False}, FINISH),
    ],
)
def test_of_a_node_that_is_down_its_files_count(phase: str, node: Node, differs: dict[str, Any], step: str) -> None:
    down = dataclasses.replace(node, runs=False, **differs)
    assert decided(NODES, phase, down, ready=True) == Decision(step)


def test_users_get_their_certificates_before_the_old_authority_of_clients_goes() -> None:
    assert decided(CLIENTS, ISSUED, TRUSTS_BOTH, users=["writer"], ready=True) == Decision(users=("writer",))
    assert decided(CLIENTS, BOTH, TRUSTS_BOTH, users=["writer"]) == Decision(ISSUE)
