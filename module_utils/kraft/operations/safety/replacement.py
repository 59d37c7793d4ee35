"""Check whether a node may come back with an empty disk, and wait until it may."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError, refuse
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.operations.quorum import replacement

NO_MAJORITY = (
    "a voter cannot be replaced while the other voters have no leader: start the voters that have their disks first"
)
RUNS = "Node {} runs, so its disk is not replaced. If an earlier run has started it, this one completes that."


def replaced(params: dict[str, Any]) -> replacement.Replaced:
    """Return the node that the parameters describe."""
    return replacement.Replaced(
        node_id=params["node_ids"][0],
        roles=tuple(params["roles"]),
        directory_id=params["directory_id"] or "",
        log_dirs=tuple(LogDir.from_facts(found) for found in params["log_dirs"]),
        metadata_log_dir=params["metadata_log_dir"],
        running=params["running"],
        accepted_risks=tuple(params["accepted_risks"]),
    )


def judged(seen: Outcome[Snapshot], node: replacement.Replaced) -> tuple[Snapshot | None, tuple[str, ...]]:
    """Return the cluster, and its open preconditions. Raises RefusedError for final obstacles."""
    if isinstance(seen, (Unknown, Unreachable)):
        return None, (seen.why,)
    if isinstance(seen, Known):
        snapshot = seen.value
        if snapshot.unanswered:
            return None, (*snapshot.unknown, *((NO_MAJORITY,) if "quorum" in snapshot.unanswered else ()))
        refuse(replacement.replacement_refusals(node, snapshot))
        return snapshot, replacement.waits(node, snapshot)
    return never(seen)


def decide(client: Client, params: dict[str, Any], check_mode: bool) -> tuple[Snapshot | None, tuple[str, ...]]:
    """Return the first observation without open preconditions, or the last one when nothing advances any more."""
    node, stall_timeout = replaced(params), StallTimeout(params["timeout"])
    patience = Patience()
    while True:
        snapshot, waits = judged(patience.observe(client, replacement.PARTS, LARGEST_DELAY_MS), node)
        if check_mode or not waits or not stall_timeout.lasts(replacement.distance(snapshot)):
            return snapshot, waits
        time.sleep(PAUSE)


def check_replacement(
    params: dict[str, Any], warn: Callable[[str], None], check_mode: bool
) -> tuple[dict[str, Any], str]:
    """Return the result, and the refusal, empty if the node may return; in check mode only final reasons refuse."""
    [node_id] = params["node_ids"]
    if params["running"]:
        warn(RUNS.format(node_id))
    snapshot: Snapshot | None = None
    final = False
    try:
        with Client(params["client"], warn=warn) as client:
            snapshot, reasons = decide(client, params, check_mode)
    except KraftError as error:
        reasons, final = tuple(str(error).splitlines()), True
    known = replacement.listed_directory_id(node_id, snapshot) if snapshot else ""
    found = {"allowed": not reasons, "reasons": list(reasons), "listed_directory_id": known}
    lines = "\n".join(f"  - {text}" for text in reasons)
    refused = final or (reasons and not check_mode)
    return found, f"Node {node_id} is not replaced. Nothing was changed:\n{lines}" if refused else ""
