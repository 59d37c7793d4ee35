#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_desired.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_desired
short_description: Works out what every node should be, or lists every mistake in the inventory (internal)
description:
  - Reads the variables of all O(hosts) on the control machine, opens no connection, and checks everything before
    anything is done. All mistakes are reported at once, each with variable, host, value and remedy.
  - After M(kafka_host_info) has run on the hosts, heap and threads are derived from what they have.
  - Never changes anything; runs in check mode as it does otherwise.
options:
  hosts:
    description: Inventory names of all the cluster's nodes.
    type: list
    elements: str
    required: true
  refuse:
    description: If true, a mistake fails the task. Otherwise the problems are only returned.
    type: bool
    default: true
  needs:
    description: >-
      Needs of the run on the control machine beside the inventory: V(release), Kafka's archive; V(client), the zip that
      a deployment brings to the hosts; V(spark), to prove the cluster; V(maintenance), the tasks of one. A missing one
      is a mistake like others. Without V(release) C(kafka_archive) and its checksum are not read.
    type: list
    elements: str
    choices: [release, client, spark, maintenance]
    default: []
  plans:
    description: If true, the run can write its plan to a file (C(kafka_plan_file)), and apply an approved one.
    type: bool
    default: true
  phase:
    description: >-
      Phase of a migration of the cluster's security. V(keep) is the present phase of the nodes. So is V(show), also
      while hosts are unavailable. Both need the results of M(kafka_host_info). Empty for the inventory's settings.
    type: str
    choices: ['', open, switch, close, reopen, leave, keep, show]
    default: ''
  report:
    description: >-
      Format for problems that do not fail the task, a line or a table row for each. V(json) prints all problems, also
      those that fail it, for other programs.
    type: str
    choices: [warnings, table, json]
    default: warnings
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Compute the desired state of every node
  kafka_desired:
    hosts: "{{ groups['kafka'] }}"
    needs: [release, client]
  run_once: true
"""

RETURN = r"""
problems:
  description: Errors and warnings, each with severity, rule, variable, host, value, message and remedy.
  returned: unless the task fails
  type: list
  elements: dict
ansible_facts:
  description: >-
    C(kafka_desired) with C(cluster) (identity, bootstrap addresses, voters, initial controllers) and C(nodes), by host
    (identity, directories, listeners, properties and options of Java). Secrets are hidden in it.
  returned: when nothing is wrong
  type: dict
"""
