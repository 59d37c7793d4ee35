"""Ask whether nodes may go down now, and wait until they may."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_shutdown_check
short_description: Checks that nodes can be shut down now (internal)
description:
  - From one snapshot. Without the nodes, the caught-up controllers must still be a majority, every partition must keep
    its effective C(min.insync.replicas) in sync, and no partition may be on its way to one of them.
  - Waits as long as the cluster progresses towards it; then fails with the reasons.
  - Reasons that waiting cannot remove (a topic with as few replicas as its minimum in sync, a quorum of two) are
    reported separately.
  - Changes nothing. In check mode it looks once and reports, and does not fail.
options:
  node_ids:
    description: The nodes that are to go down together.
    type: list
    elements: int
    required: true
  accept_unavoidable:
    description: Let the nodes go although something is then unavailable that no waiting can save.
    type: bool
    default: false
  once_led:
    description:
      - For nodes that the plan of the roll lets go unchecked. They go if no node can be reached, if the quorum
        reports no leader, or if the answer is late, as that of a broker without a leader.
      - They are checked if the cluster reports a leader by now. They stay if an answer is denied, not trusted or not
        understood.
    type: bool
    default: false
  timeout:
    description: Seconds without any advance after which waiting is given up.
    type: int
    default: 120
extends_documentation_fragment: [kafka_client, kafka_client.expected]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Wait until the node can be shut down
  kafka_shutdown_check:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_ids: [2]
    timeout: 60
"""

RETURN = r"""
allowed:
  description: True if the nodes can be shut down. Always true outside check mode, because a refusal is a failure there.
  returned: always
  type: bool
reasons:
  description: Reasons that may pass.
  returned: always
  type: list
  elements: str
unavoidable:
  description: Losses that waiting cannot prevent.
  returned: always
  type: list
  elements: str
"""

import dataclasses
import time
from typing import Any

from ansible.module_utils.kraft.cluster import shutdown_check
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC, Expected, away, distance, expected
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "node_ids": {"type": "list", "elements": "int", "required": True},
    "accept_unavoidable": {"type": "bool", "default": False},
    "once_led": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 120},
}


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


def decide(module: KraftModule, client: Client) -> shutdown_check.Verdict:
    """Return the first verdict that lets the nodes go, or the last one when nothing advances any more."""
    params = module.params
    wanted, stall_timeout = expected(params["expected"] or {}), StallTimeout(params["timeout"])
    patience, closest = Patience(), 1 << 31
    while True:
        seen = patience.observe(client, shutdown_check.PARTS, wanted.largest_delay_ms)
        verdict = judged(seen, params["node_ids"], wanted, params["once_led"])
        closest = min(closest, distance(seen.value, wanted)) if isinstance(seen, Known) else closest
        if module.check_mode or not verdict.reasons or not stall_timeout.lasts(closest):
            return verdict
        time.sleep(PAUSE)


def refusal(node_ids: list[int], verdict: shutdown_check.Verdict) -> str:
    """Return why the nodes stay, which others are away, and the remedy."""
    nodes = ", ".join(str(one) for one in node_ids)
    lines = [f"Node {nodes} cannot be shut down now:", *(f"  - {text}" for text in verdict.sentences())]
    lines += [f"Unavailable: {text} -> start it first." for text in verdict.away]
    return "\n".join([*lines, *([f"Way out: {shutdown_check.REMEDY}."] if verdict.unavoidable else [])])


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            verdict = decide(module, client)
    except KraftError as error:
        verdict = shutdown_check.Verdict(reasons=(str(error),))
    allowed = verdict.allows(module.params["accept_unavoidable"])
    found = {"allowed": allowed, "reasons": list(verdict.reasons), "unavoidable": list(verdict.unavoidable)}
    if not allowed and not module.check_mode:
        module.fail_json(msg=refusal(module.params["node_ids"], verdict), **found)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
