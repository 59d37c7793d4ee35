#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_probe.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_probe
short_description: Starts a client that works through an operation, and accounts for its records (internal)
description:
  - The probe is a process on the control machine that outlives the task. V(started) makes its topic, starts it and
    waits until every partition has acknowledged a record; one that a killed run has left is ended and accounted for
    first.
  - V(stopped) ends it, reads its topic with Spark and fails when an acknowledged record is lost, or one is duplicated,
    out of order or misplaced. Without a probe there is nothing to do, and the probe of another run is left alone.
  - V(drilled) reports for each fault of a drill its effect on clients, and the limits that the settings promise. It
    reads the account in O(directory), shows a table, writes C(drill.json) beside it, and puts the table on the probe's
    page. It fails if clients waited longer than the nodes' timeouts promise, or if a fault or the account is missing.
  - Changes nothing that lasts (the topic is removed again), and does nothing in check mode.
options:
  state:
    description: V(started) runs the probe.
    type: str
    choices: [started, stopped, drilled]
    default: started
  home:
    description: Directory on the control machine for the probes of one cluster.
    type: path
    required: true
  directory:
    description: Directory of the run's own probe, as V(started) has returned it; empty if it has started none.
    type: path
    default: ""
  required:
    description: If true, a probe fails at its start if no broker answers.
    type: bool
    default: true
  now:
    description: >-
      Client listeners that the nodes have now, as C(host:port); none if no node was deployed yet. The probe begins
      with them and follows when they change.
    type: list
    elements: str
    default: []
  settings:
    description: >-
      Settings of the probe. C(bootstrap_servers) (as in the inventory), C(cluster) (its name), C(partitions), C(rate)
      and the other names in C(spark_jobs/probe/settings.py).
    type: dict
    default: {}
  faults: {description: The faults in the order of the drill., type: list, elements: str, default: []}
  nodes: {description: Host to node (C(node_id) and C(properties)) of the drill., type: dict, default: {}}
  seconds: {description: For how long a node was frozen., type: int, default: 0}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Start the probe
  kafka_probe:
    home: .kraftwright/orders/probe
    settings: {bootstrap_servers: "192.0.2.11:9092"}
"""

RETURN = r"""
directory:
  description: Directory of this probe's log, its audit (C(audit.json)) and its page (C(page.html)); empty without one.
  returned: when a probe was started or stopped
  type: str
counts:
  description: Sums over the partitions, among them acked, lost, duplicated, reordered and misplaced.
  returned: when a probe was stopped
  type: dict
longest_stall:
  description: Seconds for which a partition acknowledged nothing of what was sent, the longest of all.
  returned: when a probe was stopped
  type: float
faults:
  description: >-
    One for each fault, with C(fault), C(hosts), C(leaders) (seconds until others led; null if not observed), C(stall)
    (longest, seconds), C(bound) (seconds that the settings promise; null for none), C(whole) (seconds until all was
    healthy) and C(kept).
  returned: after a drill
  type: list
  elements: dict
page:
  description: The page.
  returned: after a drill
  type: str
"""
