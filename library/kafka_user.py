#!/usr/bin/python
"""Users who log in with a password."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_user
short_description: Makes users who log in with SCRAM be as they are declared
description:
  - Takes all users at once. A password is compared by logging in with it, so a run with nothing to do changes nothing.
  - What is sent and stored is salted. The password itself never leaves the host on which the module runs.
options:
  users:
    description: Users, each name once.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: The name with which the user logs in.
        type: str
        required: true
      state:
        description: Whether the user can log in at all.
        type: str
        choices: [present, absent]
        default: present
      mechanism:
        description: How the user logs in.
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
extends_documentation_fragment: [kafka_client, kafka_resources]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Let two log in, and a third no more
  kafka_user:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    users:
      - {name: orders-writer, password: "{{ vault_orders_writer }}"}
      - {name: billing, password: "{{ vault_billing }}", mechanism: SCRAM-SHA-256}
      - {name: intern, state: absent}
    logins:
      SCRAM-SHA-512:
        bootstrap_servers: ["192.0.2.11:9094"]
        security_protocol: SASL_SSL
        ca_file: /opt/kafka/tls/nodes.pem
        python_path: /opt/kafka/client/kafka_python.zip
"""

RETURN = r"""
steps:
  description: What was done, or would be, in words.
  returned: success
  type: list
  elements: str
drift:
  description: What there is that nobody declared; it is left alone without O(prune).
  returned: success
  type: list
  elements: str
problems:
  description: Everything that forbids it.
  returned: when refused
  type: list
  elements: str
"""

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.resources.run import Asked
from ansible.module_utils.kraft.operations.resources.shell import RUN_SPEC, carry_out
from ansible.module_utils.kraft.operations.resources.user_admin import MECHANISMS, Credential, UserAdmin
from ansible.module_utils.kraft.problem import Problem

ARGUMENT_SPEC: dict[str, Any] = {
    "users": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "mechanism": {"type": "str", "choices": list(MECHANISMS), "default": "SCRAM-SHA-512"},
            "password": {"type": "str", "no_log": True},
        },
    },
    "logins": {"type": "dict", "default": {}},
    **RUN_SPEC,
}


def made(client: Client, params: Mapping[str, Any]) -> Asked[Credential]:
    """What the parameters ask for."""
    users = params["users"]
    passwords = {Credential(one["name"], one["mechanism"]): one["password"] for one in users if one["password"]}
    lacking = [one["name"] for one in users if one["state"] == "present" and not one["password"]]
    if lacking and not params["check_mode"]:
        problems = (Problem("user_password", "has no password", "give one", f"user {name}") for name in lacking)
        raise RefusedError([*problems])
    absent = {one["name"] for one in users if one["state"] == "absent"}
    wanted = {Credential(one["name"], one["mechanism"]): True for one in users if one["name"] not in absent}
    admin = UserAdmin(client, passwords, params["logins"], awaited=params["check_mode"])
    return Asked(admin, wanted, lambda credential: credential.user in absent)


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    carry_out(module, made)


if __name__ == "__main__":
    main()
