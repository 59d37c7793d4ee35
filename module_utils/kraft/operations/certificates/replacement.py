"""Observations of each node, compared with the authority that is being replaced, and the resulting messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import CLIENTS, NODES, trusted
from ansible.module_utils.kraft.operations.certificates import change, phases, users
from ansible.module_utils.kraft.operations.certificates.renewal import is_signed
from cryptography import x509

#: Step -> what it does.
SAID = {
    phases.BEGIN: "trust a new authority beside the old one",
    phases.ISSUE: "issue certificates by the new authority",
    phases.DROP: "trust the new authority only",
    phases.FINISH: "remove the files of the old authority",
}
READY = "-e kafka_clients_ready=true"
FOR_CLIENTS = {
    NODES: f"clients must trust both authorities: give them nodes.pem of the authority's directory. Then {READY}",
    CLIENTS: f"clients must use their new certificates: give them the files of their users. Then {READY}",
}
NOTHING = "no authority is being replaced: leave kafka_clients_ready out to begin"


def decision(directory: Path, given: Mapping[str, Any], phase: str) -> phases.Decision:
    """Decide the next step. `given`: parameters of ``kafka_credentials``. Raises RefusedError without facts."""
    root, new = given["root"], change.following(directory, given["root"])
    old = change.previous(directory, root)
    unseen = [host for host, found in given["nodes"].items() if not (found or {}).get("certificate")]
    if unseen:
        raise RefusedError(
            [f"{', '.join(unseen)}: not inspected. An authority is replaced on all nodes, without --limit"]
        )
    nodes = [node(host, root, old, new, found) for host, found in given["nodes"].items()]
    due = _users_due(directory, given) if root == CLIENTS else []
    return phases.decide(root, phase, nodes, due, given["clients_ready"])


def _users_due(directory: Path, given: Mapping[str, Any]) -> list[str]:
    steps = users.steps(directory, given["cluster"], given["users"], renew_before_days=0)
    return [each.user.name for each in steps if each.reason]


def node(host: str, root: str, old: str, new: str, found: Mapping[str, Any]) -> phases.Node:
    """Convert `found`: ``certificate``, of the inspection, and ``shown``, the listeners' certificates."""
    seen, shown = found["certificate"], (found.get("shown") or {}).get("certificates") or ()
    trust, process = trusted((seen.get("trust") or {}).get(root) or ""), seen.get("process") or {}
    return phases.Node(
        host,
        runs=bool(process),
        old=old in trust,
        new=bool(new) and new in trust,
        current=root in process.get("trust", ()),
        certificate=_is_by(new, seen.get("certificate", "")),
        process=_is_by(new, process.get("certificate", "")),
        others=tuple(one["address"] for one in shown if not _is_by(new, one["certificate"])),
    )


def _is_by(root: str, certificate: str) -> bool:
    if not root or not certificate:
        return False
    try:
        return is_signed(x509.load_pem_x509_certificate(certificate.encode()), root)
    except ValueError:
        return False  # a listener can show bytes that are no certificate


def facts(root: str, phase: str, made: phases.Decision, predicted: bool) -> dict[str, Any]:
    """Return ``kafka_authority``. `predicted`: in check mode no step is taken, so that later ones are unknown."""
    of_users = root == CLIENTS and made.step == phases.ISSUE
    on_nodes = bool(made.step) and made.step != phases.FINISH and not of_users
    idle = phase == phases.IDLE and not made.step
    trusted = root != CLIENTS and made.step in (phases.BEGIN, phases.DROP)  # users' files hold their authorities
    return {
        "phase": phase,
        "step": made.step,
        "waits": list(made.waits),
        "users": list(made.users),
        "clients": made.clients,
        "deploy": bool(made.waits) or (on_nodes and not predicted),
        "resources": bool(made.users) or ((of_users or trusted) and not predicted),
        "over": made.clients or idle or made.step == phases.FINISH or bool(made.step and predicted),
    }


def sentences(root: str, found: Mapping[str, Any]) -> list[str]:
    """Describe the step, or its preconditions."""
    if found["step"]:
        return [f"{root}: {SAID[found['step']]}"]
    if found["clients"]:
        return [f"{root}: {FOR_CLIENTS[root]}"]
    if found["phase"] == phases.IDLE and not found["waits"]:
        return [f"{root}: {NOTHING}"]
    to = SAID[phases.STEP[found["phase"]]]
    return [f"{root}: before it can {to}:", *found["waits"], *_due(found["users"])]


def _due(names: Sequence[str]) -> Iterable[str]:
    return [f"users with a certificate of the old authority: {', '.join(names)}"] if names else []
