#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_credentials.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_credentials
short_description: Makes passwords and certificates of users, and new authorities, on the control machine (internal)
description:
  - Opens no connection, and never returns a password. In check mode nothing is made.
options:
  kind:
    description:
      - With V(passwords), each user who logs in with a password and has none gets one of 32 letters and digits. They
        are kept in one file, encrypted by the vault whose secret the run has. A run without such a secret is refused.
        Kept passwords are used again. The password of a user who is removed, or gets another one, is deleted.
      - With V(certificates), each user with C(authentication=tls) gets a key and a certificate of the authority for
        clients. They are one PEM file beside the authority. A new one is issued if it is missing, wrong, or expires
        soon. The file of a user who is removed, or logs in with a password, is removed.
      - V(authority) takes the next step in replacing an authority of the cluster's own. A deployment then installs the
        files on the nodes. A new authority is made and trusted beside the old one. Then it signs. Then the old one is
        no longer trusted. Then its files are removed. Each step is taken only if every node allows it, by what was
        observed of its files, process and listeners.
    type: str
    choices: [passwords, certificates, authority]
    required: true
  users:
    description: The users, as in C(kafka_users).
    type: list
    elements: dict
    default: []
  passwords:
    description: The file of generated passwords. C(ansible-vault view) shows it. Required for V(passwords).
    type: path
  authority:
    description: Directory of the authority. Required for V(certificates) and V(authority), as the next two are.
    type: path
  cluster: {description: "Name of the cluster, which is in the certificate.", type: str}
  passphrase: {description: Opens the authority's keys., type: str}
  days: {description: Number of days for which a user's certificate is valid., type: int, default: 397}
  renew_before_days: {description: A user's certificate that expires sooner is issued again., type: int, default: 60}
  root:
    description: Name of the authority to replace. Required for V(authority), as O(nodes) is.
    type: str
    choices: [nodes, clients]
  nodes:
    description:
      - Host -> C(certificate), what C(kafka_host_info) has found of that step, and C(shown), the result of
        M(kafka_connectivity_info). A host without these results is refused.
    type: dict
  clients_ready:
    description: Confirm that clients trust both authorities, or have their new certificates.
    type: bool
    default: false
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Generate the passwords of users
  kafka_credentials:
    kind: passwords
    users: [{name: reader}]
    passwords: group_vars/kafka/passwords.yml

- name: Replace the authority of the nodes
  kafka_credentials:
    kind: authority
    root: nodes
    cluster: orders
    authority: .kraftwright/orders/tls
    passphrase: "{{ kafka_tls.passphrase }}"
    nodes: "{{ looked }}"
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: for passwords and certificates
  type: list
  elements: str
ansible_facts:
  description: >-
    C(kafka_authority): C(phase) before and C(step) that was taken, C(waits) (why no step was taken, by hosts), C(users)
    (whose certificates come first), C(clients) (whether clients come first), C(deploy) and C(resources) (whether a
    deployment, or users' certificates, come next) and C(over) (whether this run takes no further step).
  returned: for an authority
  type: dict
"""
