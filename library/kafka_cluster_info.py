"""Take a snapshot of a cluster: brokers, topics, quorum and the other requested parts."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_cluster_info
short_description: Takes a snapshot of a cluster (internal)
description:
  - Uses one connection and as few requests as possible; O(gather) selects the parts. Changes nothing.
  - A part that is not answered is named in RV(snapshot.unanswered) and does not spoil the rest.
options:
  gather:
    description:
      - Parts to gather. The cluster's id and its brokers are always included.
      - C(configs) is the effective C(min.insync.replicas) of each topic, and brings the topics.
    type: list
    elements: str
    choices: [brokers, quorum, topics, configs, log_dirs, features, reassignments]
    default: [brokers, quorum, topics]
  quorum:
    description:
      - Fails if the quorum is not known; needs C(quorum) in O(gather). Waits first, for O(timeout) at most, until the
        quorum lists the controllers as described here.
    type: dict
    suboptions:
      listeners:
        description: Names of listeners that each voter must have.
        type: list
        elements: str
        default: []
      controllers:
        description: Controllers, each with the address of one of its listeners (C(host:port)).
        type: list
        elements: dict
        default: []
        suboptions:
          node_id:
            description: Node id of the controller.
            type: int
            required: true
          address:
            description: One of its listeners.
            type: str
            required: true
  lag:
    description:
      - Includes the groups with the largest lag. Offsets are fetched for one second at most. RV(lag.asked) is the
        number of groups that were covered. Needs C(topics) in O(gather).
    type: bool
    default: false
  fault:
    description: A fault of a drill. RV(hosts) of the fact C(kafka_desired) are those that it breaks. Needs C(topics).
    type: str
  upgrade_to:
    description:
      - Version of Kafka that the nodes are to run. The task fails if it does not support the finalised features.
        Needs C(features) in O(gather).
    type: str
  timeout:
    description: Seconds to go on asking while something is not answered.
    type: int
    default: 15
  answer_timeout:
    description: Seconds to wait for a single answer.
    type: int
    default: 5
extends_documentation_fragment: [kafka_client]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Read the brokers, the quorum and all topics
  kafka_cluster_info:
    client: {bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]}
    gather: [brokers, quorum, topics]
  register: seen
"""

RETURN = r"""
hosts:
  description: Inventory names of the hosts that O(fault) breaks.
  returned: with O(fault)
  type: list
  elements: str
snapshot:
  description: The requested parts; null for the others.
  returned: success
  type: dict
  contains:
    cluster_id:
      description: The cluster's id.
      type: str
      returned: always
    controller_id:
      description: The active controller; -1 when it is not known.
      type: int
      returned: always
    brokers:
      description: Every registered broker, with C(node_id), C(host), C(port), C(rack), C(fenced).
      type: list
      returned: always
    quorum:
      description:
        - Leader, epoch, high watermark, and every voter and observer with its log end offset and its distance from the
          leader in records (C(lag)) and milliseconds (C(behind_ms)).
      type: dict
      returned: when gathered
      sample:
        leader_id: 1
        leader_epoch: 4
        high_watermark: 1203
        voters:
          - {node_id: 1, directory_id: b6eD3uv0QAmoZ0zSbh97pw, log_end_offset: 1203, lag: 0, behind_ms: 0,
             last_caught_up_ms: 1795228846702, last_fetch_ms: 1795228846702}
        observers: []
    topics:
      description:
        - Every topic with its id (C(topic_id)) and its partitions. Each of these has its leader, replicas, in-sync and
          offline replicas.
      type: list
      returned: when gathered
    min_insync:
      description: Topic to effective C(min.insync.replicas).
      type: dict
      returned: when gathered
    log_dirs:
      description: Every log directory, with its broker, path, error, sizes in bytes and number of replicas.
      type: list
      returned: when gathered
    topic_bytes:
      description: Topic to the bytes of all its replicas, of the brokers that are in C(log_dirs).
      type: dict
      returned: when log_dirs are gathered
    features:
      description: Every feature flag, with its finalised level and the range that the queried broker supports.
      type: list
      returned: when gathered
    reassignments:
      description: Every moving partition, with the replicas that come and go.
      type: list
      returned: when gathered
    unanswered:
      description: Part to reason, for requested parts without an answer.
      type: dict
      returned: always
    late:
      description: Parts among them whose answer did not come in time.
      type: list
      returned: always
lag:
  description: The groups with the largest lag; null if not requested, or if there are no topics.
  returned: success
  type: dict
  contains:
    groups:
      description: At most ten, the furthest behind first, with C(name), C(state), C(lag) in records, C(partitions).
      type: list
      returned: always
    listed:
      description: Number of groups.
      type: int
      returned: always
    asked:
      description: Number of groups whose offsets were fetched.
      type: int
      returned: always
    unanswered:
      description: Requested parts without an answer, as sentences.
      type: list
      returned: always
"""

import dataclasses
from typing import Any

from ansible.module_utils.kraft.cluster import controllers, gather
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.errors import KraftError, UnreachableError
from ansible.module_utils.kraft.module import KraftModule
from ansible.module_utils.kraft.monitoring import group_lag

ARGUMENT_SPEC: dict[str, Any] = {
    "client": {"type": "dict", "required": True, "options": CLIENT_SPEC},
    "gather": {
        "type": "list",
        "elements": "str",
        "choices": ["brokers", "quorum", "topics", "configs", "log_dirs", "features", "reassignments"],
        "default": ["brokers", "quorum", "topics"],
    },
    "quorum": {
        "type": "dict",
        "options": {
            "listeners": {"type": "list", "elements": "str", "default": []},
            "controllers": {**controllers.CONTROLLERS_SPEC, "default": []},
        },
    },
    "lag": {"type": "bool", "default": False},
    "fault": {"type": "str"},
    "upgrade_to": {"type": "str"},
    "timeout": {"type": "int", "default": 15},
    "answer_timeout": {"type": "int", "default": 5},
}


def require_known(client: Client, expected: dict[str, Any]) -> None:
    """Raise UnreachableError, to be retried, if the quorum lacks a controller or one of its listeners."""
    listeners = expected["listeners"]
    if listeners and (missing := gather.controllers_without(client, listeners)):
        text = f"{', '.join(map(str, missing))} by all of {', '.join(listeners)}"
        raise UnreachableError(f"The quorum does not know controllers {text} yet.")
    addresses = {one["node_id"]: one["address"] for one in expected["controllers"]}
    if addresses and (elsewhere := gather.controllers_elsewhere(client, addresses)):
        text = ", ".join(f"{one} at {addresses[one]}" for one in elsewhere)
        raise UnreachableError(f"The quorum does not know controllers {text} yet.")


def main() -> None:
    module = KraftModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    try:
        with Client(module.params["client"], warn=module.warn) as client:
            seconds, each = module.params["timeout"], module.params["answer_timeout"]
            expected = module.params["quorum"]
            if expected is not None:
                until_answered(lambda: require_known(client, expected), seconds)
            snapshot = gather.patiently(client, module.params["gather"], seconds, each)
            known = module.params["lag"] and snapshot.topics is not None
            lag = dataclasses.asdict(group_lag.measure(client, snapshot)) if known else None
    except KraftError as error:
        module.fail_json(msg=str(error))
    if expected is not None and snapshot.quorum is None:
        module.fail_json(msg=f"The quorum is not known: {snapshot.unanswered.get('quorum', '')}")
    module.exit_json(changed=False, snapshot=snapshot.to_dict(), lag=lag)


if __name__ == "__main__":
    main()
