#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_report.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_report
short_description: Writes the reports of a cluster on the control machine, and prints them (internal)
description:
  - Opens no connection to a host, and changes nothing but the reports. They are in a directory that holds those of one
    cluster; one with reports of another cluster is refused. A directory without a note, of an older version, is taken
    if its last report is this cluster's, or names none.
options:
  kind:
    description:
      - V(directory) makes O(directory) if it is missing, for its owner and group alone, and notes in it whose reports
        it holds. In check mode it only refuses.
      - V(given_back) lets other runs into O(directory) again, after O(exclusive).
      - V(copy) writes C(mirror.html) with the copy's state, counts of both sides by topic, its lag at each look so far,
        and its last proof. C(mirror.json) beside it has the same as data.
      - V(limits) prints the limits that hosts do not grant, and is skipped if they grant all.
      - V(monitoring) returns the files that Prometheus and Grafana need for the cluster, and writes nothing.
      - V(run) prints the quorum's leader, the voters and their lag, the brokers, the bootstrap address, the results of
        the smoke test, the path of the page, and the next command. In check mode it lists the checks that such a run
        leaves out. Everything may be missing, and it never fails.
    type: str
    choices: [directory, given_back, copy, limits, monitoring, run]
    required: true
  directory:
    description: Directory of the reports. Required for V(directory), V(given_back) and V(copy).
    type: path
  cluster_id: {description: Id of the cluster whose reports it is for; with V(directory) and V(copy)., type: str}
  exclusive:
    description:
      - With V(directory), true keeps other runs out of the directory, until V(given_back) or the end of this run. If
        another one is at work there, this is refused. A job of a dead run is ended first.
    type: bool
    default: false
  desired: {description: The fact C(kafka_desired); with V(run), V(limits) and V(monitoring)., type: dict}
  looked:
    description:
      - With V(run) and V(limits), host to its results, as filter C(kraft_results) gives them. Shows what a host does
        not grant of C(kernel) (M(kafka_sysctl)), C(appcds_archive) (M(kafka_appcds_archive)) and C(nofile_hard).
    type: dict
    default: {}
  source: {description: "With V(copy), the source's name.", type: str}
  progress: {description: "With V(copy), C(progress) of M(kafka_mirror_info).", type: dict}
  alerting:
    description: With V(monitoring), defaults of C(kafka_metrics_alertmanager) and of the receivers' names.
    type: dict
    default: {}
  report: {description: "With V(run), path of the smoke test's report.", type: path}
  page: {description: "With V(run), path of the page; named only if there is such a file.", type: path}
  steps:
    description: With V(run), further commands to type next, each a mapping of C(command) and C(purpose).
    type: list
    elements: dict
    default: []
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create the directory of the cluster's reports
  kafka_report:
    kind: directory
    directory: .kraftwright/orders
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ

- name: Create it for this run alone
  kafka_report:
    kind: directory
    directory: .kraftwright/orders
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    exclusive: true

- name: Let other runs into it again
  kafka_report:
    kind: given_back
    directory: .kraftwright/orders

- name: Write the page of the copy
  kafka_report:
    kind: copy
    directory: .kraftwright/orders
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    source: old
    progress: "{{ seen.progress }}"

- name: Show the result of the run
  kafka_report:
    kind: run
    desired: "{{ ansible_facts['kafka_desired'] }}"
    report: .kraftwright/orders/report.json
"""

RETURN = r"""
directory: {description: The directory., returned: with O(kind=directory), type: str}
run_id:
  description: The minute (UTC) and five letters by chance, as the id of a run that writes reports here.
  returned: with O(kind=directory)
  type: str
files:
  description: Content of each file by its name, none if no node publishes metrics.
  returned: with O(kind=monitoring)
  type: dict
credentials:
  description: File of this machine that Prometheus needs under each name, none without TLS.
  returned: with O(kind=monitoring)
  type: dict
page: {description: Path of the page., returned: with O(kind=copy), type: str}
outcome:
  description: The report's own word (proven, failed, unreachable); empty without a report.
  returned: with O(kind=run)
  type: str
"""
