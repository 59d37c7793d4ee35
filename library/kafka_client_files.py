#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_client_files.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_client_files
short_description: Writes files for clients on the control machine (internal)
description:
  - Writes what differs, each file in one step. Diffs and results never show a content.
  - Opens no connection.
  - In a directory that O(files) name, it removes other files of the same kinds; a kind is what follows the first dot.
    So nothing is left of a listener that was renamed. In O(path) itself it removes those of other listeners alone.
options:
  path:
    description: The directory. It is made if it is missing.
    type: path
    required: true
  files:
    description: Name of each file, which may hold a directory, and its content. With a null content it is removed.
    type: dict
    default: {}
  desired:
    description: The fact C(kafka_desired), for files with which clients connect to each listener.
    type: dict
  client_options:
    description: Options of Spark's client. With them there are files for everybody.
    type: dict
  users:
    description: Users with their passwords. Each has files in a directory.
    type: list
    elements: dict
    default: []
  mode:
    description: Octal digits in quotes.
    type: str
    default: "0600"
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Write the file of Kafka's Java client
  kafka_client_files:
    path: .kraftwright/orders/clients
    files:
      client.properties: |
        bootstrap.servers=192.0.2.11:9092
"""

RETURN = r"""
changed_paths:
  description: Files that were written or removed, or would be.
  returned: success
  type: list
  elements: str
"""
