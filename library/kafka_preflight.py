#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_preflight.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_preflight
short_description: Refuses hosts that fail a check, with every problem of every host at once (internal)
description:
  - Holds what M(kafka_host_info) found on O(hosts) against what M(kafka_desired) wants. Runs on the control machine,
    opens no connection but that of O(ask), changes nothing, and runs in check mode as it does otherwise.
  - Validates Java, memory, limits, disks (filesystem, mount options, room, owner, content), ports in use, names, the
    port matrix between the hosts, clocks, two names of one machine, hosts that were left out, and all log dirs together
    as M(kafka_storage) will; and voters and brokers of the running cluster that no host has any more.
  - Problems of severity C(risk) are errors in the production profile unless their rule is in O(accepted_risks).
options:
  hosts:
    description: Inventory names of all the cluster's nodes.
    type: list
    elements: str
    required: true
  user: {description: User that Kafka runs as., type: str, default: kafka}
  java_home: {description: Home of Kafka's Java., type: str}
  nofile_limit: {description: Open files that Kafka may have., type: int, default: 100000}
  partition_budget: {description: Partitions that a broker should be able to hold., type: int, default: 4000}
  disks:
    description: Disks that role kafka_host mounts, as C(kafka_host_data_disks).
    type: list
    elements: dict
    default: []
  accepted_risks: {description: Rules whose risk is taken., type: list, elements: str, default: []}
  replace: {description: Inventory name of the node whose disk is lost., type: str}
  add:
    description: Inventory names of nodes that join a running cluster.
    type: list
    elements: str
    default: []
  restart:
    description: Inventory names of the nodes that the run may restart. If some are named, the run must include these.
    type: list
    elements: str
    default: []
  ask:
    description: The options of M(kafka_cluster_info), to query the running cluster for its members.
    type: dict
  running:
    description: True if a running cluster can be queried with O(ask).
    type: bool
    default: false
  derive:
    description: If true, derives the desired state again, by M(kafka_desired), with the known cores and memory.
    type: bool
    default: false
  needs:
    description: >-
      As in M(kafka_desired), to derive the desired state again. A run without V(release) refuses hosts without Kafka.
    type: list
    elements: str
    choices: [release, client]
    default: []
  phase:
    description: >-
      As in M(kafka_desired), to derive the desired state again. A run without V(release) refuses hosts without Kafka.
    type: str
    choices: [keep, open, switch, close, reopen, leave]
    default: keep
  scope:
    description:
      - Scope of the validation. V(identity) is for an operation that changes no files of a host. It refuses hosts that
        do not answer. It also refuses a host whose deployed node differs from the inventory (C(foreign_host),
        C(swapped_host), C(renamed_host), C(unidentified_host)).
    type: str
    choices: [all, identity]
    default: all
  remove:
    description: With O(scope=identity), inventory names of nodes that leave. One with no trace of a node is refused.
    type: list
    elements: str
    default: []
  silence:
    description: With O(scope=identity), whether a host that does not answer is refused.
    type: bool
    default: true
  ending:
    description: With O(scope=identity), whether the run ends the cluster. Then the way to name another one is said.
    type: bool
    default: false
  refuse:
    description: If true, an error fails the task. Otherwise the problems are only returned and shown.
    type: bool
    default: true
notes:
  - A host's own variable (C(kafka_user), C(kafka_java_home), C(kafka_nofile_limit), C(kafka_host_partition_budget),
    C(kafka_host_data_disks)) is taken before the task's argument.
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Refuse hosts that fail a check
  kafka_preflight:
    hosts: "{{ groups['kafka'] }}"
    accepted_risks: [single_rack]
"""

RETURN = r"""
problems:
  description: Errors (where they do not fail the task) and warnings.
  returned: unless the task fails
  type: list
  elements: dict
ansible_facts:
  description: >-
    C(kafka_peers), input of all nodes for M(kafka_storage); C(kafka_disks_pending), true if a log dir is on a disk that
    is not mounted yet (then repeat the check after the mount); C(kafka_migration_passed), the phases of O(phase) that
    are behind all nodes; C(kafka_now), present addresses of the deployed nodes (client, nodes); C(kafka_uids), for each
    host with data and without Kafka's user, the uid that the user gets again; C(kafka_plan), for each host the steps of
    a deployment that have something to do (C(host), C(kernel), C(install), C(format)); C(kafka_healthy), true if every
    node is healthy; C(kafka_answers), true if the running cluster has told its members; and C(kafka_desired), if it was
    derived again.
  returned: unless the task fails
  type: dict
"""

ARGUMENT_SPEC = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "user": {"type": "str", "default": "kafka"},
    "java_home": {"type": "str"},
    "nofile_limit": {"type": "int", "default": 100000},
    "partition_budget": {"type": "int", "default": 4000},
    "disks": {"type": "list", "elements": "dict", "default": []},
    "accepted_risks": {"type": "list", "elements": "str", "default": []},
    "replace": {"type": "str"},
    "add": {"type": "list", "elements": "str", "default": []},
    "restart": {"type": "list", "elements": "str", "default": []},
    "ask": {"type": "dict"},
    "running": {"type": "bool", "default": False},
    "derive": {"type": "bool", "default": False},
    "needs": {"type": "list", "elements": "str", "choices": ["release", "client"], "default": []},
    "phase": {"type": "str", "choices": ["keep", "open", "switch", "close", "reopen", "leave"], "default": "keep"},
    "scope": {"type": "str", "choices": ["all", "identity"], "default": "all"},
    "remove": {"type": "list", "elements": "str", "default": []},
    "silence": {"type": "bool", "default": True},
    "ending": {"type": "bool", "default": False},
    "refuse": {"type": "bool", "default": True},
}
