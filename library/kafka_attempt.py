#!/usr/bin/python
"""Runs another module and returns its failure as data. The action plugin of this name does the work."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_attempt
short_description: Runs a module and returns its failure as data (internal)
description:
  - For tasks that ask a host and must go on without its answer. A module that fails does not fail the task; its words
    are in RV(error), where later tasks find them.
  - A host that cannot be reached stays unreachable. Check mode and diff are those of the task.
options:
  module: {description: Name of the module., type: str, required: true}
  options: {description: Its options., type: dict, default: {}}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Inspect the cluster, and keep a failure as data
  kafka_attempt:
    module: kafka_cluster_info
    options:
      client: {bootstrap_servers: ["192.0.2.11:9092"]}
  register: seen
"""

RETURN = r"""
error:
  description: Reason for the module's failure. The module's other results are returned beside it, or alone after a
    success.
  returned: when the module failed
  type: str
"""
