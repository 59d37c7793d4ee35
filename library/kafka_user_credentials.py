#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_user_credentials.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_user_credentials
short_description: Generates passwords and issues certificates for users, on the control machine (internal)
description:
  - Opens no connection, and never returns a password. In check mode nothing is made.
  - With O(passwords), each user who logs in with a password and has none gets one of 32 letters and digits. They are
    kept in one file, encrypted by the vault whose secret the run has. A run without such a secret is refused. Kept
    passwords are used again. The password of a user who is removed, or gets another one, is deleted.
  - With O(authority), each user with C(authentication=tls) gets a key and a certificate of the authority for clients.
    They are one PEM file beside the authority. A new one is issued if it is missing, wrong, or expires soon. The file
    of a user who is removed, or logs in with a password, is removed.
options:
  users:
    description: The users, as in C(kafka_users).
    type: list
    elements: dict
    required: true
  passwords:
    description: The file of generated passwords. C(ansible-vault view) shows it.
    type: path
  authority:
    description: Directory of the authority.
    type: path
  cluster:
    description: Name of the cluster, which is in the certificate.
    type: str
  passphrase:
    description: Opens the authority's keys.
    type: str
  days:
    description: Number of days for which a certificate is valid.
    type: int
    default: 397
  renew_before_days:
    description: A certificate that expires sooner is issued again.
    type: int
    default: 60
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Generate the passwords of users
  kafka_user_credentials:
    users: [{name: reader}]
    passwords: group_vars/kafka/passwords.yml
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
"""
