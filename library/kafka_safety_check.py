#!/usr/bin/python
"""Check whether nodes may go down now, or come back with an empty disk, and wait until they may."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_safety_check
short_description: Checks that nodes can be shut down, or return with an empty disk (internal)
description:
  - Changes nothing. Waits as long as the cluster progresses towards it; then fails with the reasons. In check mode it
    looks once and reports, and does not fail for what may pass.
  - With O(kind=shutdown), from one snapshot. Without the nodes, the caught-up controllers must still be a majority,
    every partition must keep its effective C(min.insync.replicas) in sync, and no partition may be on its way to one of
    them. Reasons that waiting cannot remove (a topic with as few replicas as its minimum in sync, a quorum of two) are
    reported separately.
  - With O(kind=replacement), on another node, before anything is changed on the machine that takes the lost one's
    place. Refuses a node whose data exists under the directory id that the quorum lists, the only voter, and a node
    that was the only in-sync replica of a partition. Waits until the old node is heard of no more and the voters that
    stay have caught up. A node that already runs on that machine is an earlier run's, and let through.
options:
  kind:
    description: Check for a V(shutdown) or a V(replacement).
    type: str
    choices: [shutdown, replacement]
    default: shutdown
  node_ids:
    description: The nodes that are to go down together, or the one that is replaced.
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
  roles:
    description: Roles of the replaced node. Required for V(replacement), as O(log_dirs) and O(metadata_log_dir) are.
    type: list
    elements: str
    choices: [broker, controller]
  directory_id: {description: Directory id that its metadata log is to have; of a controller., type: str}
  log_dirs: {description: Its log dirs as M(kafka_host_info) found them., type: list, elements: dict}
  metadata_log_dir: {description: Path of the one with the metadata log., type: path}
  running: {description: True if Kafka runs on its machine., type: bool, default: false}
  accepted_risks:
    description: Accepted risks. With C(only_replica), records without another in-sync replica may be lost.
    type: list
    elements: str
    default: []
  fact:
    description: Keep the result as the fact C(kafka_replaced) of the host that is replaced.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client, kafka_client.expected]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Wait until the node can be shut down
  kafka_safety_check:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_ids: [2]
    timeout: 60

- name: Check that the node can return with an empty disk
  kafka_safety_check:
    kind: replacement
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    node_ids: [3]
    roles: [broker, controller]
    log_dirs: "{{ log_dirs }}"
    metadata_log_dir: /data/kafka1
"""

RETURN = r"""
allowed:
  description: True if the nodes may go or return. Always true outside check mode, because a refusal is a failure there.
  returned: always
  type: bool
reasons:
  description: Reasons that may pass; for a replacement all reasons.
  returned: always
  type: list
  elements: str
unavoidable:
  description: Losses that waiting cannot prevent.
  returned: for a shutdown
  type: list
  elements: str
listed_directory_id:
  description: Directory id under which the quorum lists the node; empty if it does not.
  returned: for a replacement
  type: str
"""

from typing import Any

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.safety.replacement import check_replacement
from ansible.module_utils.kraft.operations.safety.shutdown_wait import check_shutdown

ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "choices": ["shutdown", "replacement"], "default": "shutdown"},
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "node_ids": {"type": "list", "elements": "int", "required": True},
    "accept_unavoidable": {"type": "bool", "default": False},
    "once_led": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 120},
    "roles": {"type": "list", "elements": "str", "choices": ["broker", "controller"]},
    "directory_id": {"type": "str"},
    "log_dirs": {"type": "list", "elements": "dict"},
    "metadata_log_dir": {"type": "path"},
    "running": {"type": "bool", "default": False},
    "accepted_risks": {"type": "list", "elements": "str", "default": []},
    "fact": {"type": "bool", "default": False},
}
NEEDS = [("kind", "replacement", ["roles", "log_dirs", "metadata_log_dir"])]


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=NEEDS)
    check = check_shutdown if module.params["kind"] == "shutdown" else check_replacement
    found, refusal = check(module.params, module.warn, module.check_mode)
    if refusal:
        module.fail_json(msg=refusal, **found)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
