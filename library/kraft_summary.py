#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kraft_summary.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kraft_summary
short_description: Ends a run with what it came to (internal)
description:
  - Prints the quorum's leader, the voters and their lag, the brokers, the bootstrap address, the results of the smoke
    test, the path of the page, and the next command. In check mode it lists the checks that such a run leaves out.
  - Everything may be missing; what is not known is said to be so. Never fails, never changes anything.
options:
  desired:
    description: The fact C(kafka_desired).
    type: dict
  snapshot:
    description: Result of M(kafka_cluster_info). Without it, the snapshot inside the report is used.
    type: dict
  report:
    description: The smoke test's report, as a path or as it is.
    type: raw
  page:
    description: Path of the page; named only when there is such a file.
    type: path
  steps:
    description: Further commands to type next, each a mapping of C(command) and C(purpose).
    type: list
    elements: dict
  looked:
    description:
      - Host to what was registered on it, as filter C(kraft_registered) gives it. Shows what a host does not grant
        of C(kernel) (M(kafka_sysctl)), C(appcds_archive) (M(kafka_appcds_archive)) and C(nofile_hard).
    type: dict
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Show the result of the run
  kraft_summary:
    desired: "{{ ansible_facts['kafka_desired'] }}"
    snapshot: "{{ seen.snapshot }}"
"""

RETURN = r"""
outcome:
  description: The report's own word (proven, failed, unreachable); empty without a report.
  returned: always
  type: str
"""

ARGUMENT_SPEC = {
    "desired": {"type": "dict"},
    "snapshot": {"type": "dict"},
    "report": {"type": "raw"},
    "page": {"type": "path"},
    "steps": {"type": "list", "elements": "dict"},
    "looked": {"type": "dict"},
}
