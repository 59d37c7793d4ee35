#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_cluster_status.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_cluster_status
short_description: Shows why a cluster is sick and what to do next, who leads, what could go down now, what has
  drifted (internal)
description:
  - Prints one screen, and writes the same as a page and as JSON, from earlier answers of the cluster and its hosts.
    Missing answers are listed.
  - Fails if the cluster is not healthy or something differs from the inventory. Changes nothing but these two files.
options:
  desired:
    description: The fact C(kafka_desired).
    type: dict
    required: true
  looked:
    description:
      - Host to what was registered on it, as filter C(kraft_results) gives it. C(process) of M(kafka_node),
        C(kernel) of M(kafka_sysctl), C(view) of M(kafka_connectivity_info).
    type: dict
    required: true
  cluster:
    description: Result of M(kafka_cluster_info); left out if no broker answers.
    type: dict
  live:
    description: Result of M(kafka_change_plan).
    type: dict
  directory:
    description: Directory for C(status.html) and C(status.json). Without it, no file is written.
    type: path
  prometheus_url:
    description:
      - Address, from the control machine, of a Prometheus that watches the cluster. Its firing alerts, and the days
        until log dirs are full, are shown. They do not decide whether the task fails. A Prometheus that does not answer
        is reported, too.
    type: str
  refuse:
    description: If true, the task fails if something is wrong.
    type: bool
    default: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Report the state of the cluster
  kafka_cluster_status:
    desired: "{{ ansible_facts['kafka_desired'] }}"
    looked: "{{ looked }}"
    cluster: "{{ seen.snapshot }}"
    refuse: false
"""

RETURN = r"""
status:
  description: Content of status.json, see docs/runbooks/cluster_status.md.
  returned: unless the task fails; then only its headline and the path of the page
  type: dict
"""
