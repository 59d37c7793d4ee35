#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_authority.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_authority
short_description: Replaces an authority of the cluster's own, one step at a time (internal)
description:
  - A step changes files of the authority on the control machine. A deployment then installs them on the nodes.
  - A new authority is made and trusted beside the old one. Then it signs. Then the old one is no longer trusted. Then
    its files are removed.
  - Each step is taken only if every node allows it, by what was observed of its files, process and listeners.
  - Opens no connection.
options:
  root:
    description: Name of the authority.
    type: str
    choices: [nodes, clients]
    required: true
  cluster:
    description: Name of the cluster.
    type: str
    required: true
  authority:
    description: Directory of the authority.
    type: path
    required: true
  passphrase:
    description: Opens the authority's keys.
    type: str
    required: true
  nodes:
    description:
      - Host -> C(certificate), what C(kafka_host_info) has found of that step, and C(shown), the result of
        M(kafka_connectivity_info). A host without these results is refused.
    type: dict
    required: true
  users:
    description: The users, as in C(kafka_users).
    type: list
    elements: dict
    default: []
  clients_ready:
    description: Confirm that clients trust both authorities, or have their new certificates.
    type: bool
    default: false
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Replace the authority of the nodes
  kafka_authority:
    root: nodes
    cluster: orders
    authority: .kraftwright/orders/tls
    passphrase: "{{ kafka_tls.passphrase }}"
    nodes: "{{ looked }}"
"""

RETURN = r"""
ansible_facts:
  description: >-
    C(kafka_authority): C(phase) before and C(step) that was taken, C(waits) (why no step was taken, by hosts), C(users)
    (whose certificates come first), C(clients) (whether clients come first), C(deploy) and C(resources) (whether a
    deployment, or users' certificates, come next) and C(over) (whether this run takes no further step).
  returned: success
  type: dict
"""
