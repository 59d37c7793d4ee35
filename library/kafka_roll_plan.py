#!/usr/bin/python
"""Batches and order in which nodes of a running cluster restart."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_roll_plan
short_description: Plans a rolling restart (internal)
description:
  - Orders the given nodes into batches. First go those that do not serve anyway, then the followers, the active
    controller last and alone. The nodes of a batch share no partition at risk and leave the quorum its majority.
  - Waits for an answer of the cluster and for a leader. Nodes are restarted unchecked, one by one, in two cases only.
    Either the cluster is unreachable from here and from each host of O(looks), or the controllers report that they have
    no leader. Each broker without a leader then waits for a separate shutdown check.
  - An answer that is denied, late or not understood is no evidence that the cluster is down. The module fails with it.
  - Warns of effects that no order avoids, such as a topic with a single replica.
  - Changes nothing. In check mode it waits for a few seconds.
options:
  nodes:
    description: The nodes to restart.
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
          file: {description: File with the difference., type: str, required: true}
          key: {description: Name of the setting or option., type: str, default: ""}
          old: {description: The value that runs., type: str}
          new: {description: The wanted value., type: str}
          secret: {description: 'If true, the values are hidden.', type: bool, default: false}
  together:
    description: Most nodes in a batch.
    type: int
    default: 1
  timeout:
    description: Seconds to wait for an answer and a leader. A process that is older has had the time to start.
    type: int
    default: 120
  controllers:
    description: Controller listeners as C(host:port), queried for their leader if none is known.
    type: list
    elements: str
    default: []
  looks:
    description: Facts that each host gathered before the run changed anything, as filter kraft_looks gives them.
    type: list
    elements: dict
    default: []
    suboptions:
      host: {description: Its name in the inventory., type: str, required: true}
      answer: {description: Answer of its node; empty if none ran., type: str, default: ""}
      running_seconds: {description: Age of its process., type: float, default: 0}
  accept_unavoidable:
    description: Do not warn of effects that no order avoids.
    type: bool
    default: false
extends_documentation_fragment: [kafka_client, kafka_client.expected]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Plan the order of a rolling restart
  kafka_roll_plan:
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    nodes: "{{ nodes }}"
"""

RETURN = r"""
answers:
  description: True if the cluster answers. Otherwise no node is checked or waited for.
  returned: always
  type: bool
batches:
  description:
    - Batches of nodes that restart together, in order. Each batch has C(nodes), as they were given, their C(node_ids),
      and C(checked) (true if the shutdown check covers them). Each node has C(keep) (true if it keeps its present files
      for a way back).
  returned: always
  type: list
  elements: dict
"""

import time
from typing import Any

from ansible.module_utils.kraft.cluster import controllers, shutdown_check
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.gather import Patience
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC, expected
from ansible.module_utils.kraft.cluster.leadership import Claim
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unreachable
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.difference import DIFFERENCE_SPEC
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.roll import decision

NODE: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "started_at": {"type": "int", "default": 0},
    "differences": {"type": "list", "elements": "dict", "default": [], "options": DIFFERENCE_SPEC},
}
LOOK: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "answer": {"type": "str", "default": ""},
    "running_seconds": {"type": "float", "default": 0},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "nodes": {"type": "list", "elements": "dict", "required": True, "options": NODE},
    "together": {"type": "int", "default": 1},
    "timeout": {"type": "int", "default": 120},
    "controllers": {"type": "list", "elements": "str", "default": []},
    "looks": {"type": "list", "elements": "dict", "default": [], "options": LOOK},
    "accept_unavoidable": {"type": "bool", "default": False},
}
CHECK_MODE_SECONDS = 10  #: in check mode, for a leader or a late answer


def looked(client: Client, timeout: float, largest_delay_ms: int, check_mode: bool = False) -> Outcome[Snapshot]:
    """Return a snapshot that shows a leader, or the outcome of the last query after `timeout` seconds.

    In check mode nothing is waited for where nothing can be reached.
    """
    deadline = time.monotonic() + (min(timeout, CHECK_MODE_SECONDS) if check_mode else timeout)
    patience = Patience()
    while True:
        seen = patience.observe(client, shutdown_check.PARTS, largest_delay_ms)
        over = time.monotonic() >= deadline or (check_mode and isinstance(seen, Unreachable))
        if decision.led(seen) or over:
            return seen
        time.sleep(PAUSE)


def claimed(client: Client, addresses: list[str]) -> tuple[Claim, ...]:
    """Return the leader that each controller reports to follow."""
    numbered = dict(enumerate(addresses))
    return controllers.read_claims(client, numbered, client.send_all(controllers.questions(client, numbered)))


def sight(client: Client, params: dict[str, Any], largest_delay_ms: int, check_mode: bool) -> decision.Sight:
    """Return all observations of the cluster; controllers are queried only if it shows no leader."""
    seen = looked(client, params["timeout"], largest_delay_ms, check_mode)
    claims = () if decision.led(seen) else claimed(client, params["controllers"])
    return decision.Sight(seen, claims, tuple(decision.HostLook(**one) for one in params["looks"]))


def planned(module: KraftModule) -> dict[str, Any]:
    params = module.params
    wanted = expected(params["expected"] or {})
    with Client(params["client"], warn=module.warn) as client:
        seen = sight(client, params, wanted.largest_delay_ms, module.check_mode)
    if isinstance(seen.cluster, Known) and (other := seen.cluster.value.other_cluster(wanted.cluster_id)):
        raise KraftError(str(other))
    nodes = {node["node_id"]: node for node in params["nodes"]}
    running = {one: node["started_at"] > 0 for one, node in nodes.items()}
    found = decision.decide(seen, running, wanted, params["together"], params["timeout"])
    for text in [] if params["accept_unavoidable"] else decision.warnings(seen, nodes):
        module.warn(f"The shutdown check will stop the run: {text} -> {shutdown_check.REMEDY}")
    return {"answers": isinstance(seen.cluster, Known), "batches": decision.as_result(found, nodes)}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    module.finish(lambda: planned(module))


if __name__ == "__main__":
    main()
