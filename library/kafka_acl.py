#!/usr/bin/python
"""Who may do what."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_acl
short_description: Makes ACLs be as they are declared
description:
  - Takes all ACLs at once. New ones are added before old ones go, so nobody loses a right in between.
  - An entry that names a principal alone, with O(acls[].state=absent), takes every ACL of it away.
options:
  acls:
    description: Each entry names a principal, one resource and operations on it.
    type: list
    elements: dict
    required: true
    suboptions:
      principal:
        description: Who, as C(User:name); C(User:*) is everybody.
        type: str
        required: true
      state:
        description: Whether these ACLs are to be there.
        type: str
        choices: [present, absent]
        default: present
      topic:
        description: A topic, or the beginning of its name; C(*) is every one.
        type: str
      group:
        description: A consumer group, in the same way.
        type: str
      transactional_id:
        description: A transactional id, in the same way.
        type: str
      delegation_token:
        description: A delegation token, in the same way.
        type: str
      user:
        description: A user whose tokens are meant, in the same way.
        type: str
      cluster:
        description: The cluster itself.
        type: bool
        default: false
      pattern:
        description: Whether the name is meant as it is, or all names that begin with it.
        type: str
        choices: [literal, prefixed]
        default: literal
      operations:
        description: Operations of the resource, in Kafka's words; V(all) is each of them.
        type: list
        elements: str
        default: []
      permission:
        description: V(deny) wins over every V(allow).
        type: str
        choices: [allow, deny]
        default: allow
      host:
        description: The address from which the principal comes; C(*) is any.
        type: str
        default: "*"
extends_documentation_fragment: [kafka_client, kafka_resources]
author: Kraftwright
"""

EXAMPLES = r"""
- name: Let one write and read
  kafka_acl:
    client:
      bootstrap_servers: ["192.0.2.11:9092", "192.0.2.12:9092"]
      python_path: /opt/kafka/client/kafka_python.zip
    acls:
      - {principal: "User:orders-writer", topic: orders, operations: [write]}
      - {principal: "User:billing", topic: orders-, pattern: prefixed, operations: [read]}
      - {principal: "User:billing", group: billing, operations: [read]}
      - {principal: "User:*", topic: payroll, operations: [all], permission: deny}
      - {principal: "User:intern", state: absent}
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
from ansible.module_utils.kraft.operations.resources.acl_admin import AclAdmin
from ansible.module_utils.kraft.operations.resources.run import Asked
from ansible.module_utils.kraft.operations.resources.shell import RUN_SPEC, carry_out
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.resources.acls import (
    ALLOW,
    DENY,
    EVERY_HOST,
    LITERAL,
    PREFIXED,
    Acl,
    expanded,
    faults,
    is_of_all,
)

ARGUMENT_SPEC: dict[str, Any] = {
    "acls": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "principal": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "topic": {"type": "str"},
            "group": {"type": "str"},
            "transactional_id": {"type": "str"},
            "delegation_token": {"type": "str"},
            "user": {"type": "str"},
            "cluster": {"type": "bool", "default": False},
            "pattern": {"type": "str", "choices": [LITERAL, PREFIXED], "default": LITERAL},
            "operations": {"type": "list", "elements": "str", "default": []},
            "permission": {"type": "str", "choices": [ALLOW, DENY], "default": ALLOW},
            "host": {"type": "str", "default": EVERY_HOST},
        },
    },
    **RUN_SPEC,
}


def made(client: Client, params: Mapping[str, Any]) -> Asked[Acl]:
    """What the parameters ask for."""
    entries = params["acls"]
    gone = {one["principal"] for one in entries if is_of_all(one)}
    others = [one for one in entries if not is_of_all(one)]
    wrong = [
        Problem("acl", message, remedy, f"ACL of {one['principal']}")
        for one in others
        for message, remedy in faults(one)
    ]
    if wrong:
        raise RefusedError(wrong)
    wanted = {acl: True for one in others if one["state"] == "present" for acl in expanded(one)}
    absent = {acl for one in others if one["state"] == "absent" for acl in expanded(one)}
    return Asked(
        AclAdmin(client, awaited=params["check_mode"]), wanted, lambda acl: acl in absent or acl.principal in gone
    )


def main() -> None:
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True)
    carry_out(module, made)


if __name__ == "__main__":
    main()
