#!/usr/bin/python
"""Ask whether a node may come back with an empty disk, and wait until it may."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_replacement_gate
short_description: Checks that a node can return with an empty disk (internal)
description:
  - Runs on another node, before anything is changed on the machine that takes the lost one's place.
  - Refuses a node whose data exists under the directory id that the quorum lists, the only voter, and a node that was
    the only in-sync replica of a partition.
  - Waits until the old node is heard of no more and the voters that stay have caught up, as long as they advance.
  - A node that already runs on that machine is an earlier run's, and let through.
  - Changes nothing. In check mode it looks once and reports, and does not fail for what may pass.
options:
  node_id: {description: The node., type: int, required: true}
  roles:
    description: Roles of the node.
    type: list
    elements: str
    choices: [broker, controller]
    required: true
  directory_id: {description: Directory id that its metadata log is to have; of a controller., type: str}
  log_dirs: {description: Its log dirs as M(kafka_host_info) found them., type: list, elements: dict, required: true}
  metadata_log_dir: {description: Path of the one with the metadata log., type: path, required: true}
  running: {description: True if Kafka runs on its machine., type: bool, default: false}
  accepted_risks:
    description: Accepted risks. With C(only_replica), records without another in-sync replica may be lost.
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds without any advance after which waiting is given up.
    type: int
    default: 60
  fact:
    description: Keep the result as the fact C(kafka_replaced) of the host that is replaced.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Check that the node can return with an empty disk
  kafka_replacement_gate:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_id: 3
    roles: [broker, controller]
    log_dirs: "{{ log_dirs }}"
    metadata_log_dir: /data/kafka1
"""

RETURN = r"""
allowed:
  description: True if the node may return. Always true outside check mode, because a refusal is a failure there.
  returned: always
  type: bool
reasons:
  description: Reasons that prevent it.
  returned: always
  type: list
  elements: str
listed_directory_id:
  description: Directory id under which the quorum lists the node; empty if it does not.
  returned: success
  type: str
"""

import time
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import LARGEST_DELAY_MS
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, never
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError, RefusedError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.node.storage.log_dir import LogDir
from ansible.module_utils.kraft.operations.quorum import replacement

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "node_id": {"type": "int", "required": True},
    "roles": {"type": "list", "elements": "str", "choices": ["broker", "controller"], "required": True},
    "directory_id": {"type": "str"},
    "log_dirs": {"type": "list", "elements": "dict", "required": True},
    "metadata_log_dir": {"type": "path", "required": True},
    "running": {"type": "bool", "default": False},
    "accepted_risks": {"type": "list", "elements": "str", "default": []},
    "timeout": {"type": "int", "default": 60},
    "fact": {"type": "bool", "default": False},
}
NO_MAJORITY = (
    "a voter cannot be replaced while the other voters have no leader: start the voters that have their disks first"
)


def replaced(params: dict[str, Any]) -> replacement.Replaced:
    """Return the node that the parameters describe."""
    return replacement.Replaced(
        node_id=params["node_id"],
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
        found = replacement.replacement_refusals(node, snapshot)
        if found:
            raise RefusedError(found)
        return snapshot, replacement.waits(node, snapshot)
    return never(seen)


def decide(module: KraftModule, client: Client) -> tuple[Snapshot | None, tuple[str, ...]]:
    """Return the first observation without open preconditions, or the last one when nothing advances any more."""
    node, stall_timeout = replaced(module.params), StallTimeout(module.params["timeout"])
    patience = Patience()
    while True:
        snapshot, waits = judged(patience.observe(client, replacement.PARTS, LARGEST_DELAY_MS), node)
        if module.check_mode or not waits or not stall_timeout.lasts(replacement.distance(snapshot)):
            return snapshot, waits
        time.sleep(PAUSE)


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    node_id = module.params["node_id"]
    snapshot: Snapshot | None = None
    final = False
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            snapshot, reasons = decide(module, client)
    except KraftError as error:
        reasons, final = tuple(str(error).splitlines()), True
    found = {"allowed": not reasons, "reasons": list(reasons)}
    if final or (reasons and not module.check_mode):
        lines = "\n".join(f"  - {text}" for text in reasons)
        module.fail_json(msg=f"Node {node_id} is not replaced. Nothing was changed:\n{lines}", **found)
    known = replacement.listed_directory_id(node_id, snapshot) if snapshot else ""
    module.exit_json(changed=False, listed_directory_id=known, **found)


if __name__ == "__main__":
    main()
