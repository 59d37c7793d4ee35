#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_deployment_plan.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_deployment_plan
short_description: Writes the plan of a deployment to a file, or refuses to go on if it is not the approved one
  (internal)
description:
  - Combines the answers of each planner for each host into one value. The same state and the same inventory give the
    same file, byte by byte. It holds no secret. For the secrets in a changed file it holds a salted digest.
  - Runs on the control machine, opens no connection, and changes nothing but O(file).
options:
  desired:
    description: The fact C(kafka_desired).
    type: dict
    required: true
  processes:
    description:
      - Host to the result of M(kafka_node) in check mode, empty for a host outside of the run. Without any, the plan
        has no hosts, as that of C(apply_resources.yml).
    type: dict
    default: {}
  live:
    description: RV(overrides) of M(kafka_change_plan).
    type: list
    elements: dict
    default: []
  batches:
    description: RV(batches) of M(kafka_change_plan).
    type: list
    elements: dict
    default: []
  resources:
    description:
      - Declared resources (C(topics), C(users), C(acls), C(quotas)), and the plan for them. C(found) is the state of
        the cluster, V(running), V(new) or V(down); C(result) is that of M(kafka_resources) in check mode; C(generated)
        and C(certificates) are the steps of M(kafka_credentials).
      - For a password that is set the plan holds a salted digest.
    type: dict
    required: true
  file:
    description: Path of the plan on the control machine.
    type: path
  approved:
    description: File with the plan that was approved. The task fails if the fresh plan is another one.
    type: path
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Refuse a deployment that differs from the approved plan
  kafka_deployment_plan:
    desired: "{{ ansible_facts['kafka_desired'] }}"
    resources: "{{ resources }}"
    approved: plan.json
"""

RETURN = r"""
plan:
  description: The plan, see docs/runbooks/approve_plan.md.
  returned: unless the task fails
  type: dict
"""
