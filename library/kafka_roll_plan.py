#!/usr/bin/python
"""Which nodes of a running cluster are restarted together, and in which order."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_roll_plan
short_description: Plans a rolling restart
description:
  - Orders the given nodes into batches. First go those that do not serve anyway, then the followers, the active
    controller last and alone. The nodes of a batch share no partition at risk and leave the quorum its majority.
  - Waits for an answer of the cluster and for a leader. Where nobody answers although it was waited for, no order can
    harm, and all nodes are one batch. Where brokers answer and know no leader, the controllers are the first batch,
    and each broker waits for a shutdown check of its own. Where the cluster refuses us, the module fails.
  - Changes nothing. In check mode it looks once.
options:
  nodes:
    description: The nodes that are to be restarted.
    type: list
    elements: dict
    required: true
    suboptions:
      host: {description: Its name in the inventory., type: str, required: true}
      node_id: {description: Its id., type: int, required: true}
      started_at:
        description: Start of its process, as M(kafka_node) returns it.
        type: int
        default: 0
      differences:
        description: Why it is restarted, as M(kafka_node) returns it.
        type: list
        elements: dict
        default: []
        suboptions:
          file: {description: Where it is., type: str, required: true}
          key: {description: Which setting or option., type: str, default: ""}
          old: {description: The value that runs., type: str}
          new: {description: The wanted value., type: str}
          secret: {description: Whether the values are hidden., type: bool, default: false}
  together:
    description: Most nodes in a batch.
    type: int
    default: 1
  timeout:
    description: Seconds to wait for an answer and a leader.
    type: int
    default: 120
extends_documentation_fragment: [kafka_client, kafka_client.expected]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Plan the roll
  kafka_roll_plan:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    nodes:
      - host: kafka1
        node_id: 1
        differences: [{file: server.properties, key: num.io.threads, old: "8", new: "16"}]
"""

RETURN = r"""
answers:
  description: Whether the cluster answers. Where it does not, nobody is served, and nobody is harmed.
  returned: always
  type: bool
batches:
  description:
    - What is restarted together, in order. Each batch has C(nodes), as they were given and each with C(ready) (whether
      it does all that it is there for), their C(node_ids), and C(checked) (whether the shutdown check judges them).
  returned: always
  type: list
  elements: dict
"""

import time
from typing import Any

from ansible.module_utils.kraft.cluster import gather, shutdown_check
from ansible.module_utils.kraft.cluster.batches import Members, batches, without_leader
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC, Expected, expected
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.roll import ready
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Snapshot
from ansible.module_utils.kraft.difference import DIFFERENCE_SPEC
from ansible.module_utils.kraft.errors import AccessError, KraftError, OtherClusterError
from ansible.module_utils.kraft.module import KraftModule

NODE: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "started_at": {"type": "int", "default": 0},
    "differences": {"type": "list", "elements": "dict", "default": [], "options": DIFFERENCE_SPEC},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "nodes": {"type": "list", "elements": "dict", "required": True, "options": NODE},
    "together": {"type": "int", "default": 1},
    "timeout": {"type": "int", "default": 120},
}


def looked(client: Client, timeout: float) -> Snapshot | None:
    """A snapshot that shows a leader, or the last one after `timeout` seconds; None where nobody answers then.

    Raises OtherClusterError, and AccessError where the cluster answers and refuses us: then it is not known whom a
    restart harms.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            snapshot = gather.observe(client, shutdown_check.PARTS)
        except OtherClusterError:
            raise
        except AccessError:
            if time.monotonic() >= deadline:
                raise
            snapshot = None
        except KraftError:
            snapshot = None
        if (snapshot and has_leader(snapshot)) or time.monotonic() >= deadline:
            return snapshot
        time.sleep(PAUSE)


def has_leader(snapshot: Snapshot) -> bool:
    return snapshot.controller_id != NO_NODE and not snapshot.unanswered


def planned(snapshot: Snapshot | None, params: dict[str, Any], wanted: Expected) -> list[dict[str, Any]]:
    """The module's batches."""
    nodes = {node["node_id"]: node for node in params["nodes"]}
    up = frozenset[int]()
    if snapshot is None:
        found = [(tuple(sorted(nodes)), False)]
    elif not has_leader(snapshot):
        found = without_leader(nodes, wanted.voter_ids)
    else:
        members = Members(wanted.voter_ids, wanted.broker_ids)
        sets = batches(snapshot, nodes, members, params["together"], wanted.largest_delay_ms)
        found = [(one, True) for one in sets]
        up = ready(snapshot, wanted.voter_ids, wanted.broker_ids, wanted.largest_delay_ms)
    return [
        {"node_ids": list(ids), "checked": checked, "nodes": [{**nodes[one], "ready": one in up} for one in ids]}
        for ids, checked in found
    ]


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    wanted = expected(module.params["expected"] or {})
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            snapshot = looked(client, 0 if module.check_mode else module.params["timeout"])
    except KraftError as error:
        module.fail_json(msg=str(error))
    if snapshot and (other := snapshot.other_cluster(wanted.cluster_id)):
        module.fail_json(msg=str(other))
    module.exit_json(changed=False, answers=snapshot is not None, batches=planned(snapshot, module.params, wanted))


if __name__ == "__main__":
    main()
