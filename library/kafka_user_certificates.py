#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_user_certificates.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_user_certificates
short_description: Issues certificates to users by the cluster's own authority
description:
  - Each user with C(authentication=tls) gets a key and a certificate of the authority for clients. They are one
    PEM file beside the authority, on the control machine.
  - A new one is issued if it is missing, wrong, or expires soon.
  - The file of a user who is removed, or logs in with a password, is removed. Opens no connection.
options:
  users:
    description: The users, as in C(kafka_users).
    type: list
    elements: dict
    required: true
  cluster:
    description: Name of the cluster, which is in the certificate.
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
  days:
    description: For how long a certificate is good.
    type: int
    default: 397
  renew_before_days:
    description: A certificate that expires sooner is issued again.
    type: int
    default: 60
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Issue certificates to users
  kafka_user_certificates:
    users: [{name: orders-writer, authentication: tls}]
    cluster: blue
    authority: .kraftwright/blue/tls
    passphrase: "{{ vault_kafka_tls_passphrase }}"
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
"""
