#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_support_bundle.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_support_bundle
short_description: Packs what was collected of a cluster into one archive
description:
  - Packs a directory of the control machine, and files beside it, into C(support-<cluster>-<time>.tar.gz).
  - Then it removes the directory. The archive is for its owner alone. Opens no connection.
options:
  cluster:
    description: Description of the cluster for the archive. Its C(name) is part of the archive's name.
    type: dict
    required: true
  directory:
    description: Directory of the files that M(kafka_support_info) has collected. The archive is made beside it.
    type: path
    required: true
  beside:
    description: Other files that join, where they are there.
    type: list
    elements: path
    default: []
  collected:
    description: Host to what was registered there, as filter C(kraft_registered) gives it; C(support) is read.
    type: dict
    default: {}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Pack what was collected
  kafka_support_bundle:
    cluster: {name: blue}
    directory: .kraftwright/blue/support
"""

RETURN = r"""
bundle:
  description: The archive.
  returned: success
  type: str
bytes:
  description: Its size.
  returned: success
  type: int
files:
  description: Content of the file.
  returned: success
  type: list
  elements: str
"""
