#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_reports.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_reports
short_description: Makes a directory of the control machine for the reports of one cluster (internal)
description:
  - Makes O(path) if it is missing, for its owner and group alone, and notes in it whose reports it holds.
  - Refuses a directory that holds reports of another cluster. One without a note, of an older version, is taken if
    its last report is this cluster's, or names none.
  - Opens no connection. In check mode it only refuses.
options:
  path:
    description: The directory.
    type: path
    required: true
  cluster_id:
    description: Id of the cluster whose reports it is for.
    type: str
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Create the directory of the cluster's reports
  kafka_reports:
    path: .kraftwright/orders
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
"""

RETURN = r"""
path:
  description: The directory.
  returned: success
  type: str
run_id:
  description: The minute (UTC) and five letters by chance, as the id of a run that writes reports here.
  returned: success
  type: str
"""
