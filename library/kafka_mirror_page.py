#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_mirror_page.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_mirror_page
short_description: Writes how far a copy is as a page (internal)
description:
  - Writes C(mirror.html) with the copy's state, counts of both sides by topic, its lag at each look so far, and its
    last proof. C(mirror.json) beside it has the same as data.
  - Changes nothing but these two files.
options:
  directory:
    description: Directory of the pages.
    type: path
    required: true
  cluster_id:
    description: Owner of the reports. A directory of another cluster is refused.
    type: str
    required: true
  source:
    description: The source's name.
    type: str
    required: true
  progress:
    description: C(progress) of M(kafka_mirror_info).
    type: dict
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Write the page of the copy
  kafka_mirror_page:
    directory: .kraftwright/orders
    cluster_id: bWlycm9yLWV4YW1wbGUtMQ
    source: old
    progress: "{{ seen.progress }}"
"""

RETURN = r"""
page:
  description: Path of the page.
  returned: success
  type: str
"""
