#!/usr/bin/python
"""Plan a change of a running cluster: the live changes, or the batches in which nodes restart."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_change_plan
short_description: Plans live changes of settings, or a rolling restart (internal)
description:
  - Changes nothing.
  - With O(kind=live) it compares the inventory's settings of each node with those that the brokers run with. A setting
    that Kafka can change while it runs needs no restart. The broker concerned validates each such change, and a refused
    one is left to a restart. Prints the plan as one block, in check mode and otherwise, before anything is done.
  - An override is planned for each broker. Settings that controllers use, too (C(min.insync.replicas),
    C(unclean.leader.election.enable)), are planned as the default of all brokers. An override that equals the node's
    own file is removed. An override that the inventory does not name is shown as drift and left. A node that does not
    answer, and a dedicated controller, is left to a restart.
  - With O(kind=restart) it orders the given nodes into batches. First go those that do not serve anyway, then the
    followers, the active controller last and alone. The nodes of a batch share no partition at risk and leave the
    quorum its majority. Warns of effects that no order avoids, such as a topic with a single replica.
  - For a restart it waits for an answer of the cluster and for a leader, in check mode for a few seconds. Nodes are
    restarted unchecked, one by one, in two cases only. Either the cluster is unreachable from here and from each host
    of O(looks), or the controllers report that they have no leader. Each broker without a leader then waits for a
    separate shutdown check. An answer that is denied, late or not understood is no evidence that the cluster is down.
    The module fails with it.
options:
  kind:
    description: Plan the V(live) changes, or the V(restart).
    type: str
    choices: [live, restart]
    required: true
  nodes:
    description: All the cluster's nodes; for a restart those that restart.
    type: list
    elements: dict
    required: true
    suboptions:
      host: {description: Its name in the inventory., type: str, required: true}
      node_id: {description: Its id., type: int, required: true}
      differences:
        description: Why the node would be restarted, as M(kafka_node) returns it.
        type: list
        elements: dict
        default: []
        suboptions:
          file: {description: File with the difference., type: str, required: true}
          key: {description: Name of the setting or option., type: str, default: ""}
          old: {description: The value that runs., type: str}
          new: {description: The wanted value., type: str}
          secret: {description: 'If true, the values are hidden.', type: bool, default: false}
      serves: {description: True for a broker., type: bool, default: true}
      started: {description: True if it was down and has just been started., type: bool, default: false}
      wanted:
        description: Settings that Kafka can change live; null for one that the inventory no longer names.
        type: dict
        default: {}
      client_moves:
        description: Client listeners whose address or protocol a restart would change, as M(kafka_node) returns them.
        type: list
        elements: dict
        default: []
      started_at: {description: "Start of its process, as M(kafka_node) returns it.", type: int, default: 0}
  timeout:
    description: Seconds to wait for an answer, for nodes that have just been started, and for a leader. A process that
      is older has had the time to start. In check mode live changes are looked at once.
    type: int
    default: 120
  override_state:
    description: For live changes, file on this host in which M(kafka_config) noted the overrides that it has set.
    type: path
  show: {description: "If true, the block of live changes is printed.", type: bool, default: true}
  together: {description: Most nodes in a batch., type: int, default: 1}
  controllers:
    description: For a restart, controller listeners as C(host:port), queried for their leader if none is known.
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
- name: Plan which settings change live, and which nodes restart
  kafka_change_plan:
    kind: live
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    nodes: "{{ nodes }}"

- name: Plan the order of a rolling restart
  kafka_change_plan:
    kind: restart
    client: {bootstrap_servers: ["192.0.2.11:9092"]}
    nodes: "{{ nodes }}"
"""

RETURN = r"""
plan:
  description: The block, line by line.
  returned: for live changes
  type: list
  elements: str
entities:
  description: Live changes, as M(kafka_config) takes them.
  returned: for live changes
  type: list
  elements: dict
overrides:
  description:
    - The same for M(kafka_deployment_plan). Each key of C(config) has C(effective), the value that counts now, and
      C(old) and C(new), the override before and after; null is none.
  returned: for live changes
  type: list
  elements: dict
settled:
  description: Inventory name to the settings that need no restart once RV(entities) are changed.
  returned: for live changes
  type: dict
differs:
  description: Settings whose effective value differs from the desired one and could be changed live, as sentences.
  returned: for live changes
  type: list
  elements: str
undeclared:
  description: Overrides that the inventory does not name, as sentences.
  returned: for live changes
  type: list
  elements: str
unanswered:
  description: Reasons why settings of serving brokers are not known. Nothing is reported about these.
  returned: for live changes
  type: list
  elements: str
throttled:
  description: Node id of a broker to the bytes per second to which a run of moves has limited its replication.
  returned: for live changes
  type: dict
throttled_disks:
  description: The same of copies between the log dirs of a broker.
  returned: for live changes
  type: dict
answers:
  description: True if the cluster answers. Otherwise no node is checked or waited for.
  returned: for a restart
  type: bool
batches:
  description:
    - Batches of nodes that restart together, in order. Each batch has C(nodes), as they were given, their C(node_ids),
      and C(checked) (true if the shutdown check covers them). Each node has C(keep) (true if it keeps its present files
      for a way back).
  returned: for a restart
  type: list
  elements: dict
"""

from typing import Any

from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.health import EXPECTED_SPEC
from ansible.module_utils.kraft.difference import DIFFERENCE_SPEC
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.operations.config.planner import live_plan
from ansible.module_utils.kraft.operations.roll.planner import roll_plan

NODE: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "node_id": {"type": "int", "required": True},
    "differences": {"type": "list", "elements": "dict", "default": [], "options": DIFFERENCE_SPEC},
    "serves": {"type": "bool", "default": True},
    "started": {"type": "bool", "default": False},
    "wanted": {"type": "dict", "default": {}},
    "client_moves": {"type": "list", "elements": "dict", "default": []},
    "started_at": {"type": "int", "default": 0},
}
LOOK: dict[str, Any] = {
    "host": {"type": "str", "required": True},
    "answer": {"type": "str", "default": ""},
    "running_seconds": {"type": "float", "default": 0},
}
ARGUMENT_SPEC: dict[str, Any] = {
    "kind": {"type": "str", "choices": ["live", "restart"], "required": True},
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "nodes": {"type": "list", "elements": "dict", "required": True, "options": NODE},
    "timeout": {"type": "int", "default": 120},
    "override_state": {"type": "path"},
    "show": {"type": "bool", "default": True},
    "expected": {"type": "dict", "options": EXPECTED_SPEC},
    "together": {"type": "int", "default": 1},
    "controllers": {"type": "list", "elements": "str", "default": []},
    "looks": {"type": "list", "elements": "dict", "default": [], "options": LOOK},
    "accept_unavoidable": {"type": "bool", "default": False},
}


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    plan = live_plan if module.params["kind"] == "live" else roll_plan
    module.finish(lambda: plan(module.params, module.warn, module.check_mode))


if __name__ == "__main__":
    main()
