#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_drill_report.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_drill_report
short_description: Reports for each fault of a drill its effect on clients, and the limits that the settings promise
description:
  - Reads the account that the last probe in O(home) has left. Shows a table, writes C(drill.json) beside it, and puts
    the table on the probe's page.
  - Fails where clients waited longer than the nodes' timeouts promise, or where a fault is not accounted for.
options:
  home: {description: Directory on the control machine for the cluster's probes., type: path, required: true}
  faults: {description: The faults in the order of the drill., type: list, elements: str, required: true}
  nodes: {description: Host to node (C(node_id) and C(properties))., type: dict, required: true}
  seconds: {description: For how long a node was frozen., type: int, required: true}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Say what the drill came to
  kafka_drill_report:
    home: .kraftwright/mine/probe
    faults: [broker_killed]
    nodes: "{{ ansible_facts['kafka_desired']['nodes'] }}"
    seconds: 30
"""

RETURN = r"""
faults:
  description: >-
    One for each fault, with C(fault), C(hosts), C(leaders) (seconds until others led; null if not observed), C(stall)
    (longest, seconds), C(bound) (seconds that the settings promise; null for none), C(whole) (seconds until all was
    healthy) and C(kept).
  returned: success
  type: list
  elements: dict
page:
  description: The page.
  returned: success
  type: str
"""
