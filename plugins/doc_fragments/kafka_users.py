"""Documentation of what modules take as users."""

from __future__ import annotations


class ModuleDocFragment:
    """C(kafka_users): who logs in with SCRAM, and how a password is compared."""

    DOCUMENTATION = r"""
options:
  users:
    description: Users, each name once.
    type: list
    elements: dict
    suboptions:
      name:
        description: The name with which the user logs in.
        type: str
        required: true
      state:
        description: V(present) creates the user, V(absent) removes the login.
        type: str
        choices: [present, absent]
        default: present
      mechanism:
        description: Type of login.
        type: str
        choices: [SCRAM-SHA-256, SCRAM-SHA-512]
        default: SCRAM-SHA-512
      password:
        description: The password. In check mode it may be one that is still to be generated.
        type: str
  logins:
    description:
      - Mechanism -> how a listener is reached that takes it; the fields are those of O(client), without a name and a
        password.
      - Passwords of mechanisms that are left out are not compared, and a user who exists is taken for right.
    type: dict
    default: {}
"""
