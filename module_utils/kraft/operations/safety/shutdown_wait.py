"""Check whether nodes may go down now, and wait until they may."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster import shutdown_check
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import Expected, away, distance, expected
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError


def judged(
    seen: Outcome[Snapshot], node_ids: list[int], wanted: Expected, once_led: bool = False
) -> shutdown_check.Verdict:
    """Return the verdict; an unknown or unreachable cluster lets a node go only with `once_led`."""
    if isinstance(seen, Known) and (other := seen.value.other_cluster(wanted.cluster_id)):
        return shutdown_check.Verdict(reasons=(str(other),))
    if once_led and shutdown_check.leaderless(seen):
        return shutdown_check.Verdict()
    if isinstance(seen, Known):
        found = shutdown_check.judge(seen.value, node_ids, wanted.largest_delay_ms)
        return found if found.allows() else dataclasses.replace(found, away=away(seen.value, wanted, node_ids))
    if isinstance(seen, (Unknown, Unreachable)):
        return shutdown_check.Verdict(reasons=(seen.why,))
    return never(seen)


def decide(client: Client, params: dict[str, Any], check_mode: bool) -> shutdown_check.Verdict:
    """Return the first verdict that lets the nodes go, or the last one when nothing advances any more."""
    wanted, stall_timeout = expected(params["expected"] or {}), StallTimeout(params["timeout"])
    patience, closest = Patience(), 1 << 31
    while True:
        seen = patience.observe(client, shutdown_check.PARTS, wanted.largest_delay_ms)
        verdict = judged(seen, params["node_ids"], wanted, params["once_led"])
        closest = min(closest, distance(seen.value, wanted)) if isinstance(seen, Known) else closest
        if check_mode or not verdict.reasons or not stall_timeout.lasts(closest):
            return verdict
        time.sleep(PAUSE)


def refusal(node_ids: list[int], verdict: shutdown_check.Verdict) -> str:
    """Return why the nodes stay, which others are away, and the remedy."""
    nodes = ", ".join(str(one) for one in node_ids)
    lines = [f"Node {nodes} cannot be shut down now:", *(f"  - {text}" for text in verdict.sentences())]
    lines += [f"Unavailable: {text} -> start it first." for text in verdict.away]
    return "\n".join([*lines, *([f"Way out: {shutdown_check.REMEDY}."] if verdict.unavoidable else [])])


def check_shutdown(params: dict[str, Any], warn: Callable[[str], None], check_mode: bool) -> tuple[dict[str, Any], str]:
    """Return the module's result, and the refusal; empty if the nodes may go, and in check mode."""
    try:
        with Client(params["client"], warn=warn) as client:
            verdict = decide(client, params, check_mode)
    except KraftError as error:
        verdict = shutdown_check.Verdict(reasons=(str(error),))
    allowed = verdict.allows(params["accept_unavoidable"])
    found = {"allowed": allowed, "reasons": list(verdict.reasons), "unavoidable": list(verdict.unavoidable)}
    return found, "" if allowed or check_mode else refusal(params["node_ids"], verdict)
