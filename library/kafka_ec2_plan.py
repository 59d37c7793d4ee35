#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_ec2_plan.py: it runs on the control machine."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_ec2_plan
short_description: Works out what a cluster lacks on EC2
description:
  - Holds the variables of role C(kafka_ec2) and the listeners that M(kafka_desired) worked out against what
    M(kafka_ec2_info) finds, and refuses with every problem at once. Nothing is changed.
  - In check mode it shows the whole plan as a diff and reports a change where there is one; otherwise the tasks that
    follow do.
options:
  state:
    description: V(present) creates the cluster, V(absent) removes it.
    type: str
    choices: [present, absent]
    default: present
  hosts: {description: Inventory names of all the cluster's nodes., type: list, elements: str, required: true}
  settings:
    description: The role's variables without C(kafka_ec2_). A host's own value has precedence.
    type: dict
    required: true
  found: {description: Result of M(kafka_ec2_apply). AWS is queried if it is empty., type: dict, default: {}}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Hold what is wanted against what is there
  kafka_ec2_plan:
    hosts: "{{ groups['kafka'] }}"
    settings: "{{ __kafka_ec2_settings }}"
  run_once: true
"""

RETURN = r"""
lines:
  description: Planned actions, as sentences.
  returned: always
  type: list
  elements: str
ansible_facts:
  description: C(kafka_ec2) with what the role's tasks read. With O(state=absent) C(kafka_ec2_gone), true if anything is
    to be removed.
  returned: always
  type: dict
"""
