#!/usr/bin/python
"""Documentation of the action plugin plugins/action/kafka_user_passwords.py: nothing of it runs on a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_user_passwords
short_description: Generates passwords for users who have none
description:
  - Each user who logs in with a password and has none gets one of 32 letters and digits.
  - They are kept in one file of the control machine, encrypted by the vault whose secret the run has.
  - A run without such a secret is refused.
  - Kept passwords are used again. The password of a user who is removed, or gets another one, is deleted.
  - Opens no connection, and never returns a password. In check mode nothing is generated.
options:
  users:
    description: The users, as in C(kafka_users).
    type: list
    elements: dict
    required: true
  path:
    description: The file. C(ansible-vault view) shows it.
    type: path
    required: true
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Generate passwords for users who have none
  kafka_user_passwords:
    users: [{name: orders-writer}]
    path: .kraftwright/blue/passwords.yml
"""

RETURN = r"""
steps:
  description: Changes that were made, or would be made in check mode.
  returned: success
  type: list
  elements: str
"""
