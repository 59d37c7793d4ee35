#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_cluster_status.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_cluster_status
short_description: Shows who leads, what is behind, what could go down now, and what has drifted
description:
  - Prints one screen and writes one page from what was asked of the cluster and of its hosts before. Whatever is
    missing is said to be so.
  - Fails where the cluster is not healthy or something differs from the inventory. Changes nothing but the page.
options:
  desired:
    description: The fact C(kafka_desired).
    type: dict
    required: true
  cluster:
    description: What M(kafka_cluster_info) returned; left out where no node could be asked.
    type: dict
  live:
    description: What M(kafka_change_plan) returned.
    type: dict
  page:
    description: Path of the page to write; none without it.
    type: path
  refuse:
    description: Whether the task fails where something is wrong.
    type: bool
    default: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Show the status
  kafka_cluster_status:
    desired: "{{ ansible_facts['kafka_desired'] }}"
    cluster: "{{ __kafka_status_cluster | default(omit) }}"
    live: "{{ __kafka_status_live | default(omit) }}"
    page: .kraftwright/demo/status.html
"""

RETURN = r"""
healthy:
  description: Whether nothing is wrong with the cluster.
  returned: always
  type: bool
drifted:
  description: Whether anything differs from the inventory.
  returned: always
  type: bool
"""

ARGUMENT_SPEC = {
    "desired": {"type": "dict", "required": True},
    "cluster": {"type": "dict"},
    "live": {"type": "dict"},
    "page": {"type": "path"},
    "refuse": {"type": "bool", "default": True},
}
